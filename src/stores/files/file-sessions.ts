/** The sessions of a state folder: opened by name, listed, ended, and ended by themselves when nobody comes back. */
import { randomBytes } from "node:crypto";
import { lstatSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Locks } from "../../kernel/index.js";
import { createFileSession, type FileSession } from "./file-session.js";
import { fileName } from "./file-store.js";
import { ownIdentity } from "./process-identity.js";
import { readIfThere } from "./replace-file.js";
import { holdersOf, namesIn, readMark } from "./session-mark.js";
import { type StateFolder, unwritable } from "./state-folder.js";

/** A session that no call has used for this long has ended: what it kept is removed when another session opens. */
export const SESSION_IDLE_MS = 24 * 60 * 60 * 1000;
/** Milliseconds between two looks for sessions that have ended by themselves. */
const LOOK_EVERY_MS = 60_000;
/** Where a folder goes before it is removed, so that it is gone at once. Names of sessions never begin with a dot. */
const GOING = ".ended-";

export interface FileSessionsOptions {
  readonly state: StateFolder;
  readonly locks: Locks;
  /** Bytes that the artifacts of one session may take. Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

/** What is kept of a session. */
export interface KeptSession {
  readonly id: string;
  /** Nobody can come back to it by its name. */
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
  /** Opens a session; a temporary one leaves nothing when it is closed. Opening makes nothing. */
  open(id: string, isTemporary?: boolean): FileSession;
  /** Those that have kept something, the last used first. */
  list(): readonly KeptSession[];
  /** Removes all that a session has kept. A process that has it open notices at its next call. False when there is none. @throws `STORE_UNWRITABLE` */
  end(id: string): boolean;
  /**
   * Ends those that nothing used for `idleMs` and no process has open, and temporary ones whose process is gone; gives their
   * ids. Default `SESSION_IDLE_MS`.
   */
  clean(idleMs?: number): readonly string[];
}

/** The sessions in `<state>/sessions`, one folder each. Those that were idle for `SESSION_IDLE_MS` are removed on the way. */
export function fileSessions(options: FileSessionsOptions): FileSessions {
  const { state, locks, quotaBytes, now = Date.now } = options;
  const root = join(state.path, "sessions");
  let lookedMs: number | undefined;

  const isIdle = (folder: string, idleMs: number): boolean => isIdleAt(now(), folder, idleMs);

  /** Another process may have removed it first, or the state folder is read-only: the first call that has to write tells it. */
  const removeIdle = (): void => {
    const nowMs = now();
    if (lookedMs !== undefined && nowMs - lookedMs < LOOK_EVERY_MS) return;
    lookedMs = nowMs;
    state.check();
    for (const name of namesIn(root)) {
      try {
        if (name.startsWith(GOING)) rmSync(join(root, name), { recursive: true, force: true });
        else if (isIdle(join(root, name), SESSION_IDLE_MS)) remove(root, name);
      } catch {}
    }
  };

  return {
    open(id, isTemporary = false) {
      removeIdle();
      const own = fileName(id);
      // Whoever comes too late does not find what others would not find either.
      if (namesIn(join(root, own)).length > 0 && isIdle(join(root, own), SESSION_IDLE_MS)) remove(root, own);
      const quota = quotaBytes === undefined ? {} : { quotaBytes };
      return createFileSession({ state, id, locks, isTemporary, now, ...quota });
    },
    list() {
      const found = namesIn(root).flatMap((name) => keptIn(join(root, name), now()) ?? []);
      return found.sort((one, other) => other.usedMs - one.usedMs || (one.id < other.id ? -1 : 1));
    },
    end(id) {
      state.check();
      return remove(root, fileName(id));
    },
    clean(idleMs = SESSION_IDLE_MS) {
      state.check();
      return namesIn(root).flatMap((name) => {
        const folder = join(root, name);
        const mark = readMark(folder);
        if (name.startsWith(GOING) || !isIdle(folder, mark?.isTemporary ? 0 : idleMs)) return [];
        return remove(root, name) ? [mark?.id ?? name] : [];
      });
    },
  };
}

function isIdleAt(nowMs: number, folder: string, idleMs: number): boolean {
  if (nowMs - usedMsOf(folder) <= idleMs) return false;
  return holdersOf(folder, ownIdentity(), nowMs).length === 0;
}

/** Undefined where the folder is none of a session that has kept something. */
function keptIn(folder: string, nowMs: number): KeptSession | undefined {
  const mark = readMark(folder);
  if (mark === undefined) return undefined;
  const artifacts = namesIn(join(folder, "artifacts")).filter((one) => one.endsWith(".json")).length;
  const openIn = holdersOf(folder, ownIdentity(), nowMs);
  return { ...mark, bytes: bytesBelow(folder), artifacts, todoItems: todoItemsIn(folder), openIn };
}

/** Gone in one step for whoever looks, then removed. */
function remove(root: string, name: string): boolean {
  const going = join(root, `${GOING}${randomBytes(4).toString("hex")}-${name}`);
  try {
    renameSync(join(root, name), going);
    rmSync(going, { recursive: true, force: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw unwritable(join(root, name), error);
  }
}

/** When a call of it last ended; where it has no mark, when its folder last changed. */
function usedMsOf(folder: string): number {
  try {
    return readMark(folder)?.usedMs ?? statSync(folder).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function bytesBelow(folder: string): number {
  return namesIn(folder).reduce((sum, name) => {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return sum + (stat?.isDirectory() ? bytesBelow(path) : (stat?.size ?? 0));
  }, 0);
}

function todoItemsIn(folder: string): number {
  try {
    const items: unknown = JSON.parse(readIfThere(join(folder, "todo.json")) ?? "[]");
    return Array.isArray(items) ? items.length : 0;
  } catch {
    return 0;
  }
}
