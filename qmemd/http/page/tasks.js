// The tasks: what waits and runs, with its time and a way to cancel it, and what ended last.

import { MEMORY, get, remove } from "./api.js";
import { since } from "./clock.js";
import { coalesced } from "./coalesced.js";
import { byId, button, el, reconcile } from "./dom.js";

const LISTED = 50; // tasks that are read anew after something was missed
const SHOWN_ENDED = 5;
const KEPT = 200;
const STATES = { queued: "waiting", running: "running", completed: "done", failed: "failed" };

export const kindOf = (task) => task.taskId.split("-")[0];
const ended = (task) => task.status === "completed" || task.status === "failed";

/** What became of a task, in words. */
export function outcome(task) {
  if (task.status === "completed") return task.result.summary;
  const { message, details } = task.error;
  return details ? `${message} ${details}` : message;
}

export class Tasks {
  #tasks = new Map();
  #rows = new Map(); // id → { element, told }
  #followers = new Map(); // id → functions that are called with the ended task
  #ticking = 0;

  /** Reads the newest tasks anew; those that are followed are told if they ended meanwhile. */
  load = coalesced(() => this.#load());

  async #load() {
    const { tasks } = await get(`${MEMORY}/tasks`, { limit: LISTED });
    for (const task of tasks.reverse()) this.update(task);
    const listed = new Set(tasks.map((task) => task.taskId));
    const lost = [...this.#tasks.values()].filter((t) => !ended(t) && !listed.has(t.taskId));
    await Promise.all(lost.map((task) => this.#fetch(task.taskId)));
  }

  /** A `task_updated` event. */
  async happened({ taskId, status }, at) {
    const known = this.#tasks.get(taskId);
    if (ended({ status })) await this.#fetch(taskId);
    else this.update({ createdAt: new Date(at).toISOString(), ...known, taskId, status });
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

function element(task) {
  const kind = kindOf(task);
  const head = [el("strong", {}, kind), " ", el("span", { class: "badge" }, STATES[task.status])];
  if (ended(task)) {
    const told = el("p", { class: task.error ? "failure" : "aside", dir: "auto" }, outcome(task));
    return el("li", { class: "task" }, ...head, told);
  }
  const time = el("span", { class: "aside", "data-since": task.createdAt }, elapsed(task.createdAt));
  const running = el("progress", { "aria-label": `${kind} ${STATES[task.status]}` });
  const message = el("p", { class: "failure", role: "alert" });
  const stopIt = () => stop(task, cancel, message);
  const cancel = button("Cancel", stopIt, { "aria-label": `Cancel ${kind}` });
  return el("li", { class: "task" }, ...head, " ", time, running, cancel, message);
}

async function stop(task, cancel, message) {
  cancel.disabled = true;
  message.textContent = "";
  try {
    await remove(`${MEMORY}/${kindOf(task)}/${task.taskId}`);
  } catch (error) {
    if (error.code === "task_finished") return; // how it ended is on its way
    cancel.disabled = false;
    message.textContent = error.message;
  }
}

function elapsed(iso) {
  return `${Math.max(0, Math.round(since(iso) / 1_000))} s`;
}

/** Only the numbers change, so that nothing is read out each second. */
function tick() {
  for (const time of document.querySelectorAll("[data-since]")) {
    time.textContent = elapsed(time.dataset.since);
  }
}
