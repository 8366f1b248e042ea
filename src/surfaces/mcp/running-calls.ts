/** The running calls of a server, which end with it. */

/** Milliseconds for running calls to end by themselves once the server stops. Clients kill a server 2 s after SIGTERM. */
const GRACE_MS = 1_000;
/** Milliseconds for cancelled calls to end and to be answered. A tool is abandoned after `ABANDON_AFTER_MS`. */
const RESPONSE_TIMEOUT_MS = 8_000;

interface RunningCall {
  /** Fires when the request is cancelled and when the server stops. */
  readonly signal: AbortSignal;
  /** The call was answered. */
  done(): void;
}

export class RunningCalls {
  readonly #running = new Set<AbortController>();
  #stopping = false;
  #onNone: (() => void) | undefined;

  /** Whether the server is stopping: new calls are not started. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  get count(): number {
    return this.#running.size;
  }

  begin(request: AbortSignal): RunningCall {
    const stop = new AbortController();
    const cancel = (): void => stop.abort(request.reason);
    if (request.aborted || this.#stopping) stop.abort();
    else request.addEventListener("abort", cancel, { once: true });
    this.#running.add(stop);
    return {
      signal: stop.signal,
      done: () => {
        request.removeEventListener("abort", cancel);
        this.#running.delete(stop);
        // After the result of the call has been sent.
        if (this.#stopping && this.#running.size === 0) setImmediate(() => this.#onNone?.());
      },
    };
  }

  /** Waits `GRACE_MS` for running calls, then cancels them; resolves once each was answered, or `RESPONSE_TIMEOUT_MS` later. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#none(GRACE_MS);
    for (const one of this.#running) one.abort();
    await this.#none(RESPONSE_TIMEOUT_MS);
  }

  /** Resolves once no call runs, or after `timeoutMs`. */
  #none(timeoutMs: number): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
