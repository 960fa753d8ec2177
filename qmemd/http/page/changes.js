// Change sets: previews that wait to be applied or discarded, and the history with undo.

import { MEMORY, get, newKey, post } from "./api.js";
import { coalesced } from "./coalesced.js";
import { showDiff } from "./diff.js";
import { byId, button, counted, el, fill, reconcile, time } from "./dom.js";
import { outcome } from "./task.js";

const PAGE = 50;
const ACTIONS = { applied: ["revert", "Undo"], reverted: ["apply", "Do it again"] };
const PREVIEWS = { forget: "Forget would remove", dream: "Dream would change" };

export class Changes {
  #tasks;
  #pages = 1;
  #cards = new Map(); // of previews, by id
  #rows = new Map(); // id → { element, told }

  /** Reads the change sets anew. Its promise ends when they are shown. */
  load = coalesced(() => this.#load());

  constructor(tasks) {
    this.#tasks = tasks;
    byId("history-more").addEventListener("click", () => {
      this.#pages += 1;
      this.load().catch((error) => (byId("history-message").textContent = error.message));
    });
  }

  /** Brings a preview to the eyes and ears of whoever asked for it. */
  focus(changeSetId) {
    this.#cards.get(changeSetId)?.focus();
  }

  async #load() {
    const found = new Map();
    let cursor = null;
    for (let page = 0; page < this.#pages && cursor !== undefined; page += 1) {
      const answer = await get(`${MEMORY}/changes`, { limit: PAGE, cursor });
      for (const change of answer.changes) found.set(change.changeSetId, change);
      cursor = answer.nextCursor;
    }
    const all = [...found.values()];
    const previews = all.filter((change) => change.state === "preview");
    const others = all.filter((change) => change.state !== "preview");
    this.#cards = new Map(previews.map((one) => [one.changeSetId, this.#card(one)]));
    reconcile(byId("decisions"), [...this.#cards.values()]);
    byId("decisions-section").hidden = previews.length === 0;
    this.#rows = new Map(others.map((one) => [one.changeSetId, this.#row(one)]));
    reconcile(byId("history"), [...this.#rows.values()].map((row) => row.element));
    byId("history-none").hidden = others.length > 0;
    byId("history-more").hidden = cursor === undefined;
  }

  #card(change) {
    const known = this.#cards.get(change.changeSetId);
    if (known) return known;
    const title = el("h3", { id: `preview-${change.changeSetId}` });
    title.append(PREVIEWS[change.kind] ?? change.kind, " ", el("small", {}, time(change.createdAt)));
    const told = el("div", {});
    const diff = el("div", { class: "diffs" });
    const message = el("p", { class: "message", role: "status" });
    const act = (action, label, attributes) =>
      button(label, (event) => this.#act(change, action, message, event.target), attributes);
    const card = el(
      "article",
      { class: "card decision", tabindex: "-1", "aria-labelledby": title.id },
      title,
      told,
      diff,
      el("div", { class: "row" }, act("apply", "Apply", { class: "primary" }), act("discard", "Discard")),
      message,
    );
    showDiff(diff, change.changeSetId);
    fill(told, () => result(change));
    return card;
  }

  #row(change) {
    const id = change.changeSetId;
    const known = this.#rows.get(id);
    if (known?.told === change.state) return known;
    const diff = el("div", { class: "diffs" });
    const files = counted(change.files.length, "file", "files");
    const summary = el("summary", {}, el("strong", {}, change.kind), ` ${files} `);
    summary.append(el("span", { class: "badge" }, change.state), " ", time(change.createdAt));
    const details = el("details", {}, summary, diff);
    details.addEventListener("toggle", () => {
      if (details.open && !diff.hasChildNodes()) showDiff(diff, id);
    });
    const [action, label] = ACTIONS[change.state] ?? [];
    const act = (event) => this.#act(change, action, byId("history-message"), event.target);
    const undo = action ? button(label, act, { "aria-label": `${label}: ${change.kind}, ${files}` }) : null;
    return { told: change.state, element: el("li", { class: "change" }, details, undo) };
  }

  /** What was pressed may be gone: who goes on with the keyboard must not start from the top. */
  #keepFocus(changeSetId) {
    if (document.activeElement !== document.body) return;
    const row = this.#rows.get(changeSetId)?.element;
    const beside = row?.checkVisibility() ? row.querySelector("button, summary") : null;
    (beside ?? this.#cards.get(changeSetId) ?? byId("memories-title")).focus();
  }

  async #act(change, action, message, pressed) {
    const buttons = pressed.parentElement.querySelectorAll("button");
    const disable = (disabled) => buttons.forEach((one) => (one.disabled = disabled));
    disable(true);
    message.textContent = "";
    try {
      const { changeSetId } = change;
      const task = await post(`${MEMORY}/change`, { changeSetId, action }, newKey());
      const done = await this.#tasks.follow(task);
      message.textContent = outcome(done);
      await this.load();
    } catch (error) {
      message.textContent = error.message;
    }
    disable(false);
    this.#keepFocus(change.changeSetId);
  }
}

/** What the task that made the preview says; it may be forgotten by now. */
async function result(change) {
  const gone = (error) => (error.status === 404 ? {} : Promise.reject(error));
  const { result } = await get(`${MEMORY}/${change.kind}/${change.taskId}`).catch(gone);
  const removed = (result?.removedEntries ?? []).map((one) => el("li", { dir: "auto" }, one.summary));
  const summary = el("p", { dir: "auto" }, result?.summary ?? "");
  return removed.length ? [summary, el("ul", { class: "removed-entries" }, ...removed)] : [summary];
}
