// The daemon's token: from the address bar's fragment, which never leaves the browser, into this
// tab's own storage, and gone from the address bar before anything else happens.

const KEY = "qmemd-token";

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

export function setToken(token) {
  sessionStorage.setItem(KEY, token.trim());
}

export function dropToken() {
  sessionStorage.removeItem(KEY);
}

export function hasToken() {
  return Boolean(sessionStorage.getItem(KEY));
}

/** The Authorization header. Headers are bytes: one letter for each byte of the token's UTF-8. */
export function bearer() {
  const bytes = new TextEncoder().encode(sessionStorage.getItem(KEY) ?? "");
  return `Bearer ${String.fromCharCode(...bytes)}`;
}
