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
 * The state in a PostgreSQL database, which any number of hosts may use at once; it needs the package `pg`. Nothing is connected
 * before it is used. Its tables are made by the first use, in the schema of the connection's search path. The caller closes it.
 *
 * @param url - "postgres://USER:PASSWORD@HOST:PORT/DATABASE". What it leaves out comes from PGHOST, PGUSER, PGPASSWORD and the like.
 * @throws `CONFIG_INVALID` for another text. Its use rejects with `CONFIG_MISSING_PACKAGE` without `pg`, `STORE_UNWRITABLE` while
 *   the server is away, refuses the user or is read-only, and `STORE_NEWER` for tables of a newer version.
 */
export async function openPostgresState(url: string): Promise<State> {
  const { postgresState } = await import("../stores/postgres/index.js");
  return postgresState({ url });
}

/** What `haft doctor` says of a database. Its tables are made if they are not there. @throws As the use of `openPostgresState`. */
export async function inspectStore(
  url: string,
): Promise<{ readonly shown: string; readonly version: string; readonly latencyMs: number }> {
  const { inspectPostgres } = await import("../stores/postgres/index.js");
  return inspectPostgres(url);
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
