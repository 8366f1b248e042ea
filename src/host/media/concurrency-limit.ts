/** Limits concurrent work; the rest waits in order of arrival. */
export class ConcurrencyLimit {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Waits for a slot. Rejects with the signal's reason if it fires first. @returns A function that releases the slot, once. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const free = this.takeFree();
    if (free !== undefined) return free;
    await this.#wait(signal);
    return this.#slot();
  }

  /** A slot that is free now. @returns As `take`; undefined if it would have to wait. */
  takeFree(): (() => void) | undefined {
    if (this.#free === 0) return undefined;
    this.#free--;
    return this.#slot();
  }

  #slot(): () => void {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(go);
    });
  }
}
