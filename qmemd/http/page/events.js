// The workspace's stream of events, read with fetch, since EventSource cannot send a token.

import { send } from "./api.js";
import { patiently, wasStopped } from "./patience.js";
import { SseParser } from "./sse.js";

const FIRST_PAUSE = 500; // ms
const LONGEST_PAUSE = 10_000; // ms

export class EventStream {
  #handlers;
  #wanted = false;
  #running = null;
  #wake = () => {};
  #lastId = null;
  #epoch = null;

  /**
   * `onEvent(event)`; `onState("connecting" | "live" | "offline", refusal)`, where a daemon that
   * answers says why not; `onResync()` when everything has to be read anew.
   */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  /** Begins, or tries again at once. */
  start() {
    this.#wanted = true;
    this.#wake();
    if (!this.#running) this.#loop();
  }

  /** Ends; what is missed until the next `start` is asked for then. */
  stop() {
    this.#wanted = false;
    this.#running?.abort();
    this.#wake();
  }

  async #loop() {
    let pause = FIRST_PAUSE;
    while (this.#wanted) {
      this.#running = new AbortController();
      this.#handlers.onState("connecting");
      let fault = null;
      try {
        await this.#read(this.#running, () => (pause = FIRST_PAUSE));
      } catch (error) {
        fault = error;
      }
      if (!this.#wanted) break;
      if (wasStopped(this.#running.signal)) continue; // and started again
      this.#handlers.onState("offline", fault?.status ? fault.message : "");
      if (fault?.status) this.#handlers.onResync(); // no stream, but the daemon answers: look now and then
      await this.#sleep(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
    this.#running = null;
  }

  async #read(controller, onOpen) {
    const headers = {};
    if (this.#lastId !== null) {
      headers["Last-Event-ID"] = this.#lastId;
      headers["X-Qwen-Event-Epoch"] = this.#epoch;
    }
    const { signal } = controller;
    const response = await patiently(controller, send("/workspace/events", { headers, signal }));
    const epoch = response.headers.get("X-Qwen-Event-Epoch");
    const missed = this.#lastId === null || epoch !== this.#epoch;
    this.#epoch = epoch;
    if (missed) this.#lastId = null;
    onOpen();
    this.#handlers.onState("live");
    if (missed) this.#handlers.onResync();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new SseParser();
    for (;;) {
      const { value, done } = await patiently(controller, reader.read());
      if (done) return;
      for (const event of parser.feed(value)) this.#take(event);
    }
  }

  #take(event) {
    if (event.id !== undefined) this.#lastId = event.id;
    if (event.type === "state_resync_required") this.#handlers.onResync();
    else this.#handlers.onEvent(event);
  }

  #sleep(pause) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
