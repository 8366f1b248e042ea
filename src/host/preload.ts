/** Loads code before it is needed. Node.js 20 remembers a failed `import()` for good, also one that found no free descriptor. */
import { readFileSync } from "node:fs";

/** A process that may open fewer files can run out of them in its first calls. */
const FEW_FILES = 512;
/** Long enough for a command line to be done, and for a server to have answered its client's first questions. */
const LATER_MS = 1_000;

/**
 * Starts the loaders: at once where this process may have only few files open, else one second later, in the background, so
 * that no start waits for them. What is not installed is reported by the call that needs it.
 *
 * @returns Settles when a first call may run. Never rejects.
 */
export async function preload(loaders: readonly (() => Promise<unknown>)[]): Promise<void> {
  const loadAll = () => Promise.allSettled(loaders.map((load) => load()));
  if (openFilesLimit() < FEW_FILES) await loadAll();
  else setTimeout(loadAll, LATER_MS).unref();
}

/** Infinite where the system does not say. Node.js has raised the soft limit to the hard one when it started. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return Number(soft ?? Infinity);
  } catch {
    return Infinity;
  }
}
