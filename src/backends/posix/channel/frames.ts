/** Frames: separate the answers of the remote machine from any other bytes in the same stream. */

/** One response: its words and its bytes. */
export interface Frame {
  readonly words: readonly string[];
  readonly bytes: Uint8Array;
}

/** A header line has a nonce, words and a size. Longer lines are noise. */
const MAX_HEAD_BYTES = 8_192;
const NEWLINE = 10;

/**
 * Splits a stream into frames. A frame is `NONCE WORD,WORD,... SIZE` and a newline; if SIZE is not 0, SIZE bytes and
 * the line `NONCE` follow. Other bytes between frames are skipped and counted: only the nonce, which a command
 * cannot know, starts a frame. A frame that does not end with its nonce makes the whole stream invalid.
 */
export class FrameReader {
  readonly #nonce: Buffer;
  readonly #onFrame: (frame: Frame) => void;
  readonly #onBroken: (why: string) => void;
  #held: Buffer = Buffer.alloc(0);
  /** The frame whose bytes have not all arrived. */
  #open: { readonly words: readonly string[]; readonly size: number; parts: Buffer[]; got: number } | undefined;
  #isBroken = false;
  /** Bytes outside frames. */
  noise = 0;

  constructor(nonce: string, onFrame: (frame: Frame) => void, onBroken: (why: string) => void) {
    this.#nonce = Buffer.from(nonce, "latin1");
    this.#onFrame = onFrame;
    this.#onBroken = onBroken;
  }

  push(chunk: Uint8Array): void {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    while (!this.#isBroken) {
      if (this.#open !== undefined && this.#held.length === 0) rest = this.#fill(rest);
      if (this.#open !== undefined && this.#open.got < this.#open.size) return;
      if (this.#held.length > 0) {
        rest = Buffer.concat([this.#held, rest]);
        this.#held = Buffer.alloc(0);
      }
      const end = rest.indexOf(NEWLINE);
      if (end === -1 || (this.#open === undefined && end > MAX_HEAD_BYTES)) {
        this.#hold(rest, end);
        if (end === -1) return;
        rest = rest.subarray(end + 1);
        continue;
      }
      this.#line(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
  }

  /** Stores an incomplete line; one that is too long for a header is only counted. */
  #hold(rest: Buffer, end: number): void {
    if (end === -1 && rest.length <= MAX_HEAD_BYTES) {
      this.#held = Buffer.from(rest);
      return;
    }
    if (this.#open !== undefined) {
      this.#break("the line after the bytes is too long");
      return;
    }
    this.noise += end === -1 ? rest.length - MAX_HEAD_BYTES : end + 1;
    if (end === -1) this.#held = Buffer.from(rest.subarray(rest.length - MAX_HEAD_BYTES));
  }

  #fill(rest: Buffer): Buffer {
    const open = this.#open!;
    const wanted = Math.min(open.size - open.got, rest.length);
    if (wanted > 0) open.parts.push(rest.subarray(0, wanted));
    open.got += wanted;
    return rest.subarray(wanted);
  }

  #line(line: Buffer): void {
    const open = this.#open;
    if (open !== undefined && line.equals(this.#nonce)) {
      this.#open = undefined;
      const bytes = Buffer.concat(open.parts);
      this.#onFrame({ words: open.words, bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) });
      return;
    }
    if (open !== undefined) {
      this.#break("the bytes do not end with the nonce");
      return;
    }
    // Noise without a newline may precede a header.
    const at = line.indexOf(this.#nonce);
    if (at === -1) {
      this.noise += line.length + 1;
      return;
    }
    this.noise += at;
    const [, words, size, ...more] = line.subarray(at).toString("latin1").split(" ");
    if (words === undefined || size === undefined || more.length > 0 || !/^\d{1,9}$/.test(size)) {
      this.#break("a frame header is invalid");
      return;
    }
    const frame = { words: words.split(","), size: Number(size) };
    if (frame.size === 0) this.#onFrame({ words: frame.words, bytes: new Uint8Array() });
    else this.#open = { ...frame, parts: [], got: 0 };
  }

  #break(why: string): void {
    this.#isBroken = true;
    this.#onBroken(why);
  }
}

/** Splits bytes into texts of the given sizes, and the rest. */
export function split(bytes: Uint8Array, sizes: readonly number[]): readonly string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let at = 0;
  const texts = sizes.map((size) => {
    at += size;
    return decoder.decode(bytes.subarray(at - size, at));
  });
  return [...texts, decoder.decode(bytes.subarray(at))];
}
