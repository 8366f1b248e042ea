/** One file of the audit log, open in the process that writes it. */
import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** More than an entry with truncated input and a few claims. */
const SCRATCH_BYTES = 16_384;
const MOST_BYTES_A_UNIT = 3;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
/** Opening a symlink or a FIFO fails: the lines would be written elsewhere or lost. */
const LINES_FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

/** The lines of one day and the head that follows them. */
export class AuditFile {
  readonly #linesFile: number;
  readonly #headFile: number;
  readonly #scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  readonly #path: string;
  readonly #inode: number;
  #size: number;

  constructor(directory: string, name: string) {
    this.#path = join(directory, name);
    // After `close` the same chain may continue in the file it had.
    this.#linesFile = openSync(`${this.#path}.jsonl`, LINES_FLAGS, 0o600);
    try {
      const { size, ino } = fstatSync(this.#linesFile);
      this.#size = size;
      this.#inode = ino;
      this.#headFile = openSync(`${this.#path}.head`, constants.O_RDWR | constants.O_CREAT, 0o600);
    } catch (error) {
      closeSync(this.#linesFile);
      throw error;
    }
  }

  /** Appends one line or several. If it throws, nothing was written. */
  append(text: string): void {
    const isShort = text.length * MOST_BYTES_A_UNIT <= SCRATCH_BYTES;
    const bytes = isShort ? this.#scratch.subarray(0, this.#scratch.write(text)) : Buffer.from(text, "utf8");
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#linesFile, bytes, written);
    } catch (error) {
      ftruncateSync(this.#linesFile, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Whether the file is empty. */
  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Whether the file was deleted or replaced, so that no reader would find new lines. A renamed file is still used. */
  get isRemoved(): boolean {
    const inode = inodeAt(`${this.#path}.jsonl`);
    if (inode === this.#inode) return false;
    return inode !== undefined || fstatSync(this.#linesFile).nlink === 0;
  }

  /** Always of the same length, so that one write overwrites it. */
  writeHead(text: string): void {
    try {
      writeSync(this.#headFile, text, 0);
    } catch {
      // The lines are written, and verification detects a head that is behind them.
    }
  }

  close(): void {
    closeSync(this.#linesFile);
    closeSync(this.#headFile);
  }

  /** Deletes an empty file. Called after `close`. */
  removeEmpty(): void {
    if (!this.isEmpty) return;
    for (const end of ["head", "jsonl"]) rmSync(`${this.#path}.${end}`, { force: true });
  }
}

/** Undefined if the path cannot be found. */
function inodeAt(path: string): number | undefined {
  try {
    return lstatSync(path).ino;
  } catch {
    return undefined;
  }
}
