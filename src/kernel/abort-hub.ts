/**
 * One listener on a signal for any number of operations at once. A listener for each would be right as well, but Node takes
 * more than ten on one signal for a leak and warns.
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

  /** Calls back once when the signal fires, at once when it has. The returned function takes that back. */
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
