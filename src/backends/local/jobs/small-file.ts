/** Small files of a job's directory, read so that nothing which stands in their place can keep this process waiting. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** A FIFO is not waited for, a symlink not followed. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The text of an ordinary file of at most `maxBytes`; undefined for anything else, and where there is nothing. */
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
