// What people ask for: remember, and previews of forget and dream.

import { MEMORY, newKey, post } from "./api.js";
import { byId } from "./dom.js";
import { outcome } from "./tasks.js";

/** Connects the three forms. */
export function connectForms(tasks, changes) {
  const fact = byId("fact");
  const ask = asking(tasks);

  ask("remember", () => given({
    content: fact.value,
    scope: byId("remember-scope").value,
    contextMode: byId("remember-context").value,
  }), {
    onAccepted: () => (fact.value = ""),
    onEnd: (task, { content }) => {
      // What could not be kept is not lost, unless something else is being typed already.
      if (task.status === "failed" && !fact.value) fact.value = content;
    },
  });
  fact.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("remember-form").requestSubmit();
  });

  const onEnd = async (task, _body, form) => {
    if (!task.result?.changeSetId) return;
    await changes.load();
    // It may have taken minutes: who is busy elsewhere by now is not disturbed.
    const at = document.activeElement;
    if (at === document.body || form.contains(at)) changes.focus(task.result.changeSetId);
  };
  const forget = { query: "", scope: "", preview: true };
  ask("forget", () => given({
    ...forget,
    query: byId("query").value,
    scope: byId("forget-scope").value,
  }), { onAccepted: () => (byId("query").value = ""), onEnd });
  ask("dream", () => ({ preview: true }), { onAccepted: () => {}, onEnd });
}

/** An empty choice is left to the daemon. */
function given(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ""));
}

function asking(tasks) {
  return (kind, read, { onAccepted, onEnd }) => {
    const form = byId(`${kind}-form`);
    const message = byId(`${kind}-message`);
    let last = { body: "", key: "" };
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const submit = form.querySelector("[type=submit]");
      const body = read();
      const text = JSON.stringify(body);
      // The same request after one that may or may not have arrived must not be a second task.
      if (text !== last.body) last = { body: text, key: newKey() };
      submit.disabled = true;
      tell(message, "Sending…");
      try {
        const task = await post(`${MEMORY}/${kind}`, body, last.key);
        last = { body: "", key: "" };
        onAccepted();
        submit.disabled = false;
        tell(message, "Accepted; working on it…");
        const done = await tasks.follow(task);
        tell(message, outcome(done), done.status === "failed");
        await onEnd(done, body, form);
      } catch (error) {
        submit.disabled = false;
        tell(message, error.message, true);
      }
    });
  };
}

function tell(message, text, failed = false) {
  message.textContent = text;
  message.classList.toggle("failure", failed);
}
