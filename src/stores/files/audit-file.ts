/** One file of the audit record as the process that writes it holds it. */
import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** More than an entry with truncated input and a few claims. */
const SCRATCH_BYTES = 16_384;
const MOST_BYTES_A_UNIT = 3;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
/** A symlink or a FIFO in the place of the file is an error: the lines would go elsewhere, or nowhere. */
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

  /** One line or several; all of it or, when it throws, nothing. */
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

  /** Whether the file holds no line. */
  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /**
   * Whether the file was deleted or something else has its path, so that no reader would find new lines. One that was renamed is still
   * used; `readAudit` reports the head that it left behind.
   */
  get isRemoved(): boolean {
    const inode = inodeAt(`${this.#path}.jsonl`);
    if (inode === this.#inode) return false;
    return inode !== undefined || fstatSync(this.#linesFile).nlink === 0;
  }

  /** Of one length always, so that it is overwritten in one write. */
  writeHead(text: string): void {
    try {
      writeSync(this.#headFile, text, 0);
    } catch {
      // The lines are the record and were written; a head that lags is noticed by whoever checks them.
    }
  }

  close(): void {
    closeSync(this.#linesFile);
    closeSync(this.#headFile);
  }

  /** After `close`: deletes a log without lines, its head first, for a head without a log is reported as damage. */
  removeEmpty(): void {
    if (!this.isEmpty) return;
    for (const end of ["head", "jsonl"]) rmSync(`${this.#path}.${end}`, { force: true });
  }
}

/** Undefined where nothing can be found under the path. */
function inodeAt(path: string): number | undefined {
  try {
    return lstatSync(path).ino;
  } catch {
    return undefined;
  }
}
