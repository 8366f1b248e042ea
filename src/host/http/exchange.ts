/** The time and the end of one exchange: everything that waits in it waits no longer than this. */
import { setMaxListeners } from "node:events";
import { HaftError } from "../../kernel/index.js";

export class Exchange {
  readonly #control = new AbortController();
  readonly #aborted: Promise<never>;
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #unfollow: (() => void)[] = [];
  #leftMs: number;
  #startedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The one that is in use, closed when the signal fires. */
  connection: { destroy(reason: Error): void } | undefined;

  /** @param signals - That of the caller, and that of the port. */
  constructor(url: string, timeoutMs: number, signals: readonly (AbortSignal | undefined)[]) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#leftMs = timeoutMs;
    this.#aborted = new Promise((_, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason), { once: true });
    });
    this.#aborted.catch(() => {});
    for (const signal of signals) {
      if (signal === undefined) continue;
      setMaxListeners(0, signal); // one for each request at once
      const onAbort = () => this.#fail(cancelled(url, signal.reason));
      signal.addEventListener("abort", onAbort, { once: true });
      this.#unfollow.push(() => signal.removeEventListener("abort", onAbort));
      if (signal.aborted) onAbort();
    }
    this.#start();
  }

  /** Fires with the error that the caller gets, when the time is over or the caller cancels. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Settles with `work`, or rejects with the error of the signal if that fires first. */
  async within<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.#aborted, work]);
  }

  /** The same for what may wait for a user, which does not count as time of the exchange. */
  async outsideTime<T>(work: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    this.#stop();
    try {
      return await this.within(work());
    } finally {
      this.#start();
    }
  }

  /** No timer and no listener is left behind. */
  end(): void {
    this.#stop();
    for (const unfollow of this.#unfollow.splice(0)) unfollow();
  }

  #start(): void {
    if (this.signal.aborted) return;
    this.#startedMs = performance.now();
    this.#timer = setTimeout(() => this.#fail(timedOut(this.#url, this.#timeoutMs)), this.#leftMs);
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs = Math.max(1, this.#leftMs - (performance.now() - this.#startedMs));
  }

  #fail(error: HaftError): void {
    this.end();
    this.#control.abort(error);
    this.connection?.destroy(error);
  }
}

/** The pipeline aborts with an error of its own where the reason is not the caller. */
function cancelled(url: string, reason: unknown): HaftError {
  if (HaftError.is(reason)) return reason;
  return new HaftError("CALL_CANCELLED", `Stopped the request to "${url}": it was cancelled.`);
}

function timedOut(url: string, timeoutMs: number): HaftError {
  const message = `Did not fetch "${url}": it was not complete within ${timeoutMs} ms. Set a larger timeout, or try again later.`;
  return new HaftError("WEB_TIMEOUT", message, { details: { url, timeoutMs } });
}
