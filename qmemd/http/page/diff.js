// What a change set does to each document, as a diff.

import { MEMORY, get } from "./api.js";
import { el, fill, scrolling } from "./dom.js";

const CLASSES = { "+": "added", "-": "removed", "@": "place", "\\": "aside" };
const CHANGES = { added: "new", changed: "changed", removed: "removed" };

/** Fills the element with the diffs of a change set. */
export function showDiff(place, changeSetId) {
  fill(place, async () => {
    const { files } = await get(`${MEMORY}/changes/${changeSetId}`);
    return files.map(file);
  });
}

function file({ path, change, diff }) {
  const name = path.split("/").pop();
  const title = el(
    "p",
    { class: "file", title: path },
    el("bdi", {}, name),
    " ",
    el("span", { class: "badge" }, CHANGES[change]),
  );
  if (!diff) return el("div", {}, title, el("p", { class: "aside" }, "The text was erased."));
  return el("div", {}, title, scrolling(`Changes of ${name}`, el("pre", { class: "diff" }, ...lines(diff))));
}

function lines(diff) {
  const given = diff.split("\n");
  if (given.at(-1) === "") given.pop();
  // The two lines of names say what stands above already.
  const body = given[0]?.startsWith("--- ") ? given.slice(2) : given;
  return body.map((line) => {
    const kind = CLASSES[line[0]];
    const tag = { added: "ins", removed: "del" }[kind] ?? "span";
    return el(tag, { class: `line ${kind ?? ""}`, dir: "auto" }, line || " ");
  });
}
