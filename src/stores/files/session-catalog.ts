/** The sessions of a state directory: opened by name, listed, ended, and expired when they are not used. */
import { randomBytes } from "node:crypto";
import { lstatSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Locks, SESSION_IDLE_MS } from "../../kernel/index.js";
import { fileName } from "./file-store.js";
import { IdleSweep } from "./idle-sweep.js";
import { ownProcessIdentity } from "./process-identity.js";
import { readIfThere } from "./replace-state-file.js";
import { holdersOf, namesIn, readSessionRecord } from "./session-record.js";
import { createFileSession, type FileSession } from "./session-state.js";
import { type StateDirectory, unwritable } from "./state-directory.js";

/** Where a directory goes before it is removed, so that it is gone at once. Names of sessions never begin with a dot. */
const BEING_REMOVED = ".ended-";

export interface FileSessionsOptions {
  readonly state: StateDirectory;
  readonly locks: Locks;
  /** Bytes that the artifacts of one session may take. Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

/** What is stored of a session. */
export interface StoredSession {
  readonly id: string;
  /** It has no name to resume it by. */
  readonly isTemporary: boolean;
  readonly createdMs: number;
  /** The end of its last call, to the minute. */
  readonly usedMs: number;
  /** Bytes of all its files. */
  readonly bytes: number;
  readonly artifacts: number;
  readonly todoItems: number;
  /** The processes that have it open. */
  readonly openIn: readonly number[];
}

export interface FileSessions {
  /** Opens a session; a temporary one leaves nothing when it is closed. Makes nothing, and looks at no other session. */
  open(id: string, isTemporary?: boolean): FileSession;
  /** Ends the session of this id if it has been idle for `SESSION_IDLE_MS`, so that opening it begins a new one. */
  expire(id: string): void;
  /** Those that have kept something, the last used first. */
  list(): readonly StoredSession[];
  /** Deletes everything stored for a session. A process that has it open detects that at its next call. False if there is none. @throws `STORE_UNWRITABLE` */
  end(id: string): boolean;
  /**
   * Ends the sessions that were not used for `idleMs` and that no process has open, and temporary ones whose process is gone.
   * Returns their ids. Default `SESSION_IDLE_MS`.
   */
  clean(idleMs?: number): readonly string[];
  /** Ends the idle ones in slices, as the end of each call does, at most once a minute. @throws `STORE_NEWER` */
  sweep(): Promise<void>;
  /** Stops a sweep that is under way. */
  close(): void;
}

/** The sessions in `<state>/sessions`, one directory each. Those that were idle for `SESSION_IDLE_MS` are removed after calls. */
export function fileSessions(options: FileSessionsOptions): FileSessions {
  const { state, locks, quotaBytes, now = Date.now } = options;
  const root = join(state.path, "sessions");

  const isIdle = (directory: string, idleMs: number): boolean => isIdleAt(now(), directory, idleMs);

  const sweep = new IdleSweep({
    root,
    now,
    check: () => state.check(),
    removeIfIdle(name) {
      if (name.startsWith(BEING_REMOVED)) rmSync(join(root, name), { recursive: true, force: true });
      else if (isIdle(join(root, name), SESSION_IDLE_MS)) remove(root, name);
    },
  });

  const expire = (id: string): void => {
    const own = fileName(id);
    if (namesIn(join(root, own)).length > 0 && isIdle(join(root, own), SESSION_IDLE_MS)) remove(root, own);
  };

  return {
    expire,
    open(id, isTemporary = false) {
      expire(id);
      const quota = quotaBytes === undefined ? {} : { quotaBytes };
      const session = createFileSession({ state, id, locks, isTemporary, now, ...quota });
      const touch = () => {
        session.touch();
        // A state directory that a newer version has taken over is reported by the next call.
        void sweep.run().catch(() => {});
      };
      return { ...session, touch };
    },
    sweep: () => sweep.run(),
    close: () => sweep.stop(),
    list() {
      const found = namesIn(root).flatMap((name) => storedIn(join(root, name), now()) ?? []);
      return found.sort((one, other) => other.usedMs - one.usedMs || (one.id < other.id ? -1 : 1));
    },
    end(id) {
      state.check();
      return remove(root, fileName(id));
    },
    clean(idleMs = SESSION_IDLE_MS) {
      state.check();
      return namesIn(root).flatMap((name) => {
        const directory = join(root, name);
        const record = readSessionRecord(directory);
        if (name.startsWith(BEING_REMOVED) || !isIdle(directory, record?.isTemporary ? 0 : idleMs)) return [];
        return remove(root, name) ? [record?.id ?? name] : [];
      });
    },
  };
}

function isIdleAt(nowMs: number, directory: string, idleMs: number): boolean {
  if (nowMs - usedMsOf(directory) <= idleMs) return false;
  return holdersOf(directory, ownProcessIdentity(), nowMs).length === 0;
}

/** Undefined if the directory is not that of a session with stored state. */
function storedIn(directory: string, nowMs: number): StoredSession | undefined {
  const record = readSessionRecord(directory);
  if (record === undefined) return undefined;
  const artifacts = namesIn(join(directory, "artifacts")).filter((one) => one.endsWith(".json")).length;
  const openIn = holdersOf(directory, ownProcessIdentity(), nowMs);
  return { ...record, bytes: bytesBelow(directory), artifacts, todoItems: todoItemsIn(directory), openIn };
}

/** Renames the directory, so that it disappears in one step, and then deletes it. */
function remove(root: string, name: string): boolean {
  const trash = join(root, `${BEING_REMOVED}${randomBytes(4).toString("hex")}-${name}`);
  try {
    renameSync(join(root, name), trash);
    rmSync(trash, { recursive: true, force: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw unwritable(join(root, name), error);
  }
}

/** When its last call ended; without a record, when its directory last changed. */
function usedMsOf(directory: string): number {
  try {
    return readSessionRecord(directory)?.usedMs ?? statSync(directory).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function bytesBelow(directory: string): number {
  return namesIn(directory).reduce((sum, name) => {
    const path = join(directory, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return sum + (stat?.isDirectory() ? bytesBelow(path) : (stat?.size ?? 0));
  }, 0);
}

function todoItemsIn(directory: string): number {
  try {
    const items: unknown = JSON.parse(readIfThere(join(directory, "todo.json")) ?? "[]");
    return Array.isArray(items) ? items.length : 0;
  } catch {
    return 0;
  }
}
