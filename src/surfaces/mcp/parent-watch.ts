/** Noticing that the process that started this one is gone. */

const CHECK_INTERVAL_MS = 500;

/**
 * Calls `onGone` once when the parent process has ended. A closed standard input says so in most cases; this is for those
 * where another process still holds the other end of the pipe. Returns the end of the watch.
 */
export function watchParent(onGone: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
