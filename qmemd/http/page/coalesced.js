// Work that many events ask for and that is done once for all of them.

const TOGETHER = 10; // ms; what ends a task tells of it twice, and each is no reason of its own

/**
 * A function that does `work` soon, after the run that is under way. Its promise ends when a run that
 * began after the call has ended.
 */
export function coalesced(work) {
  let last = Promise.resolve();
  let next = null;
  const run = () => {
    next = null;
    last = work();
    return last;
  };
  return () => {
    next ??= last
      .catch(() => {}) // whoever asked for that run is told
      .then(together)
      .then(run);
    return next;
  };
}

const together = () => new Promise((resolve) => setTimeout(resolve, TOGETHER));
