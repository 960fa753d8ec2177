// How the daemon is: process, model, tasks, and what the model has cost.

import { get } from "./api.js";
import { coalesced } from "./coalesced.js";
import { byId, el, time } from "./dom.js";

/** Reads and shows it. */
export const loadStatus = coalesced(async () => {
  const status = await get("/daemon/status");
  const agent = status.child?.phase ?? "not started";
  byId("daemon-short").textContent = `model ${status.model}, agent ${agent}`;
  byId("daemon").replaceChildren(...rows(status, agent).flatMap(([term, ...told]) => [
    el("dt", {}, term),
    el("dd", {}, ...told),
  ]));
});

function rows(status, agent) {
  const { tasks, usage, streams } = status;
  const number = (value) => value.toLocaleString();
  const waiting = `${number(tasks.queued)} waiting, ${number(tasks.running)} running`;
  const ended = `${number(tasks.completed)} done, ${number(tasks.failed)} failed`;
  const cost = `${number(usage.inputTokens)} tokens in, ${number(usage.outputTokens)} out`;
  return [
    ["Model", status.model],
    ["Agent", agent],
    ["Tasks", `${waiting}, ${ended}`],
    ["Usage", `${number(usage.modelCalls)} model calls, ${cost}`],
    ["Streams", `${number(streams.open)} of ${number(streams.limit)}`],
    ["Sessions", number(status.sessions)],
    ["Journal", status.journal],
    ["Process", `${status.pid}, since `, time(status.startedAt)],
    ["Version", `${status.qmemdVersion} on Python ${status.pythonVersion}`],
    ...status.lastErrors.map((error) => ["Failed", `${error.kind}: ${error.code}, `, time(error.at)]),
  ];
}
