// The list of memories: grouped by scope and type, searched as one types, kept in place when it changes.

import { MEMORY, get } from "./api.js";
import { coalesced } from "./coalesced.js";
import { byId, counted, el, reconcile } from "./dom.js";
import { entryElement } from "./entry.js";
import { quietly } from "./loads.js";

const FIRST_PAGE = 200; // entries; soon there, and all that most people have
const PAGE = 1000;
const CHUNK = 100; // elements that are made before the browser may do something else
const TYPING = 150; // ms without a key until a search is asked for

const SCOPES = { user: "User, in all projects", project: "This project" };
const TYPES = ["user", "feedback", "project", "reference"];

export class Memories {
  #shown = new Map(); // id → { element, told }
  #groups = new Map(); // scope and type → section
  #typing = 0;
  #asked = new AbortController();

  /** Reads the list anew. Its promise ends when it is shown. */
  load = coalesced(() => this.#load());

  constructor() {
    byId("search").addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => {
        this.#asked.abort(); // nobody wants the answer to what was typed before
        quietly(this.load);
      }, TYPING);
    });
  }

  async #load() {
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    try {
      const entries = await this.#read(byId("search").value.trim(), signal);
      await this.#show(entries, signal);
      this.#tell(counted(entries.length, "memory", "memories"));
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  async #read(q, signal) {
    const found = new Map(); // what moves between two pages is not shown twice
    let cursor = null;
    do {
      const limit = cursor === null ? FIRST_PAGE : PAGE;
      const page = await get(`${MEMORY}/entries`, { q, limit, cursor }, signal);
      for (const entry of page.entries) found.set(entry.id, entry);
      cursor = page.nextCursor ?? null;
    } while (cursor !== null);
    return [...found.values()];
  }

  async #show(entries, signal) {
    const groups = new Map();
    const shown = new Map();
    let made = 0;
    for (const entry of entries) {
      const told = JSON.stringify(entry);
      let one = this.#shown.get(entry.id);
      if (one?.told !== told) {
        one = { told, element: changed(entry, one) };
        made += 1;
        if (made % CHUNK === 0) await breathe(signal);
      }
      shown.set(entry.id, one);
      const key = `${entry.scope} ${entry.type}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(one.element);
    }
    this.#shown = shown;
    const sections = [];
    for (const scope of Object.keys(SCOPES)) {
      for (const type of TYPES) {
        const elements = groups.get(`${scope} ${type}`);
        if (elements) sections.push(this.#group(scope, type, elements));
      }
    }
    reconcile(byId("memories"), sections);
  }

  #group(scope, type, elements) {
    const key = `${scope} ${type}`;
    if (!this.#groups.has(key)) {
      const title = el("h3", { id: `group-${scope}-${type}` });
      const list = el("ul", { "aria-labelledby": title.id });
      this.#groups.set(key, { section: el("div", { class: "group" }, title, list), title, list });
    }
    const { section, title, list } = this.#groups.get(key);
    title.textContent = `${SCOPES[scope]}: ${type} (${elements.length.toLocaleString()})`;
    reconcile(list, elements);
    return section;
  }

  #tell(text) {
    const count = byId("memories-count");
    if (count.textContent !== text) count.textContent = text;
  }
}

/** A new element for an entry that changed; what was open stays open. */
function changed(entry, before) {
  const element = entryElement(entry);
  if (before?.element.querySelector("details").open) element.querySelector("details").open = true;
  return element;
}

async function breathe(signal) {
  await new Promise((resolve) => setTimeout(resolve));
  signal.throwIfAborted();
}
