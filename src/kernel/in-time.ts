/** Bounds what a call waits for beside its tool and a person: none of it may hold the call for ever. */
import { type CallRun, cancelledUnbegun, type Ending, ended } from "./call-run.js";
import { DEFAULT_DEADLINE_MS } from "./deadline.js";
import { isPromise } from "./promise-like.js";
import { fail } from "./result.js";
import type { Clock } from "./services.js";
import { timerOf } from "./timer-of.js";

/** What a bounded wait is made of. */
export interface Bound {
  readonly clock: Pick<Clock, "timer">;
  readonly ms: number;
  /** Ends the wait too. Absent: only the time does. */
  readonly signal?: AbortSignal;
}

/**
 * What `work` comes to, or what `otherwise` gives when the time is up or the signal fires before that; a signal that had
 * fired already does not count. What `work` gives at once is passed on, without a timer: most calls wait for nothing here.
 */
export async function within<T>(
  { clock, ms, signal }: Bound,
  work: () => T | PromiseLike<T>,
  otherwise: (why: "late" | "cancelled") => T,
): Promise<T> {
  const wasAborted = signal?.aborted === true;
  const begun = work();
  if (!isPromise(begun)) return begun;
  // Not a race: that costs a call some two thousand bytes more each time.
  return new Promise<T>((done, failed) => {
    let stopTimer = () => {};
    const release = () => {
      stopTimer();
      signal?.removeEventListener("abort", cancelled);
    };
    const stop = (why: "late" | "cancelled") => {
      release();
      try {
        done(otherwise(why));
      } catch (thrown) {
        failed(thrown);
      }
    };
    const cancelled = () => stop("cancelled");
    // Not its own `then`: what others give may come at once to something that never comes.
    Promise.resolve(begun).then(
      (value) => {
        release();
        done(value);
      },
      (thrown: unknown) => {
        release();
        failed(thrown);
      },
    );
    if (signal?.aborted === true && !wasAborted) return cancelled();
    stopTimer = timerOf(clock, ms, () => stop("late"));
    signal?.addEventListener("abort", cancelled, { once: true });
  });
}

/** What `work` comes to, or the ending of a call that was cancelled, or waited 30 s, before that. */
export async function inTime(run: CallRun, work: () => Promise<Ending | undefined>): Promise<Ending | undefined> {
  const { signal, host } = run.context;
  const { name } = run.tool;
  const late = `Stopped \`${name}\` before it began: what it would touch was not known within ${DEFAULT_DEADLINE_MS} ms.`;
  return within({ clock: host.clock, ms: DEFAULT_DEADLINE_MS, signal }, work, (why) =>
    why === "cancelled" ? cancelledUnbegun(run.tool.name) : ended("timed-out", fail("CALL_TIMEOUT", late)),
  );
}
