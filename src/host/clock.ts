/** Real time. Imports no Node.js module, because the main entry loads it. */
import { type Clock, MAX_TIMER_MS } from "../kernel/index.js";

/** The system clock. A pending timer keeps the process alive; delays may be of any length. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  elapsed: () => performance.now(),
  timer(ms: number, done: () => void): () => void {
    let left = ms;
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      const step = Math.min(Math.max(0, left), MAX_TIMER_MS);
      left -= step;
      timer = setTimeout(() => (left > 0 ? wait() : done()), step);
    };
    wait();
    return () => clearTimeout(timer);
  },
});
