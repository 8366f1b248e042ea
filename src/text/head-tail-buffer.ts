import { incompleteTailLength } from "./utf8.js";
import { wholeNumber } from "./whole-number.js";

/** The kept ends of a byte stream, cut between UTF-8 characters, and the bytes between them that are gone. */
export interface HeadTailTruncation {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly omittedBytes: number;
}

/**
 * Collects a byte stream of any size and keeps its first `headBytes` and its last `tailBytes` bytes; the bytes in
 * between are counted and dropped, so kept plus dropped is always what was produced.
 *
 * Memory grows with what is stored and never beyond the two limits. Chunks are copied, so a small chunk of a large buffer
 * does not keep that buffer alive. The time of a push is at most proportional to its chunk.
 */
export class HeadTailBuffer {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  #head: Uint8Array = new Uint8Array();
  #headSize = 0;
  /** A ring once it has grown to `tailBytes`; before that it is filled from its start. */
  #tail: Uint8Array = new Uint8Array();
  #tailStart = 0;
  #tailSize = 0;
  #produced = 0;

  /** @param headBytes, tailBytes - From 0; a fraction is cut, NaN is 0. */
  constructor(headBytes: number, tailBytes: number) {
    this.#headBytes = wholeNumber(headBytes);
    this.#tailBytes = wholeNumber(tailBytes);
  }

  /** Bytes pushed so far. */
  get produced(): number {
    return this.#produced;
  }

  /** Bytes that are neither in `head()` nor in `tail()`. */
  get omittedBytes(): number {
    return this.#produced - this.#headSize - this.#tailSize;
  }

  push(chunk: Uint8Array): void {
    this.#produced += chunk.length;
    const toHead = Math.min(chunk.length, this.#headBytes - this.#headSize);
    if (toHead > 0) {
      this.#head = grown(this.#head, this.#headSize, this.#headSize + toHead, this.#headBytes);
      this.#head.set(chunk.subarray(0, toHead), this.#headSize);
      this.#headSize += toHead;
    }
    if (toHead < chunk.length && this.#tailBytes > 0) this.#pushTail(chunk.subarray(toHead));
  }

  /** A copy of the first bytes, as they came. */
  head(): Uint8Array {
    return this.#head.slice(0, this.#headSize);
  }

  /** A copy of the last bytes that are not in the head, as they came. */
  tail(): Uint8Array {
    const tail = new Uint8Array(this.#tailSize);
    const untilWrap = Math.min(this.#tailSize, this.#tail.length - this.#tailStart);
    tail.set(this.#tail.subarray(this.#tailStart, this.#tailStart + untilWrap));
    tail.set(this.#tail.subarray(0, this.#tailSize - untilWrap), untilWrap);
    return tail;
  }

  /**
   * Both ends for reading as UTF-8: parts of a character at the gap are dropped too and counted. Without a gap all
   * bytes are in `head`, and `tail` is empty.
   */
  truncate(): HeadTailTruncation {
    const head = this.head();
    const tail = this.tail();
    if (this.omittedBytes === 0) {
      const all = new Uint8Array(head.length + tail.length);
      all.set(head);
      all.set(tail, head.length);
      return { head: all, tail: new Uint8Array(), omittedBytes: 0 };
    }
    const headEnd = head.length - incompleteTailLength(head);
    let tailStart = 0;
    while (tailStart < 3 && tailStart < tail.length && (tail[tailStart]! & 0xc0) === 0x80) tailStart++;
    const omittedBytes = this.#produced - headEnd - (tail.length - tailStart);
    return { head: head.subarray(0, headEnd), tail: tail.subarray(tailStart), omittedBytes };
  }

  #pushTail(rest: Uint8Array): void {
    const last = rest.length > this.#tailBytes ? rest.subarray(rest.length - this.#tailBytes) : rest;
    const size = Math.min(this.#tailBytes, this.#tailSize + last.length);
    this.#tail = grown(this.#tail, this.#tailSize, size, this.#tailBytes);
    const ring = this.#tail.length;
    const writeAt = (this.#tailStart + this.#tailSize) % ring;
    const untilWrap = Math.min(last.length, ring - writeAt);
    this.#tail.set(last.subarray(0, untilWrap), writeAt);
    this.#tail.set(last.subarray(untilWrap), 0);
    this.#tailStart = (this.#tailStart + this.#tailSize + last.length - size) % ring;
    this.#tailSize = size;
  }
}

/** `bytes` with space for `needed` bytes: doubled, but never more than `limit`. */
function grown(bytes: Uint8Array, used: number, needed: number, limit: number): Uint8Array {
  if (needed <= bytes.length) return bytes;
  const larger = new Uint8Array(Math.min(limit, Math.max(needed, bytes.length * 2)));
  larger.set(bytes.subarray(0, used));
  return larger;
}
