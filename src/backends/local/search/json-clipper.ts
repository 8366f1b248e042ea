/** A longer string of a record is left out of it. Paths are shorter, however they are written. */
const MAX_STRING_BYTES = 32 * 1024;

const QUOTE = 34;
const BACKSLASH = 92;
const NEXT_MATCH = ',{"match":';

/** Makes a small record of a large one as it comes by: the same JSON without its long strings and its many matches. */
export class JsonClipper {
  readonly #maxBytes: number;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #isFull = false;
  #inString = false;
  #string: Buffer[] = [];
  #stringBytes = 0;
  /** Backslashes right before the end of what came so far. */
  #backslashes = 0;

  /** @param maxBytes - What is kept at most; matches behind that are left out. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.#isFull; ) {
      at = this.#inString ? this.#takeString(bytes, at) : this.#takeStructure(bytes, at);
    }
  }

  /** The record as JSON. */
  text(): string {
    const text = Buffer.concat(this.#kept).toString();
    return this.#isFull ? `${text.slice(0, text.lastIndexOf(NEXT_MATCH))}]}}` : text;
  }

  #takeStructure(bytes: Buffer, at: number): number {
    const quote = bytes.indexOf(QUOTE, at);
    const end = quote === -1 ? bytes.length : quote + 1;
    this.#keep(bytes.subarray(at, end));
    this.#inString = quote !== -1;
    return end;
  }

  #takeString(bytes: Buffer, at: number): number {
    const close = this.#closingQuote(bytes, at);
    const end = close === -1 ? bytes.length : close;
    this.#stringBytes += end - at;
    if (this.#stringBytes <= MAX_STRING_BYTES) this.#string.push(Buffer.from(bytes.subarray(at, end)));
    if (close === -1) return end;
    if (this.#stringBytes <= MAX_STRING_BYTES) for (const part of this.#string) this.#keep(part);
    this.#keep(bytes.subarray(close, close + 1));
    this.#inString = false;
    this.#string = [];
    this.#stringBytes = 0;
    this.#backslashes = 0;
    return close + 1;
  }

  #closingQuote(bytes: Buffer, from: number): number {
    for (let at = from; ; ) {
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote === -1 ? bytes.length : quote;
      let start = end;
      while (start > at && bytes[start - 1] === BACKSLASH) start--;
      const backslashes = end - start + (start === from ? this.#backslashes : 0);
      if (quote === -1) {
        this.#backslashes = backslashes;
        return -1;
      }
      if (backslashes % 2 === 0) return quote;
      at = quote + 1;
    }
  }

  #keep(part: Buffer): void {
    this.#keptBytes += part.length;
    if (this.#keptBytes > this.#maxBytes) this.#isFull = true;
    else this.#kept.push(Buffer.from(part));
  }
}
