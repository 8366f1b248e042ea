/** The calls that a server is answering, so that its end can be theirs too. */

export interface RunningCall {
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

  /** Cancels what runs; resolves once each call was answered, or after `withinMs`. Idempotent. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    for (const one of this.#running) one.abort();
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
