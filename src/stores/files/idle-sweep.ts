/** Ends idle sessions in slices between other work, because a state directory may hold thousands of them. */
import { readdir } from "node:fs/promises";

/** Milliseconds between two sweeps. */
const SWEEP_EVERY_MS = 60_000;
/** Milliseconds of work before other work gets its turn. */
const SLICE_MS = 5;

export interface IdleSweepOptions {
  /** The directory with the sessions. */
  readonly root: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Once before anything is removed. @throws `STORE_NEWER` */
  check(): void;
  /** Removes what is stored under this name if its session is idle, and says whether. What it throws is ignored: the next write reports it. */
  removeIfIdle(name: string): boolean;
  /** At the end of a sweep that has removed something. */
  onRemoved(): void;
}

/** At most one sweep a minute; a process that ends before a sweep does leaves the rest to others. */
export class IdleSweep {
  readonly #options: IdleSweepOptions;
  #startedMs: number | undefined;
  #isStopped = false;

  constructor(options: IdleSweepOptions) {
    this.#options = options;
  }

  /** Looks at every session, unless that was done within the last minute. @throws `STORE_NEWER` */
  async run(): Promise<void> {
    const { root, now, check, removeIfIdle, onRemoved } = this.#options;
    const nowMs = now();
    if (this.#isStopped || (this.#startedMs !== undefined && nowMs - this.#startedMs < SWEEP_EVERY_MS)) return;
    this.#startedMs = nowMs;
    check();
    const names = await readdir(root).catch(() => []);
    // Short-lived processes see only the beginning, so each begins elsewhere.
    const first = Math.floor(Math.random() * names.length);
    let sliceMs = performance.now();
    let hasRemoved = false;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      if (this.#isStopped) return;
      try {
        hasRemoved = removeIfIdle(name) || hasRemoved;
      } catch {}
      if (performance.now() - sliceMs < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceMs = performance.now();
    }
    if (hasRemoved) onRemoved();
  }

  stop(): void {
    this.#isStopped = true;
  }
}
