// One task: its kind, state and outcome in words, and its row with its time and a way to cancel it.

import { MEMORY, remove } from "./api.js";
import { since } from "./clock.js";
import { button, el } from "./dom.js";

export const STATES = { queued: "waiting", running: "running", completed: "done", failed: "failed" };

export const kindOf = (task) => task.taskId.split("-")[0];
export const ended = (task) => task.status === "completed" || task.status === "failed";

/** What became of a task, in words. */
export function outcome(task) {
  if (task.status === "completed") return task.result.summary;
  const { message, details } = task.error;
  return details ? `${message} ${details}` : message;
}

/** Its row. */
export function element(task) {
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
export function tick() {
  for (const time of document.querySelectorAll("[data-since]")) {
    time.textContent = elapsed(time.dataset.since);
  }
}
