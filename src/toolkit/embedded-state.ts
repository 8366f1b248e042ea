/** The state that a host has without being given one: a database in its state directory, or files where nothing opens databases. */
import type { Locks, State } from "../kernel/index.js";
import type { FileSessions, StateDirectory } from "../stores/files/index.js";
import type { SqlState } from "../stores/sql/index.js";

export interface EmbeddedStateOptions {
  readonly directory: StateDirectory;
  readonly locks: Locks;
  /** The directories of the sessions: their artifacts, and the marks of processes that have them open. */
  readonly sessions: FileSessions;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

export interface EmbeddedState {
  readonly state: State;
  /** Whether this process has read or stored something in it. */
  isUsed(): boolean;
  /** After sessions were removed for their age: what the state has of such sessions goes too. Never rejects. */
  endIdle(): Promise<void>;
  /** Deletes what was approved for projects. Returns for how many. */
  forgetApprovedProjects(): Promise<number>;
}

/** Opens nothing. @throws `CONFIG_MISSING_PACKAGE` for a directory whose state is in a database that cannot be opened here. */
export async function embeddedState(options: EmbeddedStateOptions): Promise<EmbeddedState> {
  const { sqliteDriver, sqliteState } = await import("../stores/sqlite/index.js");
  const driver = sqliteDriver();
  if (driver === undefined) return stateInFiles(options);
  const [{ DATABASE_FILE, filesToMove, realStatePath, stateProblem }, { replaceRows }] = await Promise.all([
    import("../stores/files/index.js"),
    import("../stores/sql/index.js"),
  ]);
  const { directory, sessions, now } = options;
  const files = filesToMove(directory.path);
  const state = sqliteState({
    driver,
    path: `${directory.path}/${DATABASE_FILE}`,
    directories: [directory.path, realStatePath(directory.path)],
    ...(now === undefined ? {} : { now }),
    isHeld: sessions.isHeld,
    requireFree: sessions.requireSound,
    hasMore: files.isThere,
    beforeOpen() {
      directory.directory();
      files.forbidFiles();
    },
    beforeChange: directory.check,
    async takeOver(sql) {
      const moved: string[] = [];
      const documents = function* () {
        for (const one of files.documents()) {
          moved.push(one.path);
          yield one;
        }
      };
      // A process of an older version may have been about to write when files were forbidden.
      for (let before = "", after = files.digest(); before !== after; after = files.digest()) {
        before = after;
        moved.length = 0;
        await replaceRows(sql, files.sessions(), documents());
      }
      return () => files.remove(moved);
    },
  });
  return {
    state: {
      ...state,
      sessions: sessionsWithFiles(state, sessions),
      problem: async () => stateProblem(directory) ?? (await state.problem()),
    },
    isUsed: state.isOpen,
    forgetApprovedProjects: async () => (state.exists() || files.isThere() ? state.forgetApprovedProjects() : 0),
    endIdle: () => state.sessions.endIdle().catch(() => {}),
  };
}

/** A session ends with its directory. Where a process dies between the two, the directory goes when the next session of its name begins, or when it is idle. */
function sessionsWithFiles({ sessions }: SqlState, files: FileSessions): State["sessions"] {
  return {
    ...sessions,
    async end(id, version) {
      const isEnded = await sessions.end(id, version);
      const hadFiles = files.end(id, version);
      return isEnded || hadFiles;
    },
  };
}

async function stateInFiles({ directory, ...options }: EmbeddedStateOptions): Promise<EmbeddedState> {
  const { fileState, forgetApprovedProjects } = await import("../stores/files/index.js");
  return {
    state: fileState({ state: directory, ...options }),
    isUsed: () => true,
    endIdle: async () => {},
    forgetApprovedProjects: async () => forgetApprovedProjects(directory),
  };
}
