// Elements are made of names and texts, never of markup: what somebody remembered stays text.

export const byId = (id) => document.getElementById(id);

/** An element with attributes; children are nodes or texts, and what is null is left out. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

export function button(label, onClick, attributes = {}) {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", onClick);
  return made;
}

/** A text that may be long: it scrolls, with the keyboard too, and says what it is. */
export function scrolling(label, child) {
  return el("div", { class: "scrolling", role: "region", tabindex: "0", "aria-label": label }, child);
}

/** Fills the place with what `read` makes; what could not be read can be asked for again. */
export async function fill(place, read) {
  place.replaceChildren(el("p", { class: "aside" }, "Reading…"));
  try {
    place.replaceChildren(...(await read()));
  } catch (error) {
    const told = el("p", { class: "failure", role: "alert" }, error.message);
    place.replaceChildren(told, button("Try again", () => fill(place, read)));
  }
}

/**
 * Makes the children of `parent` these, in this order. What is there and stays is not taken out, so
 * that it keeps its focus and what was opened in it.
 */
export function reconcile(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const child of children) {
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
}

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function time(iso) {
  return el("time", { datetime: iso }, moments.format(new Date(iso)));
}

/** "1 memory", "2 memories". */
export function counted(number, one, many) {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}
