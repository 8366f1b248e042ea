/** The directories of sessions: opened by name, measured, deleted, and expired when they are not used. */
import { lstatSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SESSION_IDLE_MS } from "../../kernel/index.js";
import type { LocalSession } from "../document-session.js";
import { fileName } from "./file-store.js";
import { IdleSweep } from "./idle-sweep.js";
import { ownProcessIdentity } from "./process-identity.js";
import { sessionFiles } from "./session-files.js";
import {
  BEING_REMOVED,
  hasSessionRecord,
  holdersOf,
  namesIn,
  readSessionRecord,
  removeSessionDirectory,
  requireNoDamagedRecord,
} from "./session-record.js";
import type { StateDirectory } from "./state-directory.js";

export interface FileSessionsOptions {
  readonly state: StateDirectory;
  /** Bytes that the artifacts of one session may take. Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
  /** After a sweep has removed idle sessions. */
  onIdle?(): void;
}

/** What a session takes on this machine. */
export interface SessionUsage {
  /** Bytes of all its files. */
  readonly bytes: number;
  readonly artifacts: number;
  /** The processes that have it open. */
  readonly openIn: readonly number[];
}

export interface FileSessions {
  /** Opens a session; a temporary one leaves nothing when it is closed. Makes nothing, and looks at no other session. */
  open(id: string, isTemporary?: boolean): LocalSession;
  /** Ends the session of this id if it has been idle for `SESSION_IDLE_MS`, so that opening it begins a new one. */
  expire(id: string): void;
  usageOf(id: string): SessionUsage;
  /** Whether a process has the session open. */
  isHeld(id: string): boolean;
  /** @throws `STORE_CONFLICT` where the record of a session is there and cannot be read. */
  requireSound(id: string): void;
  /**
   * Deletes everything stored for a session; with `version`, only if it has that one. A process that has it open detects that at its
   * next call. False if there is none. @throws `STORE_UNWRITABLE`
   */
  end(id: string, version?: string): boolean;
  /** Ends the idle ones in slices, as the end of each call does, at most once a minute. @throws `STORE_NEWER` */
  sweep(): Promise<void>;
  /** Stops a sweep that is under way. */
  close(): void;
}

/** The sessions in `<state>/sessions`, one directory each. Those that were idle for `SESSION_IDLE_MS` are removed after calls. */
export function fileSessions(options: FileSessionsOptions): FileSessions {
  const { state, quotaBytes, now = Date.now, onIdle = () => {} } = options;
  const root = join(state.path, "sessions");

  const isIdle = (directory: string, idleMs: number): boolean => isIdleAt(now(), directory, idleMs);

  const sweep = new IdleSweep({
    root,
    now,
    check: () => state.check(),
    removeIfIdle(name) {
      if (name.startsWith(BEING_REMOVED)) rmSync(join(root, name), { recursive: true, force: true });
      else if (isIdle(join(root, name), SESSION_IDLE_MS)) return removeSessionDirectory(root, name);
      return false;
    },
    onRemoved: onIdle,
  });

  const expire = (id: string): void => {
    const own = fileName(id);
    if (namesIn(join(root, own)).length > 0 && isIdle(join(root, own), SESSION_IDLE_MS))
      removeSessionDirectory(root, own);
  };

  return {
    expire,
    open(id, isTemporary = false) {
      expire(id);
      const quota = quotaBytes === undefined ? {} : { quotaBytes };
      const session = sessionFiles({ state, id, isTemporary, now, ...quota });
      const touch = () => {
        session.touch();
        // A state directory that a newer version has taken over is reported by the next call.
        void sweep.run().catch(() => {});
      };
      return { ...session, touch };
    },
    sweep: () => sweep.run(),
    close: () => sweep.stop(),
    usageOf(id) {
      const directory = join(root, fileName(id));
      const artifacts = namesIn(join(directory, "artifacts")).filter((one) => one.endsWith(".json")).length;
      return { bytes: bytesBelow(directory), artifacts, openIn: holdersOf(directory, ownProcessIdentity(), now()) };
    },
    isHeld: (id) => holdersOf(join(root, fileName(id)), ownProcessIdentity(), now()).length > 0,
    requireSound: (id) => requireNoDamagedRecord(join(root, fileName(id)), id),
    end(id, version) {
      state.check();
      const directory = join(root, fileName(id));
      if (version !== undefined && readSessionRecord(directory)?.version !== version) return false;
      const isThere = hasSessionRecord(directory);
      return removeSessionDirectory(root, fileName(id)) && isThere;
    },
  };
}

function isIdleAt(nowMs: number, directory: string, idleMs: number): boolean {
  if (nowMs - usedMsOf(directory) <= idleMs) return false;
  return holdersOf(directory, ownProcessIdentity(), nowMs).length === 0;
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
