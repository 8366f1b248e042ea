/** The calls that a server is answering, so that its end can be theirs too. */

/** Milliseconds that running calls have to end by themselves once the server stops. Clients kill a server 2 s after they signalled it. */
const GRACE_MS = 1_000;
/** Milliseconds that they have to end and to be answered after they were cancelled. A tool is left behind after 6 s. */
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

  /** Whether the server is stopping: what comes now is not begun. */
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
        // Once those who wait for the call have put its answer on the wire.
        if (this.#stopping && this.#running.size === 0) setImmediate(() => this.#onNone?.());
      },
    };
  }

  /** Lets what runs end for a second, then cancels it; resolves once each call was answered, or 8 s later. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#none(GRACE_MS);
    for (const one of this.#running) one.abort();
    await this.#none(RESPONSE_TIMEOUT_MS);
  }

  /** Resolves once none runs, or after `withinMs`. */
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
