// What people ask for: remember, and previews of forget and dream.

import { MEMORY, newKey, post } from "./api.js";
import { byId } from "./dom.js";
import { outcome } from "./task.js";

/** Connects the three forms. */
export function connectForms(tasks, changes) {
  const ask = asking(tasks);

  const fact = byId("fact");
  ask("remember", () => given({
    content: fact.value,
    scope: byId("remember-scope").value,
    contextMode: byId("remember-context").value,
  }), { field: fact });
  fact.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("remember-form").requestSubmit();
  });

  const onEnd = async (task, form) => {
    if (!task.result?.changeSetId) return;
    await changes.load();
    // It may have taken minutes: who is busy elsewhere by now is not disturbed.
    const at = document.activeElement;
    if (at === document.body || form.contains(at)) changes.focus(task.result.changeSetId);
  };
  const query = byId("query");
  ask("forget", () => given({
    query: query.value,
    scope: byId("forget-scope").value,
    preview: true,
  }), { field: query, onEnd });
  ask("dream", () => ({ preview: true }), { onEnd });
}

/** An empty choice is left to the daemon. */
function given(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ""));
}

function asking(tasks) {
  return (kind, read, { field = null, onEnd = () => {} }) => {
    const form = byId(`${kind}-form`);
    const message = byId(`${kind}-message`);
    const submit = form.querySelector("[type=submit]");
    let last = { body: "", key: "" };
    let busy = false;
    // Not `disabled`, which would take the focus from whoever pressed it.
    const setBusy = (value) => submit.setAttribute("aria-disabled", (busy = value));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (busy) return;
      setBusy(true);
      const sent = field?.value;
      const body = read();
      const text = JSON.stringify(body);
      // The same request after one that may or may not have arrived must not be a second task.
      if (text !== last.body) last = { body: text, key: newKey() };
      tell(message, "Sending…");
      try {
        const task = await post(`${MEMORY}/${kind}`, body, last.key);
        last = { body: "", key: "" };
        if (field) {
          if (field.value === sent) field.value = ""; // unless the next is being typed already
          setBusy(false);
        }
        tell(message, "Accepted; working on it…");
        const done = await tasks.follow(task);
        tell(message, outcome(done), done.status === "failed");
        // What came to nothing is not lost.
        if (field && done.status === "failed" && !field.value) field.value = sent;
        if (!field) setBusy(false); // the same twice at a time is never meant
        await onEnd(done, form);
      } catch (error) {
        setBusy(false);
        tell(message, error.message, true);
      }
    });
  };
}

function tell(message, text, failed = false) {
  message.textContent = text;
  message.classList.toggle("failure", failed);
}
