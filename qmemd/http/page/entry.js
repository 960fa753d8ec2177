// One memory: a line that opens to its text, its whole document, and who changed it when.

import { MEMORY, get } from "./api.js";
import { el, fill, scrolling, time } from "./dom.js";

/** A list item for the entry; its text is asked for when it is opened. */
export function entryElement(entry) {
  const body = el("div", { class: "body" });
  const summary = el(
    "summary",
    {},
    el("span", { class: "description", dir: "auto" }, entry.description),
    entry.pinned ? el("span", { class: "badge" }, "pinned") : null,
    el(
      "span",
      { class: "aside" },
      el("bdi", {}, entry.name === entry.description ? "" : entry.name),
      ...changedBy(entry),
    ),
  );
  const details = el("details", {}, summary, body);
  details.addEventListener("toggle", () => {
    if (details.open && !body.hasChildNodes()) fill(body, () => content(entry));
  });
  return el("li", { class: "entry" }, details);
}

function changedBy(entry) {
  const { lastChange } = entry;
  const parts = entry.name === entry.description ? [] : [" · "];
  if (lastChange === null) return [...parts, "written ", time(entry.modified)];
  return [...parts, `${lastChange.kind}, `, time(lastChange.at)];
}

async function content(entry) {
  const found = await get(`${MEMORY}/entries/${encodeURIComponent(entry.id)}`);
  const headings = found.headings.map((heading) => el("bdi", {}, heading));
  const document = el("pre", { dir: "auto" }, found.document);
  return [
    headings.length ? el("p", { class: "aside headings" }, ...headings) : null,
    el("pre", { class: "text", dir: "auto" }, found.text),
    el(
      "details",
      {},
      el("summary", {}, "Whole document"),
      scrolling("The whole document", document),
    ),
    el("p", { class: "aside" }, el("code", { dir: "ltr" }, found.path)),
    found.lastChange?.taskId
      ? el("p", { class: "aside" }, "Changed by ", el("code", {}, found.lastChange.taskId))
      : null,
  ].filter((part) => part !== null);
}
