/** Real time. The main entry loads this file alone: it imports no module of Node.js. */
import { type Clock, MAX_TIMER_MS } from "../kernel/index.js";

/** The clock of this machine. A pending timer keeps the process alive, and no delay is too long. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
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
