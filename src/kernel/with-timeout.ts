/** Bounds what a call waits for beside its tool and a user: none of it may hold the call for ever. */
import type { Clock } from "./services.js";

/** What a bounded wait is made of. */
export interface Bound {
  readonly clock: Pick<Clock, "timer">;
  readonly ms: number;
  /** Ends the wait too. Absent: only the time does. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `work` comes to, or what `otherwise` gives when the time is up or the signal fires before that; a signal that had
 * fired already does not count. What `work` gives at once is passed on, without a timer: most calls wait for nothing here.
 */
export async function withTimeout<T>(
  { clock, ms, signal }: Bound,
  work: () => T | PromiseLike<T>,
  otherwise: (why: "late" | "cancelled") => T,
): Promise<T> {
  const wasAborted = signal?.aborted === true;
  const begun = work();
  if (!isPromise(begun)) return begun;
  // Not a race: that costs a call some two thousand bytes more each time.
  return new Promise<T>((resolve, reject) => {
    let stopTimer = () => {};
    const release = () => {
      stopTimer();
      signal?.removeEventListener("abort", cancelled);
    };
    const stop = (why: "late" | "cancelled") => {
      release();
      try {
        resolve(otherwise(why));
      } catch (thrown) {
        reject(thrown);
      }
    };
    const cancelled = () => stop("cancelled");
    begun.then(
      (value) => {
        release();
        resolve(value);
      },
      (thrown: unknown) => {
        release();
        reject(thrown);
      },
    );
    if (signal?.aborted === true && !wasAborted) return cancelled();
    stopTimer = clock.timer(ms, () => stop("late"));
    signal?.addEventListener("abort", cancelled, { once: true });
  });
}

/** Whether something has to be waited for. Parts that others give may answer at once or later. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** `next(value)`: at once for a value, later for a promise. Called once, even if the `then` of a tool's claims calls back twice. */
export function after<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}
