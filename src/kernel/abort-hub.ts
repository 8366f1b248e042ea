/**
 * One listener on a signal for any number of operations. With a listener for each, Node.js would warn of a leak beyond ten.
 */
export class AbortHub {
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<() => void>();
  readonly #notify = (): void => {
    for (const listener of [...this.#listeners]) listener();
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get aborted(): boolean {
    return this.#signal.aborted;
  }

  /** Calls back once when the signal fires, or at once if it has. Returns a function that unsubscribes. */
  on(listener: () => void): () => void {
    if (this.#signal.aborted) {
      listener();
      return () => {};
    }
    if (this.#listeners.size === 0) this.#signal.addEventListener("abort", this.#notify, { once: true });
    const own = () => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#signal.removeEventListener("abort", this.#notify);
    };
  }
}
