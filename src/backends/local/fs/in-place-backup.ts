/**
 * Backups of files that are overwritten in place, stored until the new bytes are on disk: a process that is killed in
 * between leaves a file that has neither. With a state directory the backup is in its `backups`, and the next start reports
 * the file; without one it is beside the file, under a descriptive name.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type HostIdentity, isHostAlive, newNonce, ownHostIdentity } from "../../../host/index.js";
import { type ErrorCode, HaftError, isRecord, systemRefusal } from "../../../kernel/index.js";
import { childPath, posixQuote, showControls } from "../../../text/index.js";
import { isHostIdentity } from "../jobs/check-record.js";
import type { HalfWrittenFile } from "../jobs/host-crash-report.js";
import { makeJobDirectories } from "../jobs/job-store.js";
import { readSmallFile } from "../jobs/small-file.js";
import type { Deadline } from "./deadline.js";
import { systemCode } from "./faults.js";
import type { PinnedPath } from "./path-resolver.js";
import { type OpenFile, readAt } from "./read.js";
import { flush, flushDirectory, WRITE_STEP_BYTES, writeFrom } from "./write.js";

/** The largest file that is overwritten in place. */
export const MAX_BACKUP_BYTES = 1024 * 1024 * 1024;
/** A record of a writer in another container counts as abandoned when it is this old. */
const FOREIGN_RECORD_MS = 10 * 60 * 1000;
const MAX_RECORD_BYTES = 64 * 1024;
/** Leaves room for the suffix in a name of 255 bytes. */
const MAX_BASE_NAME_BYTES = 220;

/** Written before the first byte is overwritten, removed after the last. */
interface BackupRecord {
  /** Real. */
  readonly path: string;
  readonly oldBytes: number;
  readonly newBytes: number;
  readonly newSha256: string;
  readonly startedMs: number;
  /** Absent where there is no `/proc`. */
  readonly host?: HostIdentity;
  /** State of the file when it was found half-written, so that it is not read again while unchanged. */
  readonly found?: string;
}

/** The copy of one file's old bytes. */
export interface Backup {
  /** Absolute. */
  readonly path: string;
  remove(): void;
}

export class Backups {
  readonly #directory: string | undefined;
  readonly #reported = new Set<string>();

  /** @param stateDir - Absolute. Nothing is created in it before the first write in place. */
  constructor(stateDir?: string) {
    this.#directory = stateDir === undefined ? undefined : join(stateDir, "backups");
  }

  /**
   * Copies the file; the copy is on disk when this returns.
   * @throws `FS_TOO_LARGE` over `MAX_BACKUP_BYTES`, `STORE_UNWRITABLE` where the copy cannot be made.
   */
  async create(
    resolved: PinnedPath,
    old: OpenFile,
    replacement: { readonly bytes: number; readonly sha256: string },
    deadline: Deadline,
  ): Promise<Backup> {
    const oldBytes = Number(old.info.size);
    if (oldBytes > MAX_BACKUP_BYTES) throw tooLargeToBackUp(resolved, oldBytes);
    const directory = this.#directory;
    try {
      if (directory === undefined) return await backUpBeside(resolved, old, deadline);
      makeJobDirectories(directory);
      const host = ownHostIdentity();
      return await backUpInState(directory, old, deadline, {
        path: resolved.real,
        oldBytes,
        newBytes: replacement.bytes,
        newSha256: replacement.sha256,
        startedMs: Date.now(),
        ...(host === undefined ? {} : { host }),
      });
    } catch (thrown) {
      if (HaftError.is(thrown)) throw thrown;
      throw backupFailed(resolved, oldBytes, directory, thrown);
    }
  }

  /**
   * The files that killed hosts left half-written, each reported once. Backups that are not needed are removed: the file
   * has all old or all new bytes, or was not changed yet.
   */
  takeHalfWritten(): readonly HalfWrittenFile[] {
    const found: HalfWrittenFile[] = [];
    for (const id of this.#ids()) {
      if (this.#reported.has(id)) continue;
      const half = this.#halfWritten(id);
      if (half === undefined) continue;
      this.#reported.add(id);
      found.push(half);
    }
    return found.sort((one, other) => one.startedMs - other.startedMs);
  }

  #ids(): readonly string[] {
    if (this.#directory === undefined) return [];
    try {
      return readdirSync(this.#directory)
        .filter((name) => name.endsWith(".json"))
        .map((name) => name.slice(0, -".json".length));
    } catch {
      return [];
    }
  }

  #halfWritten(id: string): HalfWrittenFile | undefined {
    const { record: recordPath, part, backup } = pathsOf(this.#directory!, id);
    const record = readRecord(recordPath);
    if (isInUse(record, recordPath)) return undefined;
    const isKept = existsSync(backup);
    // A record that is unreadable now, for example for want of descriptors, may be readable at the next start.
    if (isKept && record === undefined) return undefined;
    if (isKept && record !== undefined && !isWhole(record, { part, recordPath, backup })) {
      const { path, oldBytes, startedMs } = record;
      return { path, backup, oldBytes, startedMs, restoreCommand: restoreCommand(backup, path) };
    }
    for (const path of [backup, part, recordPath]) remove(path);
    return undefined;
  }
}

/** The file keeps its inode, and with it its other names, owner and mode. */
export function restoreCommand(backup: string, path: string): string {
  return `cp ${posixQuote(backup)} ${printableWord(path)}`;
}

/** Quotes a word for a POSIX shell; control and invisible characters are written as octal bytes. */
function printableWord(text: string): string {
  if (showControls(text) === text) return posixQuote(text);
  const octal = [...Buffer.from(text)].map((byte) =>
    byte > 0x20 && byte < 0x7f && !"'\\%\"$`!".includes(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  return `"$(printf '${octal.join("")}')"`;
}

const pathsOf = (directory: string, id: string) => ({
  record: join(directory, `${id}.json`),
  /** The incomplete copy. */
  part: join(directory, `${id}.part`),
  /** The complete copy, on disk. */
  backup: join(directory, `${id}.old`),
});

/** Writes the record first, so that an incomplete copy is found; only a complete copy gets its final name. */
async function backUpInState(
  directory: string,
  old: OpenFile,
  deadline: Deadline,
  record: BackupRecord,
): Promise<Backup> {
  const { record: recordPath, part, backup } = pathsOf(directory, newNonce());
  try {
    writeFileSync(recordPath, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: "wx", flush: true });
    await copyTo(part, old, deadline);
    renameSync(part, backup);
    await flushDirectory(directory);
    await flushDirectory(dirname(directory));
  } catch (thrown) {
    for (const path of [backup, part, recordPath]) remove(path);
    throw thrown;
  }
  return {
    path: backup,
    // The copy before its record, so that a crash in between is cleaned up by the record.
    remove: () => [backup, recordPath].forEach(remove),
  };
}

/** Without a record: the name of the copy describes it. */
async function backUpBeside(resolved: PinnedPath, old: OpenFile, deadline: Deadline): Promise<Backup> {
  const base = Buffer.byteLength(resolved.name) > MAX_BASE_NAME_BYTES ? "" : resolved.name;
  const name = `${base}.haft-backup-${newNonce()}`;
  const path = resolved.anchor.at(name);
  try {
    await copyTo(path, old, deadline);
    await flushDirectory(resolved.anchor.at(""));
  } catch (thrown) {
    remove(path);
    throw thrown;
  }
  return { path: childPath(resolved.anchor.real, name), remove: () => remove(path) };
}

async function copyTo(path: string, old: OpenFile, deadline: Deadline): Promise<void> {
  const size = Number(old.info.size);
  const copy = openSync(path, "wx", 0o600);
  try {
    for (let at = 0; at < size; ) {
      const bytes = await readAt(old.descriptor, at, Math.min(WRITE_STEP_BYTES, size - at), deadline);
      // The file has become shorter, which the last check before the write rejects.
      if (bytes.length === 0) break;
      await writeFrom(copy, bytes, at, deadline);
      at += bytes.length;
    }
    await flush(copy);
  } finally {
    closeSync(copy);
  }
}

/** Undefined for an incomplete record: then no byte was overwritten yet. */
function readRecord(path: string): BackupRecord | undefined {
  try {
    const value: unknown = JSON.parse(readSmallFile(path, MAX_RECORD_BYTES) ?? "");
    return isBackupRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isBackupRecord(value: unknown): value is BackupRecord {
  if (!isRecord(value)) return false;
  const { path, oldBytes, newBytes, newSha256, startedMs, host, found } = value;
  return (
    typeof path === "string" &&
    typeof newSha256 === "string" &&
    [oldBytes, newBytes, startedMs].every((one) => typeof one === "number") &&
    (found === undefined || typeof found === "string") &&
    (host === undefined || isHostIdentity(host))
  );
}

/** Whether the writer may still run. */
function isInUse(record: BackupRecord | undefined, path: string): boolean {
  const alive = record?.host === undefined ? "unknown" : isHostAlive(record.host);
  if (alive !== "unknown") return alive;
  // Not the mtime of the record if it can be read: a start that finds the file half-written rewrites the record.
  const madeMs = record?.startedMs ?? statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - madeMs < FOREIGN_RECORD_MS;
}

/** So that the next start does not hash large files again. */
function noteFound(record: BackupRecord, { part, recordPath }: { readonly part: string; readonly recordPath: string }) {
  try {
    writeFileSync(part, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    renameSync(part, recordPath);
  } catch {
    remove(part);
  }
}

/** Identifies the state of a file; "missing" if there is none. */
function stateOf(path: string): string {
  try {
    const { dev, ino, size, ctimeMs } = statSync(path);
    return [dev, ino, size, ctimeMs].join(" ");
  } catch {
    return "missing";
  }
}

/** Whether the file has all of its old or all of its new bytes. */
function isWhole(
  record: BackupRecord,
  { backup, ...places }: { readonly part: string; readonly recordPath: string; readonly backup: string },
): boolean {
  // Taken before the file is read, so that a change meanwhile is noticed by the next start.
  const found = stateOf(record.path);
  if (record.found === found) return false;
  try {
    const about = statSync(record.path);
    const { size } = about;
    if (about.isFile() && (size === record.oldBytes || size === record.newBytes)) {
      const now = sha256OfFile(record.path);
      if (now === record.newSha256 || (size === record.oldBytes && now === sha256OfFile(backup))) return true;
    }
    noteFound({ ...record, found }, places);
    return false;
  } catch {
    return false;
  }
}

function sha256OfFile(path: string): string {
  // Non-blocking, in case a FIFO has replaced the file.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const hash = createHash("sha256");
    const buffer = new Uint8Array(WRITE_STEP_BYTES);
    for (let count = -1; count !== 0; ) {
      count = readSync(descriptor, buffer);
      hash.update(buffer.subarray(0, count));
    }
    return hash.digest("hex");
  } finally {
    closeSync(descriptor);
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next start tries again.
  }
}

function tooLargeToBackUp(resolved: PinnedPath, sizeBytes: number): HaftError {
  const why = `it can only be overwritten in place, and a backup of its ${sizeBytes} bytes would exceed the limit of ${MAX_BACKUP_BYTES}`;
  return refused("FS_TOO_LARGE", resolved, `${why}. Replace it with a command`, {
    sizeBytes,
    maxBytes: MAX_BACKUP_BYTES,
  });
}

/** @param directory - Where the backup should be; undefined: beside the file. */
function backupFailed(
  resolved: PinnedPath,
  sizeBytes: number,
  directory: string | undefined,
  cause: unknown,
): HaftError {
  const code = systemCode(cause) ?? "";
  const reason = systemRefusal(code)?.[1] ?? String((cause as Error).message);
  const where = directory ?? dirname(resolved.real);
  const next =
    directory === undefined
      ? "Give Haft a state directory, or make this one writable"
      : "Free some space or allow writing there, or name another state directory with `--state DIR` or the environment variable HAFT_STATE";
  const why = `it can only be overwritten in place, and its ${sizeBytes} bytes could not be backed up first in "${where}" (${reason}). Nothing was changed. ${next}`;
  return refused("STORE_UNWRITABLE", resolved, why, { sizeBytes, reason, cause });
}

function refused(
  code: Extract<ErrorCode, "FS_TOO_LARGE" | "STORE_UNWRITABLE">,
  { asked: path }: PinnedPath,
  why: string,
  { cause, ...facts }: Readonly<Record<string, unknown>>,
): HaftError {
  return new HaftError(code, `Did not write "${path}": ${why}.`, { cause, details: { path, ...facts, why } });
}
