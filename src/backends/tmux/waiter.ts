/** Sleeps until it is woken. */
export class Waiter {
  #wake: (() => void) | undefined;
  #isWoken = false;

  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async next(ms: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isWoken = false;
  }
}
