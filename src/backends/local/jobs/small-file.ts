/** Reads small files that a hostile command may have replaced, without blocking. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Does not block on a FIFO or follow a symlink. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The text of a regular file of at most `maxBytes`; undefined for anything else. */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, FLAGS);
    const info = fstatSync(descriptor);
    if (!info.isFile() || info.size > maxBytes) return undefined;
    const bytes = Buffer.alloc(info.size);
    let read = 0;
    for (let count = -1; count !== 0 && read < bytes.length; read += count)
      count = readSync(descriptor, bytes, read, bytes.length - read, read);
    return bytes.toString("utf8", 0, read);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
