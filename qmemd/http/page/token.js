// The daemon's token: from the address bar's fragment, which never leaves the browser, into this
// tab's own storage, and gone from the address bar before anything else happens.

const KEY = "qmemd-token";

let token = stored((storage) => storage.getItem(KEY)) ?? "";

/** Takes a token out of the address bar, if there is one; says whether there was. */
export function takeFromAddress() {
  const given = /[#&]token=([^&]*)/.exec(location.hash)?.[1];
  if (given === undefined) return false;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    setToken(decodeURIComponent(given));
  } catch {
    return false; // no token is spelt like that
  }
  return true;
}

export function setToken(given) {
  token = given.trim();
  stored((storage) => storage.setItem(KEY, token));
}

export function dropToken() {
  token = "";
  stored((storage) => storage.removeItem(KEY));
}

export function hasToken() {
  return token !== "";
}

/** The Authorization header. Headers are bytes: one letter for each byte of the token's UTF-8. */
export function bearer() {
  return `Bearer ${String.fromCharCode(...new TextEncoder().encode(token))}`;
}

/** Browsers that are told to store nothing throw here; then the token lasts as long as the page. */
function stored(use) {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}
