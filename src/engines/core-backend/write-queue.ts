/** Paths share counters by their hash, so that any number of changed paths takes the same memory. */
const COUNTERS = 4_096;

/**
 * Writers of one path take turns in this process, and the changes made here are counted. Two paths may share a counter: a
 * change of the one then counts for the other too, which costs its writer another look and never hides a change.
 */
export class WriteQueue {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #counts = new Uint32Array(COUNTERS);

  /** Runs `body` once those that came before for this path have ended, however they ended. */
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
    this.#counts[counterOf(path)] = this.countOf(path) + 1;
  }

  countOf(path: string): number {
    return this.#counts[counterOf(path)] ?? 0;
  }
}

function counterOf(path: string): number {
  let hash = 0;
  for (let index = 0; index < path.length; index++) hash = (Math.imul(hash, 31) + path.charCodeAt(index)) | 0;
  return (hash >>> 0) % COUNTERS;
}
