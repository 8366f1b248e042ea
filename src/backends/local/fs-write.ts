/** Writing bytes to a descriptor in steps, and flushing files and directories to the disk. */
import { closeSync, constants, fsync, openSync, write, writeSync } from "node:fs";
import type { Patience } from "./fs-patience.js";

/** Bytes of one write; between two of them the operation can end. */
export const WRITE_STEP_BYTES = 8 * 1024 * 1024;
/** Up to here a write is done at once. */
const AT_ONCE_BYTES = 64 * 1024;

/** Writes all of `data` from the start of the file, and flushes it. */
export async function writeAll(descriptor: number, data: Uint8Array, patience: Patience): Promise<void> {
  await writeFrom(descriptor, data, 0, patience);
  await flush(descriptor);
}

/** Writes all of `data` from `offset` on. */
export async function writeFrom(
  descriptor: number,
  data: Uint8Array,
  offset: number,
  patience: Patience,
): Promise<void> {
  for (let at = 0; at < data.length; ) {
    patience.check();
    const length = Math.min(WRITE_STEP_BYTES, data.length - at);
    at +=
      data.length <= AT_ONCE_BYTES
        ? writeSync(descriptor, data, at, length, offset + at)
        : await writeStep(descriptor, data, at, length, offset + at);
  }
}

function writeStep(descriptor: number, data: Uint8Array, at: number, length: number, to: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, data, at, length, to, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

export function flush(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(descriptor, (error) => (error === null ? resolve() : reject(error))));
}

/** Makes new names last. A directory that cannot be flushed, as on some network file systems, is left to its system. */
export async function flushDirectory(path: string): Promise<void> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    await flush(descriptor);
  } catch {
    return;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
