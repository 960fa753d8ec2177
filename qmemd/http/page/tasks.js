// The tasks: what waits and runs, and what ended last.

import { MEMORY, get } from "./api.js";
import { since } from "./clock.js";
import { coalesced } from "./coalesced.js";
import { byId, reconcile } from "./dom.js";
import { STATES, element, ended, kindOf, tick } from "./task.js";

const LISTED = 50; // tasks that are read anew after something was missed
const SHOWN_ENDED = 5;
const KEPT = 200;

export class Tasks {
  #tasks = new Map();
  #rows = new Map(); // id → { element, told }
  #followers = new Map(); // id → functions that are called with the ended task
  #ticking = 0;
  #stale = false; // whether it is shown once this piece of the stream is read

  /** Reads the newest tasks anew, and those that are followed. */
  load = coalesced(() => this.#load());

  async #load() {
    const before = [...this.#tasks.values()].filter((task) => !ended(task));
    const { tasks } = await get(`${MEMORY}/tasks`, { limit: LISTED });
    for (const task of tasks.reverse()) this.update(task);
    const listed = new Set(tasks.map((task) => task.taskId));
    const unlisted = ({ taskId }) => !listed.has(taskId) && !this.#followers.has(taskId);
    // What waits or runs is among the newest: these have ended, perhaps thousands while nobody looked.
    for (const { taskId } of before.filter(unlisted)) this.#tasks.delete(taskId);
    this.#show();
    const followed = [...this.#followers.keys()].filter((taskId) => !listed.has(taskId));
    await Promise.all(followed.map((taskId) => this.#fetch(taskId)));
  }

  /** A `task_updated` event of a task that has not ended; how one ended is read with `load`. */
  happened({ taskId, status }, at) {
    const known = this.#tasks.get(taskId);
    this.update({ createdAt: new Date(at).toISOString(), ...known, taskId, status });
  }

  /** The task once it has ended. */
  follow(task) {
    this.update(task);
    const known = this.#tasks.get(task.taskId);
    if (ended(known)) return Promise.resolve(known);
    return new Promise((resolve) => {
      const others = this.#followers.get(task.taskId) ?? [];
      this.#followers.set(task.taskId, [...others, resolve]);
    });
  }

  update(task) {
    const known = this.#tasks.get(task.taskId);
    if (known && (ended(known) || (known.status === "running" && task.status === "queued"))) return;
    this.#tasks.set(task.taskId, task);
    if (this.#tasks.size > KEPT) this.#tasks.delete(this.#tasks.keys().next().value);
    if (ended(task)) {
      for (const resolve of this.#followers.get(task.taskId) ?? []) resolve(task);
      this.#followers.delete(task.taskId);
    }
    if (known?.status !== task.status) this.#say(task);
    this.#show();
  }

  async #fetch(taskId) {
    try {
      this.update(await get(`${MEMORY}/${kindOf({ taskId })}/${taskId}`));
    } catch (error) {
      if (error.status !== 404) throw error;
      // A daemon that keeps its tasks in memory forgets them when it ends.
      const updatedAt = new Date().toISOString();
      this.update({ taskId, status: "failed", updatedAt, error: { message: error.message } });
    }
  }

  #say(task) {
    // Only what is new: what had ended before this page came is no news.
    if (ended(task) && since(task.updatedAt) > 10_000) return;
    byId("heard").textContent = `${kindOf(task)}: ${STATES[task.status]}`;
  }

  #show() {
    if (this.#stale) return;
    this.#stale = true;
    queueMicrotask(() => this.#showNow());
  }

  #showNow() {
    this.#stale = false;
    const tasks = [...this.#tasks.values()].reverse();
    const active = tasks.filter((task) => !ended(task));
    const shown = [...active, ...tasks.filter(ended).slice(0, SHOWN_ENDED)];
    const rows = new Map(shown.map((task) => [task.taskId, this.#row(task)]));
    this.#rows = rows;
    reconcile(byId("tasks"), [...rows.values()].map((row) => row.element));
    byId("tasks-none").hidden = shown.length > 0;
    if (active.length && !this.#ticking) this.#ticking = setInterval(tick, 1_000);
    if (!active.length) {
      clearInterval(this.#ticking);
      this.#ticking = 0;
    }
  }

  #row(task) {
    const known = this.#rows.get(task.taskId);
    return known?.told === task.status ? known : { told: task.status, element: element(task) };
  }
}
