// The page: who may see it, and what is read anew when something happens.

import { get, whenUnauthorized } from "./api.js";
import { Changes } from "./changes.js";
import { byId } from "./dom.js";
import { EventStream } from "./events.js";
import { connectForms } from "./forms.js";
import { catchUp, quietly } from "./loads.js";
import { Memories } from "./memories.js";
import { loadStatus } from "./status.js";
import { Tasks } from "./tasks.js";
import { dropToken, hasToken, setToken, takeFromAddress } from "./token.js";

const STATUS_INTERVAL = 30_000; // ms; nothing tells when the agent goes to sleep
const CONNECTIONS = {
  connecting: "Connecting…",
  live: "Live",
  offline: "Offline, trying again…",
  closed: "Not connected",
};

takeFromAddress();

const tasks = new Tasks();
const memories = new Memories();
const changes = new Changes(tasks);
const stream = new EventStream({ onEvent, onState, onResync: loadAll });
connectForms(tasks, changes);

async function enter() {
  const { workspaceCwd } = await get("/capabilities");
  byId("workspace").textContent = workspaceCwd;
  document.title = `${workspaceCwd.split("/").pop()} – qmemd`;
  const asked = !byId("entrance").hidden;
  byId("entrance").hidden = true;
  byId("screen").hidden = false;
  if (asked) byId("fact").focus(); // what had the focus is gone
  if (!document.hidden) stream.start();
}

function loadAll() {
  for (const load of [memories.load, changes.load, tasks.load, loadStatus]) quietly(load);
}

function onEvent({ type, data, at }) {
  if (type === "memory_changed" && data.scope === "managed") {
    quietly(memories.load);
    quietly(changes.load);
  } else if (type === "task_updated") {
    // What has ended changes the rest as well; the memories, if others wrote to the files meanwhile.
    if (data.status === "completed" || data.status === "failed") loadAll();
    else tasks.happened(data, at);
  }
}

function onState(state, refusal = "") {
  const connection = byId("connection");
  if (state === "connecting" && connection.dataset.state === "offline") return; // trying again
  connection.dataset.state = state;
  const told = refusal ? `Not live: ${refusal}` : CONNECTIONS[state];
  if (connection.textContent !== told) connection.textContent = told;
  if (state === "live") catchUp();
}

whenUnauthorized(() => {
  if (!hasToken()) return; // it is being asked for
  dropToken();
  stream.stop();
  ask("The daemon does not take this token.");
});

function ask(message) {
  onState("closed");
  byId("screen").hidden = true;
  byId("entrance").hidden = false;
  byId("token-message").textContent = message;
  byId("token").focus();
}

function begin() {
  enter().catch((error) => {
    if (error.status === 401) return; // the form says so
    onState("offline", error.status ? error.message : "");
    setTimeout(begin, 2_000);
  });
}

byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  byId("token-message").textContent = "";
  setToken(byId("token").value);
  byId("token").value = "";
  if (hasToken()) begin();
  else byId("token-message").textContent = "A token is more than blanks.";
});

addEventListener("hashchange", () => {
  if (takeFromAddress()) begin();
});

// A browser opens only six connections to one daemon: tabs that nobody sees must not hold them. What
// they miss is replayed when they are looked at; what editors wrote meanwhile is read anew.
document.addEventListener("visibilitychange", () => {
  if (byId("screen").hidden) return;
  if (document.hidden) {
    stream.stop();
  } else {
    stream.start();
    quietly(memories.load);
    quietly(loadStatus);
  }
});
addEventListener("online", () => byId("screen").hidden || stream.start());

document.addEventListener("keydown", (event) => {
  // A key that is held down presses once: the focus may have come to another button meanwhile.
  if (event.repeat && event.key === "Enter" && !event.target.closest?.("textarea")) event.preventDefault();
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  byId("search").focus();
});

setInterval(() => {
  const live = byId("connection").dataset.state === "live";
  if (live && !document.hidden) quietly(loadStatus);
}, STATUS_INTERVAL);

if (hasToken()) begin();
else ask("");
