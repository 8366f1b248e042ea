/** How long one caller waits for a lock. */
import { setTimeout as pause } from "node:timers/promises";
import { HaftError, type Io, MAX_TIMER_MS } from "../../kernel/index.js";

/** How long one caller waits: its signal and its time limit. */
export class LockDeadline {
  readonly #startedMs = performance.now();

  constructor(
    readonly key: string,
    readonly io: Io,
  ) {}

  check(holder: string): void {
    if (this.io.signal?.aborted) {
      throw new HaftError("CALL_CANCELLED", `Stopped waiting for the lock "${this.key}": the call was cancelled.`);
    }
    const waitedMs = Math.round(performance.now() - this.#startedMs);
    if (this.io.timeoutMs === undefined || waitedMs < this.io.timeoutMs) return;
    throw new HaftError(
      "STORE_CONFLICT",
      `Did not get the lock "${this.key}": ${holder} has held it for the ${waitedMs} ms that this call waited. Try again later.`,
      { details: { key: this.key, waitedMs, holder } },
    );
  }

  async sleep(ms: number, holder: string): Promise<void> {
    this.check(holder);
    await pause(ms);
    this.check(holder);
  }

  /** Waits for `done`, which never rejects, or until the deadline. */
  async until(done: Promise<void>, holder: string): Promise<void> {
    // A timer may fire slightly early, and cannot be longer than `MAX_TIMER_MS`.
    while (!(await this.#isDoneInTime(done, holder)));
  }

  async #isDoneInTime(done: Promise<void>, holder: string): Promise<boolean> {
    this.check(holder);
    const stop = new AbortController();
    const leftMs = (this.io.timeoutMs ?? MAX_TIMER_MS) - (performance.now() - this.#startedMs);
    const timeout = pause(Math.min(Math.max(1, leftMs), MAX_TIMER_MS), undefined, { signal: stop.signal, ref: false });
    const onAbort = (): void => stop.abort();
    this.io.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([done.then(() => true), timeout.then(notYet, notYet)]);
    } finally {
      this.io.signal?.removeEventListener("abort", onAbort);
      stop.abort();
    }
  }
}

const notYet = (): boolean => false;
