// What time it is for the daemon, whose machine may be another one with another idea of it.

const TOLERATED = 5_000; // ms; its answers tell whole seconds, and come a little late

let ahead = 0;

/** Takes the `Date` of an answer. */
export function setClock(date) {
  const difference = Date.parse(date) - Date.now();
  ahead = Math.abs(difference) > TOLERATED ? difference : 0; // 0 for no date, too
}

/** Milliseconds since a time that the daemon told. */
export const since = (iso) => Date.now() + ahead - Date.parse(iso);
