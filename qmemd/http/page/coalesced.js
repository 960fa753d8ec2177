// Work that many events ask for and that is done once for all of them.

/**
 * A function that does `work` now, or once more after the run that is under way. Its promise ends
 * when a run that began after the call has ended.
 */
export function coalesced(work) {
  let running = null;
  let next = null;
  const run = () => {
    running = Promise.resolve()
      .then(work)
      .finally(() => (running = null));
    return running;
  };
  return () => {
    if (running === null) return run();
    next ??= running
      .catch(() => {}) // whoever asked for that run is told
      .then(() => {
        next = null;
        return run();
      });
    return next;
  };
}
