import type { Clock } from "./services.js";

/**
 * A timer of a clock that others give. What stops it never throws: a clock whose timers cannot be stopped has no say over
 * a call that has its answer.
 */
export function timerOf(clock: Pick<Clock, "timer">, ms: number, done: () => void): () => void {
  const stop = clock.timer(ms, done);
  return () => {
    try {
      stop();
    } catch {}
  };
}
