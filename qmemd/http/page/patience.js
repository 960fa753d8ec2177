// Waiting for a daemon that may have died, or been halted, without a word.

const SILENCE = 40_000; // ms; the daemon sends a heartbeat every 15 s, and answers much sooner

/** The promise; what the controller governs is given up when that takes too long. */
export function patiently(controller, promise) {
  const giveUp = () => controller.abort(new Error("The daemon says nothing."));
  const timer = setTimeout(giveUp, SILENCE);
  return promise.finally(() => clearTimeout(timer));
}

/** Whether it was ended on purpose: browsers call both cases an AbortError. */
export const wasStopped = ({ aborted, reason }) => aborted && reason.name === "AbortError";
