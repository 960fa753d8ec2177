// What is read anew without anybody's asking, and read again where that failed.

import { byId } from "./dom.js";

const TRY_AGAIN = 10_000; // ms

const owed = new Map(); // what could not be read → its next try
const refused = new Set(); // those of them that the daemon answered with a refusal

/** Reads it. What fails is read again later, and a refusal is told meanwhile. */
export async function quietly(load) {
  try {
    await load();
    paid(load);
  } catch (error) {
    paid(load);
    if (error.status === 401) return; // told already, and all is read anew with the right token
    owed.set(load, setTimeout(quietly, TRY_AGAIN, load));
    if (error.code === "offline") return; // the stream tells it
    refused.add(load);
    byId("notice").textContent = error.message;
  }
}

/** The daemon is there again: what could not be read is read at once. */
export function catchUp() {
  for (const load of [...owed.keys()]) quietly(load);
}

function paid(load) {
  clearTimeout(owed.get(load));
  owed.delete(load);
  if (refused.delete(load) && refused.size === 0) byId("notice").textContent = "";
}
