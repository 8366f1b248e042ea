/** The time and the end of one exchange: everything that waits in it waits no longer than this. */
import { HaftError } from "../../kernel/index.js";

export class HttpExchange {
  readonly #failure: Promise<never>;
  #reject: (error: HaftError) => void = () => {};
  #error: HaftError | undefined;
  /** Made where one is needed: it costs as much as all the rest here. */
  #control: AbortController | undefined;
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #unfollow: (() => void)[] = [];
  #leftMs: number;
  #startedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The one that is in use, closed when the time is over or the caller cancels. */
  connection: { destroy(why: () => Error): void } | undefined;

  /** @param signals - That of the caller, and that of the port. Each gets a listener for every request at once. */
  constructor(url: string, timeoutMs: number, signals: readonly (AbortSignal | undefined)[]) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#leftMs = timeoutMs;
    this.#failure = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#failure.catch(() => {});
    for (const signal of signals) {
      if (signal === undefined) continue;
      const onAbort = () => this.#fail(cancelled(url, signal.reason));
      signal.addEventListener("abort", onAbort, { once: true });
      this.#unfollow.push(() => signal.removeEventListener("abort", onAbort));
      if (signal.aborted) onAbort();
    }
    this.#start();
  }

  /** What the caller gets once the time is over or the caller has cancelled, whatever else has failed because of it. */
  get error(): HaftError | undefined {
    return this.#error;
  }

  /** Fires with that error. */
  get signal(): AbortSignal {
    if (this.#control === undefined) {
      this.#control = new AbortController();
      if (this.#error !== undefined) this.#control.abort(this.#error);
    }
    return this.#control.signal;
  }

  requireLive(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Settles with `work`, or rejects with `error` if that comes first. */
  async within<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.#failure, work]);
  }

  /** The same for what may wait for a user, which does not count as time of the exchange. */
  async outsideTime<T>(work: () => Promise<T>): Promise<T> {
    this.requireLive();
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
    if (this.#error !== undefined) return;
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
    if (this.#error !== undefined) return;
    this.#error = error;
    this.end();
    this.#reject(error);
    this.#control?.abort(error);
    this.connection?.destroy(() => error);
  }
}

/** The pipeline aborts with an error of its own where the reason is not the caller. */
function cancelled(url: string, reason: unknown): HaftError {
  if (HaftError.is(reason)) return reason;
  return new HaftError("CALL_CANCELLED", `Stopped the request to "${url}": it was cancelled.`);
}

function timedOut(url: string, timeoutMs: number): HaftError {
  const message = `Did not fetch "${url}": it was not complete within ${timeoutMs} ms. Try again later.`;
  return new HaftError("WEB_TIMEOUT", message, { details: { url, timeoutMs } });
}
