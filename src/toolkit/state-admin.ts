/** What is stored on disk beyond a process, for commands that look after it: sessions, artifacts, jobs, the audit log and the tokens of clients. */
import type { StoredJobs } from "../backends/local/index.js";
import { SESSION_IDLE_MS, type SessionInfo, type Sessions } from "../kernel/index.js";
import type { AuditReport, SessionUsage, StoredArtifacts, TokenStore } from "../stores/files/index.js";
import type { ChangedCalls } from "./changed-calls.js";
import { openPostgresState } from "./open-state.js";

/** Where state is stored. */
export interface StateAdminOptions {
  /** Default: as the environment says. */
  readonly stateDir?: string;
  /** The URL of the database that sessions and approvals are in. Default: they are in the state directory. */
  readonly store?: string;
}

/** Why nothing can be stored in a database at present, as a sentence; undefined where it can. */
export async function storeProblem(store: string): Promise<string | undefined> {
  const state = await openPostgresState(store);
  try {
    const problem = await state.problem();
    return problem && `the store is not usable: ${problem}. Calls that need it fail until it is.`;
  } finally {
    await state.close();
  }
}

/** What stops every call of a host with this state directory, as a sentence with the next step; undefined where state can be kept. */
export async function stateDirectoryProblem(options: StateAdminOptions = {}): Promise<string | undefined> {
  const { statePathOf, stateProblem: problemOf } = await import("../stores/files/index.js");
  const path = statePathOf(options.stateDir);
  const problem = problemOf({ path });
  return (
    problem &&
    `the state directory "${path}" is not usable: ${problem}. Every call fails until it is. Use a writable directory with \`--state DIR\` or the environment variable HAFT_STATE.`
  );
}

/** What is stored of a session. */
export interface StoredSession extends SessionUsage {
  readonly id: string;
  /** It has no name to resume it by. */
  readonly isTemporary: boolean;
  readonly createdMs: number;
  /** The end of its last call, to the minute. */
  readonly usedMs: number;
  readonly todoItems: number;
}

/** The sessions in the state directory, of this and other processes. Reading creates no files. */
export interface SessionAdmin {
  /** The last used first. */
  list(): Promise<readonly StoredSession[]>;
  /**
   * Deletes everything stored for a session, with its requests for approval; what its calls changed can still be undone. A process
   * that has it open detects that at its next call. False if there is none.
   */
  end(id: string): Promise<boolean>;
  /**
   * Ends the sessions that were not used for `idleMs` and that no process has open, and temporary ones whose process is gone.
   * Returns their ids. Default `SESSION_IDLE_MS`.
   */
  clean(idleMs?: number): Promise<readonly string[]>;
}

export async function sessionAdmin(options: StateAdminOptions = {}): Promise<SessionAdmin> {
  const [{ openEmbedded }, { todoItemsOf }, { systemClock }, { forgetRequests }] = await Promise.all([
    import("./open-state.js"),
    import("../stores/index.js"),
    import("../host/index.js"),
    import("./session-requests.js"),
  ]);
  const { store } = options;
  const { state, directory, sessions: files } = await openEmbedded(options.stateDir, store);
  /** What a session has on this machine beside its record. */
  const placeOf = (id: string, version: string) => (store === undefined ? id : `${id} ${version}`);
  const end = async (id: string, version?: string): Promise<boolean> => {
    const places = store === undefined ? [] : await storedPlaces(state.sessions, id, placeOf);
    const isEnded = await state.sessions.end(id, version);
    if (isEnded) for (const place of places) files.end(place);
    // Without a version there may be requests of a session that stored nothing else.
    const requests = isEnded || version === undefined ? await forgetRequests(state.approvals, id) : 0;
    return isEnded || requests > 0;
  };
  const list = async (): Promise<readonly (SessionInfo & StoredSession)[]> => {
    const found: (SessionInfo & StoredSession)[] = [];
    for await (const info of state.sessions.list()) {
      const todoItems = await todoItemsOf(state, info).catch(() => []);
      const usage = files.usageOf(placeOf(info.id, info.version));
      found.push({ ...info, ...usage, todoItems: todoItems.length });
    }
    return found.sort((one, other) => other.usedMs - one.usedMs);
  };
  return {
    list: async () => (await list()).map(({ version: _, ...one }) => one),
    end: (id) => end(id),
    async clean(idleMs = SESSION_IDLE_MS) {
      directory.check();
      const nowMs = systemClock.now();
      const ended: string[] = [];
      for (const { id, version, isTemporary, usedMs, openIn } of await list()) {
        // Another host may have a temporary one open.
        const leastMs = isTemporary && store === undefined ? 0 : idleMs;
        if (openIn.length > 0 || nowMs - usedMs <= leastMs) continue;
        if (await end(id, version)) ended.push(id);
      }
      return ended;
    },
  };
}

async function storedPlaces(
  sessions: Sessions,
  id: string,
  placeOf: (id: string, version: string) => string,
): Promise<readonly string[]> {
  for await (const one of sessions.list()) if (one.id === id) return [placeOf(id, one.version)];
  return [];
}

/** The artifacts of all sessions in the state directory, of this and other processes. Reading creates no files. */
export async function artifactAdmin(options: StateAdminOptions = {}): Promise<StoredArtifacts> {
  const { storedArtifacts: artifactsOf, openStateDirectory } = await import("../stores/files/index.js");
  return artifactsOf(openStateDirectory(options.stateDir));
}

/**
 * Writes a file of this machine, all of it or nothing.
 *
 * @param path - Absolute; a symlink is followed.
 * @param options.replace - An existing file is replaced and keeps its mode. Default false.
 * @throws `FS_STALE` if the path already exists, `FS_*`.
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  options: { readonly replace?: boolean } = {},
): Promise<void> {
  const { createLocalBackend } = await import("../backends/local/index.js");
  const backend = createLocalBackend({ watcher: false });
  try {
    await backend.root.fs.replaceAtomic(path, bytes, options.replace === true ? "any" : "absent");
  } finally {
    await backend.close();
  }
}

/** The background commands of this machine, of this and other processes. Reading creates no files. */
export async function jobAdmin(options: StateAdminOptions = {}): Promise<StoredJobs> {
  const [{ storedJobs }, { openStateDirectory }] = await Promise.all([
    import("../backends/local/index.js"),
    import("../stores/files/index.js"),
  ]);
  return storedJobs(openStateDirectory(options.stateDir).path);
}

/** The calls in the audit log of all processes, and where the log was changed. Reading creates no files. */
export async function auditAdmin(options: StateAdminOptions = {}): Promise<AuditReport> {
  const { openStateDirectory, readAudit } = await import("../stores/files/index.js");
  return readAudit(openStateDirectory(options.stateDir));
}

/** The calls that changed files, of all processes. Reading creates no files. */
export async function undoAdmin(options: StateAdminOptions = {}): Promise<ChangedCalls> {
  const [{ fileUndoLog, openStateDirectory }, { changedCalls }] = await Promise.all([
    import("../stores/files/index.js"),
    import("./changed-calls.js"),
  ]);
  return changedCalls({ undoLog: fileUndoLog(openStateDirectory(options.stateDir)) });
}

/** Deletes the old contents and records of what the calls of a session changed, so that they cannot be undone. @returns How many calls. */
export async function forgetChanges(session: string, options: StateAdminOptions = {}): Promise<number> {
  const { fileUndoLog, openStateDirectory } = await import("../stores/files/index.js");
  return fileUndoLog(openStateDirectory(options.stateDir)).forget(session);
}

/** The tokens that clients of `haft serve` show. Reading creates no files. */
export async function clientTokens(options: StateAdminOptions = {}): Promise<TokenStore> {
  const { fileLocks, fileTokens, openStateDirectory } = await import("../stores/files/index.js");
  const state = openStateDirectory(options.stateDir);
  return fileTokens(state, fileLocks(state));
}
