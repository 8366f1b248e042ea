/**
 * Writes bytes in steps and flushes them to disk; creates temporary files beside the file that they will replace, and
 * removes those of killed processes.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fsync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import { isDead, processEntry, processExists, processStart } from "../../../host/index.js";
import type { Deadline } from "./deadline.js";
import type { DirectoryAnchor } from "./pinned-directory.js";

/** Bytes of one write; the deadline is checked between two writes. */
export const WRITE_STEP_BYTES = 8 * 1024 * 1024;
/** Up to this size a write is synchronous. */
const AT_ONCE_BYTES = 64 * 1024;

/** Writes all of `data` from the start of the file, and flushes it. */
export async function writeAll(descriptor: number, data: Uint8Array, deadline: Deadline): Promise<void> {
  await writeFrom(descriptor, data, 0, deadline);
  await flush(descriptor);
}

/** Writes all of `data` from `offset` on. */
export async function writeFrom(
  descriptor: number,
  data: Uint8Array,
  offset: number,
  deadline: Deadline,
): Promise<void> {
  for (let at = 0; at < data.length; ) {
    deadline.check();
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

/** Flushes a directory, so that new names survive a crash. Some network file systems cannot; that is ignored. */
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

/** A temporary file of another machine or container is removed when it is this old, because its writer cannot be checked. */
const FOREIGN_LEFTOVER_MS = 10 * 60 * 1000;
/** A directory is swept at most once in this time. */
const SWEEP_EVERY_MS = 60_000;
const REMEMBERED_DIRECTORIES = 1000;

/** `.haft-PID-START-NAMESPACE-RANDOM.tmp` identifies the writer, so that any process can check whether it still runs. */
const NAME = /^\.haft-(\d+)-(\d+)-([^-]+)-[0-9a-f]{12}\.tmp$/;

export class TempFiles {
  readonly #swept = new Map<string, number>();
  readonly #namespace = pidNamespace();
  readonly #prefix = `.haft-${process.pid}-${processStart(process.pid) ?? 0}-${this.#namespace}-`;

  /** Creates an empty file with an unguessable name. Its mode is `mode` without the umask. */
  create(
    anchor: DirectoryAnchor,
    mode: number,
  ): { readonly descriptor: number; readonly name: string; readonly path: string } {
    const name = `${this.#prefix}${randomBytes(6).toString("hex")}.tmp`;
    const path = anchor.at(name);
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return { descriptor: openSync(path, flags, mode), name, path };
  }

  /** Removes temporary files of killed processes. Never throws: leftovers are harmless. */
  sweep(anchor: DirectoryAnchor): void {
    const now = Date.now();
    if (now - (this.#swept.get(anchor.real) ?? 0) < SWEEP_EVERY_MS) return;
    if (this.#swept.size >= REMEMBERED_DIRECTORIES) this.#swept.clear();
    this.#swept.set(anchor.real, now);
    try {
      for (const name of readdirSync(anchor.at(""))) {
        if (name.startsWith(".haft-") && this.#isLeftover(anchor, name, now)) unlinkSync(anchor.at(name));
      }
    } catch {
      // The directory is not readable or writable.
    }
  }

  #isLeftover(anchor: DirectoryAnchor, name: string, now: number): boolean {
    const parts = NAME.exec(name);
    if (parts === null) return false;
    const [, pid, start, namespace] = parts;
    if (namespace !== this.#namespace) return now - lstatSync(anchor.at(name)).mtimeMs > FOREIGN_LEFTOVER_MS;
    return !isRunning(Number(pid), Number(start));
  }
}

/** @param start - 0 where that was not known. */
function isRunning(pid: number, start: number): boolean {
  const entry = processEntry(pid);
  if (entry !== undefined) return !isDead(entry) && (start === 0 || entry.start === start);
  // Another user's process that `/proc` hides, or there is no `/proc`.
  return processExists(pid);
}

/** Process ids are only comparable within one namespace. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

/** Closes and removes a temporary file. */
export function discard(descriptor: number, path: string): void {
  closeSync(descriptor);
  removeName(path);
}

/** Removes a temporary file, if it still exists. */
export function removeName(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already renamed or removed.
  }
}
