/** A longer line is not kept in memory. */
export const LONG_LINE_BYTES = 64 * 1024;
/** Has room for a line that is not long, its line ending, and the byte before it. */
const BLOCK_BYTES = 96 * 1024;
const NEWLINE = 10;
const RETURN = 13;

/** A line of a file: the offsets of its text without `\n` or `\r\n`, and the text itself unless it is long. */
export interface FileLine {
  readonly start: number;
  readonly length: number;
  /** Valid until the next line is read. */
  readonly text: Uint8Array | undefined;
  /** Where the next line starts. */
  readonly next: number;
}

/** Reads up to `length` bytes at `position` of a file into `buffer`, from `at` on, as `readSync` does. */
export type ReadAt = (buffer: Uint8Array, at: number, length: number, position: number) => number;

/** Reads single lines of an open file; fastest in file order. */
export class LineReader {
  /** Two views of the same memory: a Buffer finds a byte faster, but only slicing a Uint8Array copies. */
  readonly #block = new Uint8Array(BLOCK_BYTES);
  readonly #finding = Buffer.from(this.#block.buffer);
  #readAt: ReadAt = () => 0;
  #at = 0;
  #filled = 0;

  /** Switches to another file. */
  open(readAt: ReadAt): void {
    this.#readAt = readAt;
    this.#filled = 0;
  }

  /** The line that starts at `offset`; undefined when none starts there. */
  line(offset: number): FileLine | undefined {
    if (this.#find(offset) === -1) this.#fill(Math.max(0, offset - 1));
    const lineStart = offset - this.#at;
    if (lineStart >= this.#filled || (offset > 0 && this.#block[lineStart - 1] !== NEWLINE)) return undefined;
    const from = lineStart;
    const newline = this.#find(offset);
    if (newline === -1 && this.#filled === BLOCK_BYTES) return this.#longLine(offset);
    const next = newline === -1 ? this.#filled : newline + 1;
    const end = newline === -1 ? next : newline - (newline > from && this.#block[newline - 1] === RETURN ? 1 : 0);
    const length = end - from;
    const text = length > LONG_LINE_BYTES ? undefined : this.#block.subarray(from, end);
    return { start: offset, length, text, next: this.#at + next };
  }

  /** A copy of bytes of the file; fewer at its end. */
  bytes(start: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const count = this.#readAt(bytes, filled, length - filled, start + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  /** Where in the block the line from `offset` ends; -1 when the block does not contain it and the byte before it. */
  #find(offset: number): number {
    const from = offset - this.#at;
    if (from < (offset === 0 ? 0 : 1) || from >= this.#filled) return -1;
    const newline = this.#finding.indexOf(NEWLINE, from);
    return newline >= this.#filled ? -1 : newline;
  }

  #fill(at: number): void {
    this.#at = at;
    this.#filled = 0;
    while (this.#filled < BLOCK_BYTES) {
      const count = this.#readAt(this.#block, this.#filled, BLOCK_BYTES - this.#filled, at + this.#filled);
      if (count === 0) break;
      this.#filled += count;
    }
  }

  /** Finds the end of a line longer than the block, without keeping its text. */
  #longLine(offset: number): FileLine {
    for (;;) {
      const before = this.#block[this.#filled - 1];
      const at = this.#at + this.#filled;
      this.#fill(at);
      const newline = this.#finding.subarray(0, this.#filled).indexOf(NEWLINE);
      if (newline === -1 && this.#filled === BLOCK_BYTES) continue;
      const next = at + (newline === -1 ? this.#filled : newline + 1);
      const last = newline === 0 ? before : this.#block[newline - 1];
      const endBytes = newline === -1 ? 0 : last === RETURN ? 2 : 1;
      return { start: offset, length: next - endBytes - offset, text: undefined, next };
    }
  }
}
