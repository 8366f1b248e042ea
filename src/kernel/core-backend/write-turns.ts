/** Writers of one path take turns in this process, and every change of a path made here is counted. */
export class WriteTurns {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #counts = new Map<string, number>();

  async take<T>(path: string, body: () => Promise<T>): Promise<T> {
    const before = this.#last.get(path) ?? Promise.resolve();
    const own = before.then(body, body);
    const settled = own.catch(() => {});
    this.#last.set(path, settled);
    try {
      return await own;
    } finally {
      if (this.#last.get(path) === settled) this.#last.delete(path);
    }
  }

  changed(path: string): void {
    this.#counts.set(path, this.countOf(path) + 1);
  }

  countOf(path: string): number {
    return this.#counts.get(path) ?? 0;
  }
}
