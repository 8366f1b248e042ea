import type { Clock } from "../../kernel/index.js";

/** A clock that a test advances. */
export interface FakeClock extends Clock {
  /**
   * Advances by `ms`: due timers are called in the order of their times, and promises that wait for them are settled before
   * the next one.
   */
  advance(ms: number): Promise<void>;
  /** The number of pending timers. */
  readonly waiting: number;
}

/** How often pending promises are settled, so that code woken by a timer can set its next timer. */
const TURNS = 100;

/** A clock for tests. Starts at `startMs` since the epoch, by default on 2001-09-09. */
export function fakeClock(startMs = 1_000_000_000_000): FakeClock {
  const timers = new Set<{ readonly at: number; readonly done: () => void }>();
  let now = startMs;
  const nextUntil = (end: number) =>
    [...timers]
      .filter((timer) => timer.at <= end)
      .reduce<{ at: number; done: () => void } | undefined>(
        (first, one) => (first === undefined || one.at < first.at ? one : first),
        undefined,
      );
  return {
    now: () => now,
    timer(ms, done) {
      const timer = { at: now + Math.max(0, ms), done };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    get waiting() {
      return timers.size;
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        now = timer.at;
        timer.done();
        await settle();
      }
      now = end;
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await null;
}
