/** Stores that a host can give to several toolkits as `state`. */
import type { State } from "../kernel/index.js";

/**
 * The state in this process, for several toolkits that share it or follow each other. The caller closes it.
 */
export async function openMemoryState(): Promise<State> {
  const [{ systemClock, systemIds }, { memoryState }] = await Promise.all([
    import("../host/index.js"),
    import("../stores/memory/index.js"),
  ]);
  return memoryState({ ids: systemIds, now: systemClock.now });
}

/**
 * The state in a state directory, which any number of processes may use at once. The caller closes it.
 *
 * @param stateDir - Default: as for `stateDir` of `createToolkit`.
 * @throws `STORE_NEWER` for a directory that a newer version has written.
 */
export async function openFileState(stateDir?: string): Promise<State> {
  const { fileLocks, fileState, openStateDirectory } = await import("../stores/files/index.js");
  const state = openStateDirectory(stateDir);
  return fileState({ state, locks: fileLocks(state) });
}
