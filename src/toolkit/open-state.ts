/** Stores that a host can give to several toolkits as `state`. */
import { HaftError, type State } from "../kernel/index.js";
import type { FileSessions, StateDirectory } from "../stores/files/index.js";

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
 * The state in the files of a state directory, which any number of processes may use at once. It has no memories and no schedules.
 * The caller closes it.
 *
 * @param stateDir - Default: as for `stateDir` of `createToolkit`.
 * @throws `STORE_NEWER` for a directory that a newer version has written, and for one whose state is in SQLite.
 */
export async function openFileState(stateDir?: string): Promise<State> {
  const { fileLocks, fileState, openStateDirectory } = await import("../stores/files/index.js");
  const state = openStateDirectory(stateDir, "files");
  return fileState({ state, locks: fileLocks(state) });
}

/**
 * The state in a SQLite database, which any number of processes of this machine may use at once. Nothing is created until something
 * is stored. The caller closes it.
 *
 * @param path - The file of the database, created with mode 0600 in a directory that is there. File tools reach neither it nor the
 *   files that SQLite has beside it. Default: the state that a toolkit has without `state`, in the state directory that the
 *   environment names; what files hold there is moved into it.
 * @throws `CONFIG_MISSING_PACKAGE` where nothing opens SQLite databases: Node.js is older than 22.13, and `libsql` is not installed.
 *   `STORE_NEWER` for a state directory that a newer version has written.
 */
export async function openSqliteState(path?: string): Promise<State> {
  const [{ sqliteDriver, sqliteState }, { NO_SQLITE }] = await Promise.all([
    import("../stores/sqlite/index.js"),
    import("../host/index.js"),
  ]);
  const driver = sqliteDriver();
  if (driver === undefined)
    throw new HaftError("CONFIG_MISSING_PACKAGE", `Did not open a SQLite database: ${NO_SQLITE}.`, {
      details: { package: "libsql" },
    });
  if (path === undefined) return (await openEmbedded()).state;
  return sqliteState({ driver, path });
}

/**
 * The state that a host has without being given one, and the directory that holds it.
 *
 * @param store - The URL of the database that hosts share: the state is then there.
 */
export async function openEmbedded(
  stateDir?: string,
  store?: string,
): Promise<{
  readonly state: State;
  readonly directory: StateDirectory;
  readonly sessions: FileSessions;
  /** As of `EmbeddedState`. */
  forgetApprovedProjects(): Promise<number>;
}> {
  const [{ fileLocks, fileSessions, openStateDirectory }, { embeddedState }] = await Promise.all([
    import("../stores/files/index.js"),
    import("./embedded-state.js"),
  ]);
  const directory = openStateDirectory(stateDir);
  const sessions = fileSessions({ state: directory });
  if (store !== undefined) {
    const { postgresState } = await import("../stores/postgres/index.js");
    const state = postgresState({ url: store });
    return { state, directory, sessions, forgetApprovedProjects: state.forgetApprovedProjects };
  }
  const { state, forgetApprovedProjects } = await embeddedState({ directory, sessions, locks: fileLocks(directory) });
  return { state, directory, sessions, forgetApprovedProjects };
}
