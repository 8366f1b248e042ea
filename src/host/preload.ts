/** Loads code before it is needed. Node.js 20 caches a failed `import()` forever, even one that failed for lack of a descriptor. */
import { readFileSync } from "node:fs";

/** A process with a lower limit of open files can reach it in its first calls. */
const FEW_FILES = 512;
/** Long enough for a CLI call to finish, and for a server to answer its client's first requests. */
const LATER_MS = 1_000;

/**
 * Starts the loaders: at once if the limit of open files is low, else one second later in the background, so that startup
 * does not wait. A missing package is reported by the call that needs it.
 *
 * @returns Settles when a first call may run. Never rejects.
 */
export async function preload(loaders: readonly (() => Promise<unknown>)[]): Promise<void> {
  const loadAll = () => Promise.allSettled(loaders.map((load) => load()));
  if (openFilesLimit() < FEW_FILES) await loadAll();
  else setTimeout(loadAll, LATER_MS).unref();
}

/** Infinite if the system does not report it. Node.js raises the soft limit to the hard limit on startup. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return Number(soft ?? Infinity);
  } catch {
    return Infinity;
  }
}
