// Requests to the daemon, and how it refuses them.

import { setClock } from "./clock.js";
import { patiently } from "./patience.js";
import { bearer } from "./token.js";

export const MEMORY = "/workspace/memory";

/** A refusal; `code` is stable, the message is for people. "offline" means nothing answered. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

let onUnauthorized = () => {};

/** `handler` is called when the daemon does not take the token. */
export function whenUnauthorized(handler) {
  onUnauthorized = handler;
}

/** What both requests and the stream send, and how their refusals are told. */
export async function send(path, options) {
  const headers = { Authorization: bearer(), ...options.headers };
  let response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "offline", "The daemon cannot be reached. Is it running?");
  }
  setClock(response.headers.get("Date"));
  if (response.ok) return response;
  const told = await response.json().catch(() => ({}));
  // A late answer to an older token says nothing about the one that was typed since.
  if (response.status === 401 && headers.Authorization === bearer()) onUnauthorized();
  throw new ApiError(response.status, told.code ?? "unknown", sentence(response, told));
}

function sentence(response, { code, error }) {
  const seconds = response.headers.get("Retry-After");
  if (code === "rate_limit_exceeded" && seconds) {
    return `That was too often for the daemon's rate limit; it answers again in ${seconds} s.`;
  }
  return error ?? `The daemon answered with ${response.status}.`;
}

async function json(path, options) {
  const patience = new AbortController();
  const signal = AbortSignal.any([patience.signal, options.signal].filter(Boolean));
  const answer = send(path, { ...options, signal }).then((response) => response.json());
  try {
    return await patiently(patience, answer);
  } catch (error) {
    if (error instanceof ApiError || options.signal?.aborted) throw error;
    throw new ApiError(0, "offline", "The answer of the daemon broke off.");
  }
}

/** GET. Parameters that are null or empty are left out. */
export function get(path, parameters = {}, signal = undefined) {
  const given = Object.entries(parameters).filter(([, value]) => value != null && value !== "");
  const query = new URLSearchParams(given).toString();
  return json(query ? `${path}?${query}` : path, { method: "GET", signal });
}

/** POST; a repeated `key` finds the task that the first request with it made. */
export function post(path, body, key = undefined) {
  const headers = { "Content-Type": "application/json" };
  if (key) headers["Idempotency-Key"] = key;
  return json(path, { method: "POST", headers, body: JSON.stringify(body) });
}

export function remove(path) {
  return json(path, { method: "DELETE" });
}

/** 128 random bits; `randomUUID` is missing where a page came over plain HTTP from another host. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
