/** The state ports on a state directory: documents and approvals as files, sessions as their directories. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  type Approvals,
  closedState,
  type Documents,
  HaftError,
  type Locks,
  requireDocumentKey,
  type Sessions,
  type State,
} from "../../kernel/index.js";
import { compareUtf8 } from "../../text/index.js";
import { documentApprovals } from "../document-approvals.js";
import { type FileDocumentsOptions, fileDocuments } from "./file-documents.js";
import { fileName, LOCK_WAIT_MS } from "./file-store.js";
import { type FileSessions, fileSessions } from "./session-catalog.js";
import {
  createSessionRecord,
  namesIn,
  readSessionRecord,
  requireNoDamagedRecord,
  sessionVersion,
  touchSessionRecord,
} from "./session-record.js";
import { realStatePath, type StateDirectory, stateProblem, unwritable } from "./state-directory.js";

export interface FileStateOptions {
  readonly state: StateDirectory;
  readonly locks: Locks;
  /** Default: the sessions of the state directory. */
  readonly sessions?: Pick<FileSessions, "end" | "expire">;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

/**
 * The state in a state directory, which any number of processes may use at once. Documents are in `documents`, pending approvals
 * in `approvals`, what was approved for a project in `approved`, and all that belongs to a session in its directory.
 */
export function fileState(options: FileStateOptions): State {
  const { state, locks, now = Date.now } = options;
  const sessions = options.sessions ?? fileSessions({ state, now });
  let isClosed = false;
  const requireOpen = (): void => {
    if (isClosed) throw closedState();
  };
  const documentsAt = (place: readonly string[], more: Pick<FileDocumentsOptions, "isLive" | "damaged"> = {}) =>
    fileDocuments({ state, place, locks, requireOpen, ...more });
  const ofSession = (id: string, version: string | undefined, ...names: readonly string[]): Documents => {
    const versionIn = sessionVersion(directoryOf(id));
    const isLive = () => versionIn() === version;
    return documentsAt([...placeOf(id), ...names], version === undefined ? {} : { isLive, damaged: "set-aside" });
  };
  const directoryOf = (id: string): string => join(state.path, ...placeOf(id));
  return {
    shared: true,
    directories: [state.path, realStatePath(state.path)],
    documents(collection, session) {
      if (session === undefined) return documentsAt(["documents", fileName(collection)]);
      return ofSession(session.id, session.version, "documents", fileName(collection));
    },
    sessions: sessionsOf({ state, locks, sessions, now, requireOpen }),
    approvals: approvalsOf(),
    problem: async () => (isClosed ? "the state was closed" : stateProblem(state)),
    async close() {
      isClosed = true;
    },
  };

  function approvalsOf(): Approvals {
    const projects = documentsAt(["approved"]);
    return documentApprovals({
      requests: documentsAt(["approvals"], { damaged: "skip" }),
      remembered: (scope) =>
        "session" in scope
          ? { documents: ofSession(scope.session, scope.version), key: "approved" }
          : { documents: projects, key: scope.project },
      now,
    });
  }
}

/** Deletes what was approved for projects. @returns For how many. @throws `STORE_UNWRITABLE`, `STORE_NEWER` */
export function forgetApprovedProjects(state: StateDirectory): number {
  state.check();
  const directory = join(state.path, "approved");
  const count = namesIn(directory).length;
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    throw unwritable(directory, error);
  }
  return count;
}

interface SessionParts extends Required<Omit<FileStateOptions, "now">> {
  now(): number;
  requireOpen(): void;
}

/** The records of sessions, each in its directory. */
function sessionsOf({ state, locks, sessions, now, requireOpen }: SessionParts): Sessions {
  const directoryOf = (id: string): string => join(state.path, ...placeOf(id));
  /** Opening and ending one version of a session exclude each other. */
  const locked = <T>(directory: string, body: () => T): Promise<T> =>
    locks.hold(`session:${directory}`, { timeoutMs: LOCK_WAIT_MS }, async () => body());
  return {
    async open(id, about = {}) {
      requireOpen();
      requireDocumentKey(id);
      const directory = directoryOf(id);
      sessions.expire(id);
      const found = readSessionRecord(directory);
      if (found !== undefined) return found;
      return locked(directory, () => {
        requireNoDamagedRecord(directory, id);
        try {
          state.directory(...placeOf(id));
          const record = {
            id,
            isTemporary: about.isTemporary === true,
            ...(about.owner === undefined ? {} : { owner: about.owner }),
          };
          return readSessionRecord(directory) ?? createSessionRecord(directory, record, now());
        } catch (error) {
          throw HaftError.is(error) ? error : unwritable(directory, error);
        }
      });
    },
    async touch(id) {
      requireOpen();
      return touchSessionRecord(directoryOf(id), now());
    },
    async *list({ owner } = {}) {
      requireOpen();
      const root = join(state.path, "sessions");
      const found = namesIn(root).flatMap((name) => readSessionRecord(join(root, name)) ?? []);
      for (const one of found.sort((a, b) => compareUtf8(a.id, b.id)))
        if (owner === undefined || one.owner === owner) yield one;
    },
    async end(id, version) {
      requireOpen();
      const end = (): boolean => {
        const record = readSessionRecord(directoryOf(id));
        if (version !== undefined && record?.version !== version) return false;
        return sessions.end(id);
      };
      return version === undefined ? end() : locked(directoryOf(id), end);
    },
  };
}

const placeOf = (id: string): readonly string[] => ["sessions", fileName(id)];
