import type { BoundCall } from "../backend.js";
import { HaftError } from "../errors.js";
import type { Io } from "../fs.js";
import { MAX_TIMER_MS } from "../port-defaults.js";
import type { Clock } from "../services.js";

/** Milliseconds of matching between two pauses. */
const PAUSE_EVERY_MS = 25;

/** What ends a search, and lets the end come through. */
export interface SearchStop {
  readonly signal: AbortSignal;
  /** Waits for what is due, when 25 ms have passed since it last did. */
  pause(): Promise<void>;
  isPauseDue(): boolean;
  release(): void;
}

/**
 * One signal for all that ends a search: the query's own, the call's, and both time limits; a time limit gives the reason
 * `CALL_TIMEOUT`. `release` once the search has ended.
 */
export function searchStop(io: Io, call: Pick<BoundCall, "signal" | "deadline">, clock: Clock): SearchStop {
  const controller = new AbortController();
  const limitMs = Math.min(io.timeoutMs ?? Number.POSITIVE_INFINITY, call.deadline - clock.now());
  const onTime = (): void =>
    controller.abort(
      new HaftError("CALL_TIMEOUT", "The search ran out of time.", { details: { deadlineMs: limitMs } }),
    );
  const stopTimer = limitMs > MAX_TIMER_MS ? () => {} : clock.timer(Math.max(0, limitMs), onTime);
  const signals = [io.signal, call.signal].filter((one) => one !== undefined);
  const forward = (event: Event): void => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener("abort", forward, { once: true });
  }
  let pausedMs = clock.now();
  const isPauseDue = (): boolean => clock.now() - pausedMs >= PAUSE_EVERY_MS;
  return {
    signal: controller.signal,
    isPauseDue,
    async pause() {
      if (!isPauseDue()) return;
      await new Promise<void>((done) => void clock.timer(0, done));
      pausedMs = clock.now();
    },
    release() {
      stopTimer();
      for (const signal of signals) signal.removeEventListener("abort", forward);
    },
  };
}
