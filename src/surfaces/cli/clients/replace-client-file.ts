/** Replaces a configuration file of another program atomically, with a backup. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { EntryProblem } from "./clients.js";

const MAX_BACKUPS = 100;

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * The text of the file, undefined if it does not exist. Rejects invalid UTF-8, which could not be written back, and special files,
 * such as a symlink to a device in a cloned project.
 */
export function readClientFile(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (error instanceof TypeError) throw new EntryProblem("it is not UTF-8");
    throw error;
  }
}

function bytesOf(path: string): Uint8Array {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const info = fstatSync(descriptor);
    if (!info.isFile()) throw new EntryProblem("it is not a regular file");
    if (info.size > MAX_FILE_BYTES) throw new EntryProblem(`it has ${info.size} bytes; the limit is ${MAX_FILE_BYTES}`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a new file and renames it over the old one. Follows symlinks and preserves the mode.
 *
 * @param before - The text that was read.
 * @param keepsBackup - False for a file of Haft's own.
 * @returns The path of the backup; undefined without one and for a new file.
 * @throws EntryProblem if the file was changed since it was read
 */
export function replaceClientFile(
  path: string,
  text: string,
  before: string | undefined,
  keepsBackup = true,
): string | undefined {
  if (before === undefined) mkdirSync(dirname(path), { recursive: true });
  // Not `realpathSync`: it resolves `..` in a symlink by its text, which may be another file.
  const target = before === undefined ? path : realpathSync.native(path);
  const mode = before === undefined ? 0o600 : statSync(target).mode & 0o777;
  const temporary = `${target}.${randomBytes(6).toString("hex")}.new`;
  try {
    const descriptor = openSync(temporary, "wx", mode);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    const backup = before === undefined || !keepsBackup ? undefined : backupCopy(target);
    if (readClientFile(path) !== before) throw new EntryProblem("another process changed it at the same time");
    renameSync(temporary, target);
    return backup;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function backupCopy(target: string): string {
  for (let serial = 1; serial <= MAX_BACKUPS; serial++) {
    const copy = `${target}.before-haft${serial === 1 ? "" : `-${serial}`}`;
    try {
      copyFileSync(target, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new EntryProblem(`there are already ${MAX_BACKUPS} backups beside it; delete some`);
}
