/** Replaces a configuration file of another program: the old one kept, all of it or nothing. */
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
import { EntryProblem } from "./entry-problem.js";

/** Backups that stand beside a file before one more is refused. */
const MAX_BACKUPS = 100;

/** A client's file that is larger is not looked at. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * The text of the file, undefined when it is not there. Bytes that are no UTF-8 would be lost, and are refused; so is what is
 * no file, such as a link to a device that a project brought along.
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
    if (!info.isFile()) throw new EntryProblem("it is no ordinary file");
    if (info.size > MAX_FILE_BYTES)
      throw new EntryProblem(`it has ${info.size} bytes, and at most ${MAX_FILE_BYTES} are looked at`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes `text` beside the file and renames it over. Follows a link to the file that it stands for, and keeps its mode.
 *
 * @param before - What was read; another content by now is somebody else's change and is left alone.
 * @returns Where the old file is kept; absent for a new file.
 * @throws EntryProblem when it was changed meanwhile.
 */
export function replaceClientFile(path: string, text: string, before: string | undefined): string | undefined {
  if (before === undefined) mkdirSync(dirname(path), { recursive: true });
  // "native" asks the system: Node's own walk works `..` in a link's text out by the text, and names another file.
  const target = before === undefined ? path : realpathSync.native(path);
  const mode = before === undefined ? 0o600 : statSync(target).mode & 0o777;
  const beside = `${target}.${randomBytes(6).toString("hex")}.new`;
  try {
    const descriptor = openSync(beside, "wx", mode);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    const backup = before === undefined ? undefined : backupCopy(target);
    if (readClientFile(path) !== before) throw new EntryProblem("it was changed by somebody else at this moment");
    renameSync(beside, target);
    return backup;
  } catch (error) {
    rmSync(beside, { force: true });
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
  throw new EntryProblem(`${MAX_BACKUPS} old ones stand beside it already; take some away`);
}
