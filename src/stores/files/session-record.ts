/** The record in a session's directory: the session's name, when it was last used, and which processes have it open. */
import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { newNonce } from "../../host/index.js";
import { endedSession, HaftError, type SessionInfo } from "../../kernel/index.js";
import { isTimestampMs } from "../timestamp.js";
import { isProcessAlive, ownProcessIdentity, type ProcessIdentity } from "./process-identity.js";
import { readIfThere, replaceStateFile } from "./replace-state-file.js";
import { unwritable } from "./state-directory.js";

const RECORD_FILE = "session.json";
const HELD = /^held-([0-9a-f]{8})-(\d+)-(\w+)$/;
/** Milliseconds between two updates, which is the precision of the time of last use. */
const TOUCH_EVERY_MS = 60_000;
/** A process of another machine or container counts as alive if it touched its file within this time. */
const FOREIGN_HOLDER_STALE_MS = 60 * 60 * 1000;

/** The record of an open session. It is not written while the directory is missing: a session creates no files until it stores something. */
export class SessionRecord {
  readonly #directory: string;
  readonly #about: Pick<SessionInfo, "id" | "isTemporary">;
  readonly #now: () => number;
  readonly #heldName: string;
  #checkedMs: number | undefined;
  #touchedMs: number | undefined;
  /** Distinguishes this record from that of a later session of the same name. */
  #nonce: string | undefined;
  /** The file in which the nonce was found. */
  #file: Stats | undefined;
  /** What a database knows of it. */
  #session: SessionInfo | undefined;

  constructor(directory: string, about: Pick<SessionInfo, "id" | "isTemporary">, now: () => number) {
    this.#directory = directory;
    this.#about = about;
    this.#now = now;
    const { machine, pid, started } = ownProcessIdentity();
    this.#heldName = `held-${machine}-${pid}-${started}`;
  }

  /**
   * A database knows the session: its directory begins, unless it is there, and that of an earlier session of this name goes.
   * @throws `STORE_UNWRITABLE`
   */
  begin(session: SessionInfo, makeDirectory: () => void): void {
    this.#session = session;
    const found = readNonce(join(this.#directory, RECORD_FILE));
    if (found === session.version) return;
    try {
      if (found !== undefined) removeSessionDirectory(dirname(this.#directory), basename(this.#directory));
      makeDirectory();
      createSessionRecord(this.#directory, session, this.#now(), session.version);
    } catch (error) {
      throw HaftError.is(error) ? error : unwritable(this.#directory, error);
    }
  }

  /** Records that the session has stored something. Ignores an unwritable directory, which the next write reports. */
  kept(): void {
    if (this.#touchedMs === undefined) this.#checkedMs = undefined;
    this.touch();
  }

  /** Records that the session was used just now. A missing directory is rarely checked for; `kept` reports its creation. */
  touch(): void {
    const nowMs = this.#now();
    if (this.#checkedMs !== undefined && nowMs - this.#checkedMs < TOUCH_EVERY_MS) return;
    this.#checkedMs = nowMs;
    if (this.isGone() || !existsSync(this.#directory)) return;
    try {
      const record = join(this.#directory, RECORD_FILE);
      const held = join(this.#directory, this.#heldName);
      if (this.#nonce === undefined && !existsSync(record))
        createSessionRecord(this.#directory, this.#session ?? this.#about, nowMs, this.#session?.version);
      if (this.#nonce === undefined) {
        this.#file = statSync(record);
        this.#nonce = readNonce(record);
      }
      writeFileSync(held, "", { mode: 0o600 });
      const now = new Date(nowMs);
      for (const path of [record, held]) utimesSync(path, now, now);
      this.#touchedMs = nowMs;
    } catch {
      // An unwritable state directory is reported by the call that has something to store.
    }
  }

  /** Distinguishes the session from a later one of the same name; undefined while there is no record. */
  version(): string | undefined {
    return this.#nonce ?? readNonce(join(this.#directory, RECORD_FILE));
  }

  /** Whether the session was ended: its record is gone, or belongs to a later session of the same name. */
  isGone(): boolean {
    if (this.#nonce === undefined) return false;
    const record = join(this.#directory, RECORD_FILE);
    const file = statSync(record, { throwIfNoEntry: false });
    // Asked before every write, and reading the record costs several times as much.
    if (file !== undefined && file.ino === this.#file?.ino && file.birthtimeMs === this.#file.birthtimeMs) return false;
    return readNonce(record) !== this.#nonce;
  }

  /** @throws `STORE_CLOSED` once the session was ended: storing `what` would begin it again. */
  requireLive(what: string): void {
    if (this.isGone()) throw endedSession(what);
  }

  /** Whether the record belongs to a later session of the same name. */
  isTaken(): boolean {
    return this.isGone() && existsSync(join(this.#directory, RECORD_FILE));
  }

  /** This process has closed the session. */
  release(): void {
    if (this.#touchedMs !== undefined) rmSync(join(this.#directory, this.#heldName), { force: true });
  }
}

/** What a session is created with. */
export type NewSession = Pick<SessionInfo, "id" | "isTemporary" | "owner">;

/** Writes the record of a new session into its directory; `nonce` is its version. @throws What the system does. */
export function createSessionRecord(
  directory: string,
  { id, isTemporary, owner }: NewSession,
  nowMs: number,
  nonce = newNonce(),
): SessionInfo {
  const about = { id, isTemporary, ...(owner === undefined ? {} : { owner }) };
  const record = join(directory, RECORD_FILE);
  replaceStateFile(record, `${JSON.stringify({ ...about, createdMs: nowMs, nonce })}\n`);
  const now = new Date(nowMs);
  utimesSync(record, now, now);
  return { ...about, version: nonce, createdMs: nowMs, usedMs: nowMs };
}

/** Where a directory goes before it is removed, so that it is gone at once. Names of sessions never begin with a dot. */
export const BEING_REMOVED = ".ended-";

/** Renames the directory, so that it disappears in one step, and then deletes it. False if there is none. @throws `STORE_UNWRITABLE` */
export function removeSessionDirectory(root: string, name: string): boolean {
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

/** The session was used at this time. False where there is none. */
export function touchSessionRecord(directory: string, nowMs: number): boolean {
  if (readSessionRecord(directory) === undefined) return false;
  try {
    const now = new Date(nowMs);
    utimesSync(join(directory, RECORD_FILE), now, now);
    return true;
  } catch {
    // It was ended, or the state directory is read-only, which the next write reports.
    return existsSync(join(directory, RECORD_FILE));
  }
}

/** The record in a directory; undefined if there is none or it cannot be read. */
export function readSessionRecord(directory: string): SessionInfo | undefined {
  const path = join(directory, RECORD_FILE);
  try {
    const { id, isTemporary, createdMs, nonce, owner } = JSON.parse(readIfThere(path) ?? "") as Record<string, unknown>;
    if (typeof id !== "string" || typeof nonce !== "string" || !isTimestampMs(createdMs)) return undefined;
    if (owner !== undefined && typeof owner !== "string") return undefined;
    return {
      id,
      version: nonce,
      isTemporary: isTemporary === true,
      createdMs,
      usedMs: statSync(path).mtimeMs,
      ...(owner === undefined ? {} : { owner }),
    };
  } catch {
    return undefined;
  }
}

/** Whether there is a record, damaged or not. What stands in the place of the directory holds none. */
export function hasSessionRecord(directory: string): boolean {
  try {
    return lstatSync(join(directory, RECORD_FILE), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw unwritable(directory, error);
  }
}

/** Refuses a record that is there and cannot be read: a new one in its place would give the session to any owner. @throws `STORE_CONFLICT` */
export function requireNoDamagedRecord(directory: string, id: string): void {
  const path = join(directory, RECORD_FILE);
  if (!hasSessionRecord(directory) || readSessionRecord(directory) !== undefined) return;
  throw new HaftError(
    "STORE_CONFLICT",
    `Did not open the session ${JSON.stringify(id)}: its record ${path} is damaged.`,
    {
      hint: `To delete the session, run \`haft sessions end ${id}\`.`,
      details: { path },
    },
  );
}

/** Reads the version of the session in a directory; undefined without a record. The same file is parsed once. */
export function sessionVersion(directory: string): () => string | undefined {
  const path = join(directory, RECORD_FILE);
  let read: { readonly file: Stats; readonly version: string | undefined } | undefined;
  return () => {
    const file = existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (file === undefined) return undefined;
    if (read?.file.ino !== file.ino || read.file.birthtimeMs !== file.birthtimeMs || read.file.size !== file.size)
      read = { file, version: readSessionRecord(directory)?.version };
    return read.version;
  };
}

/** The ids of the processes that have the session of this directory open. */
export function holdersOf(directory: string, own: ProcessIdentity, nowMs: number): readonly number[] {
  return namesIn(directory).flatMap((name) => {
    const [, machine, pid, started] = HELD.exec(name) ?? [];
    if (machine === undefined || pid === undefined || started === undefined) return [];
    const alive = isProcessAlive({ machine, pid: Number(pid), started }, own);
    const isHeld = alive === "unknown" ? isFresh(join(directory, name), nowMs) : alive;
    return isHeld ? [Number(pid)] : [];
  });
}

/** The names in a directory; empty if it is missing. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function readNonce(path: string): string | undefined {
  try {
    const { nonce } = JSON.parse(readIfThere(path) ?? "") as { readonly nonce?: unknown };
    return typeof nonce === "string" ? nonce : undefined;
  } catch {
    return undefined;
  }
}

function isFresh(path: string, nowMs: number): boolean {
  try {
    return nowMs - statSync(path).mtimeMs < FOREIGN_HOLDER_STALE_MS;
  } catch {
    return false;
  }
}
