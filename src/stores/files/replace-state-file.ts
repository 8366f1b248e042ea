/** Replaces a file of the state directory atomically: readers see the old or the new bytes, also after a power failure. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";

/**
 * Writes `content` beside `path`, flushes it and renames it over. Mode 0600. Leaves nothing behind when it throws.
 *
 * @param beforeRename - The last check, when only the rename is left; what it throws is thrown.
 */
export function replaceStateFile(path: string, content: string, beforeRename: () => void = () => {}): void {
  const beside = `${path}.${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    const descriptor = openSync(beside, "wx", 0o600);
    try {
      const bytes = Buffer.from(content, "utf8");
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    beforeRename();
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/**
 * The text of a file, or undefined when it is not there. Rejects what is not a file, such as a directory or a FIFO: none of
 * these is read, let alone waited for.
 *
 * @param followSymlinks - False: a symlink is rejected with ELOOP. Default true.
 */
export function readIfThere(path: string, followSymlinks = true): string | undefined {
  // The error of a missing file costs several times this look.
  if (!existsSync(path)) return undefined;
  try {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followSymlinks ? 0 : constants.O_NOFOLLOW);
    const descriptor = openSync(path, flags);
    try {
      if (!fstatSync(descriptor).isFile()) throw new Error("it is not a file");
      return readFileSync(descriptor, "utf8");
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return undefinedIfMissing(error);
  }
}

/** The same without blocking the event loop; a symlink is rejected with ELOOP. */
export async function readAsync(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (!(await file.stat()).isFile()) throw new Error("it is not a file");
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    return undefinedIfMissing(error);
  }
}

function undefinedIfMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return undefined;
  throw error;
}
