/** The record of one call on disk: a directory with a log of its changes and one file with all old bytes. */
import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, closeSync, constants, fsync, openSync, rmSync, write, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import {
  type CallRecorder,
  type Change,
  type ChangeEnd,
  HaftError,
  type OldBytes,
  type RecordedCall,
  type StoredBytes,
} from "../../kernel/index.js";
import { type StateDirectory, unwritable } from "./state-directory.js";

/** In the state directory. */
export const UNDO_DIRECTORY = "undo";
/** In the directory of a record. */
export const UNDO_LOG = "log.jsonl";
export const OLD_BYTES = "old";

/** Up to this size a write is synchronous: the page cache is faster than a pool thread. */
const AT_ONCE_BYTES = 64 * 1024;

const flush = promisify(fsync);
const writeStep = promisify(write);

export interface RecorderParts {
  now(): number;
  /** @param id - Of the record that stores more. */
  stored(id: string, more: { readonly bytes: number; readonly calls: number }): void;
  readonly limits: { readonly fileBytes: number; readonly callBytes: number };
}

/**
 * What is begun is on the disk before the change is made, with its old bytes, so that neither a killed process nor a power failure
 * loses it. The ends are not waited for: without its end a change counts as unfinished.
 */
export class FileRecorder implements CallRecorder {
  readonly #state: StateDirectory;
  readonly #call: RecordedCall;
  readonly #parts: RecorderParts;
  readonly #atMs: number;
  readonly id: string;
  #directory: string | undefined;
  /** The first line of the log, until it is written. */
  #header = "";
  /** Whether the names in the directory, and its own, are not on the disk yet. */
  #isNew = true;
  /** Of old bytes, to be waited for before a change is made. */
  #flushes: Promise<unknown>[] = [];
  #bytes = 0;
  #contents = 0;
  #changes = 0;
  /** Changes that may have been made. */
  #made = 0;

  constructor(state: StateDirectory, call: RecordedCall, parts: RecorderParts) {
    this.#state = state;
    this.#call = call;
    this.#parts = parts;
    this.#atMs = parts.now();
    this.id = `${this.#atMs.toString(36).padStart(9, "0")}-${randomBytes(3).toString("hex")}`;
  }

  async keep(chunks: OldBytes, sizeBytes: number): Promise<StoredBytes | undefined> {
    const { fileBytes, callBytes } = this.#parts.limits;
    if (sizeBytes > fileBytes || this.#bytes + sizeBytes > callBytes) return undefined;
    const offset = this.#bytes;
    this.#bytes += sizeBytes;
    this.#contents++;
    const path = join(this.#open(), OLD_BYTES);
    const { size, sha256 } = await this.#write(path, offset, chunks, sizeBytes);
    this.#parts.stored(this.id, { bytes: size, calls: 0 });
    return { content: `${offset}-${size}`, size, sha256 };
  }

  async begin(change: Change): Promise<number> {
    const index = this.#changes++;
    const directory = this.#open();
    const path = join(directory, UNDO_LOG);
    this.#append({ begin: index, change });
    this.#made++;
    const flushes = [...this.#flushes, flushed(path)];
    this.#flushes = [];
    const names = this.#isNew ? [directory, dirname(directory)] : [];
    this.#isNew = false;
    try {
      // Some file systems cannot flush directories.
      await Promise.all([...flushes, ...names.map((name) => flushed(name).catch(() => {}))]);
    } catch (error) {
      throw unwritable(path, error);
    }
    return index;
  }

  async end(index: number, end: ChangeEnd): Promise<void> {
    if (end.failed === true && --this.#made === 0 && this.#contents <= this.#changes) {
      // Nothing was changed so far, and no old bytes wait for their change: most refused calls leave nothing behind.
      if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
      this.#directory = undefined;
      return;
    }
    this.#append({ end: index, ...end });
  }

  /** Writes each chunk while the next is read, and flushes them in the background. */
  async #write(
    path: string,
    offset: number,
    chunks: OldBytes,
    maxBytes: number,
  ): Promise<{ readonly size: number; readonly sha256: string }> {
    const hash = createHash("sha256");
    let size = 0;
    let descriptor: number | undefined;
    let writing: Promise<void> | undefined;
    try {
      descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
      for await (const chunk of chunks) {
        await writing;
        if (size + chunk.length > maxBytes) throw new Error("the file has grown while it was stored");
        writing = writeAt(descriptor, chunk, offset + size);
        // Awaited below, after the next chunk.
        writing.catch(() => {});
        size += chunk.length;
        hash.update(chunk);
      }
      await writing;
      const flushing = flush(descriptor).finally(closed(descriptor));
      descriptor = undefined;
      // Awaited by `begin`.
      flushing.catch(() => {});
      this.#flushes.push(flushing);
    } catch (error) {
      throw HaftError.is(error) ? error : unwritable(path, error);
    } finally {
      if (descriptor !== undefined) {
        await writing?.catch(() => {});
        closeSync(descriptor);
      }
    }
    return { size, sha256: hash.digest("hex") };
  }

  #append(line: unknown): void {
    this.#appendText(`${JSON.stringify(line)}\n`);
  }

  #appendText(text: string): void {
    const directory = this.#open();
    try {
      appendFileSync(join(directory, UNDO_LOG), this.#header + text, { mode: 0o600 });
      this.#header = "";
    } catch (error) {
      throw unwritable(directory, error);
    }
  }

  #open(): string {
    if (this.#directory !== undefined) return this.#directory;
    const directory = this.#state.directory(UNDO_DIRECTORY, this.id);
    this.#directory = directory;
    this.#isNew = true;
    this.#header = `${JSON.stringify({ ...this.#call, id: this.id, atMs: this.#atMs, startedIn: workingDirectory() })}\n`;
    // Other processes must not drop what is being undone.
    if (this.#call.undoes !== undefined) this.#appendText("");
    this.#parts.stored(this.id, { bytes: 0, calls: 1 });
    return directory;
  }
}

async function writeAt(descriptor: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const rest = [descriptor, bytes, done, bytes.length - done, position + done] as const;
    done += bytes.length <= AT_ONCE_BYTES ? writeSync(...rest) : (await writeStep(...rest)).bytesWritten;
  }
}

/** Flushes a file or directory to the disk. */
async function flushed(path: string): Promise<void> {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  await flush(descriptor).finally(closed(descriptor));
}

const closed = (descriptor: number) => () => closeSync(descriptor);

/** Undefined where it was deleted. */
function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
