import { type Captured, callSafely, DEFAULT_KEEP, type ShellOptions } from "../../kernel/index.js";
import { HeadTailBuffer } from "../../text/index.js";
import { outputMark } from "./pane-script.js";

const CR = 13;
const LF = 10;
const ESCAPE = 27;

/** Takes what a command printed out of all that its pane prints: what stands between its two marks. */
export class OutputReader {
  readonly #kept: HeadTailBuffer;
  readonly #onOutput: ShellOptions["onOutput"];
  readonly #begin: Uint8Array;
  readonly #end: Uint8Array;
  #pending: Buffer = Buffer.alloc(0);
  #part: "before" | "inside" | "after" = "before";
  #wasBegun = false;
  #last: number = LF;
  #hasGap = false;

  constructor(nonce: string, { keep = DEFAULT_KEEP, onOutput }: Pick<ShellOptions, "keep" | "onOutput">) {
    this.#kept = new HeadTailBuffer(keep.head, keep.tail);
    this.#onOutput = onOutput;
    this.#begin = Buffer.from(outputMark(nonce, "begin"));
    this.#end = Buffer.from(outputMark(nonce, "end"));
  }

  get hasBegun(): boolean {
    return this.#part !== "before";
  }

  /** Whether its mark was seen; without it, the end was reported at once. */
  get wasBegun(): boolean {
    return this.#wasBegun;
  }

  get hasEnded(): boolean {
    return this.#part === "after";
  }

  /** Whether nothing was printed, or the last byte was a newline. */
  get endsLine(): boolean {
    return this.#last === LF;
  }

  /** Output was missed, so that the marks may be missing. */
  get hasGap(): boolean {
    return this.#hasGap;
  }

  /** Notes that bytes of the pane did not arrive. After the end of the command they are not its own. */
  noteGap(): void {
    if (this.#part !== "after") this.#hasGap = true;
  }

  push(bytes: Uint8Array): void {
    if (this.#part === "after") return;
    let data = this.#pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes]);
    this.#pending = Buffer.alloc(0);
    if (this.#part === "before") {
      const begin = data.indexOf(this.#begin);
      const end = data.indexOf(this.#end);
      if (begin < 0 && end < 0) {
        this.#pending = data.subarray(Math.max(0, data.length - this.#begin.length + 1));
        return;
      }
      this.#part = begin < 0 ? "after" : "inside";
      if (begin < 0) return;
      this.#wasBegun = true;
      data = data.subarray(begin + this.#begin.length);
    }
    const end = data.indexOf(this.#end);
    if (end >= 0) {
      this.#keep(data.subarray(0, end));
      this.#part = "after";
      return;
    }
    const held = heldBytes(data, this.#end);
    this.#keep(data.subarray(0, data.length - held));
    this.#pending = data.subarray(data.length - held);
  }

  /** Keeps what was held back for a mark that does not come. */
  finish(): void {
    if (this.#part === "inside") {
      this.#keep(this.#pending);
      this.#hasGap = true;
    }
    this.#pending = Buffer.alloc(0);
    this.#part = "after";
  }

  captured(): Captured {
    const [head, tail] = [this.#kept.head(), this.#kept.tail()];
    const final = this.#part === "after" && !this.#hasGap;
    return { head, tail, produced: this.#kept.produced, omittedBytes: this.#kept.omittedBytes, final };
  }

  /** A terminal prints a carriage return before each newline. */
  #keep(data: Buffer): void {
    const text = withoutReturns(data);
    if (text.length === 0) return;
    const offset = this.#kept.produced;
    this.#kept.push(text);
    this.#last = text[text.length - 1]!;
    const listener = this.#onOutput;
    if (listener !== undefined)
      callSafely(() => {
        const done = listener("stdout", text, offset);
        if (done instanceof Promise) done.catch(() => {});
      });
  }
}

/** How many of the last bytes may belong to the mark, or to a "\r\n". */
function heldBytes(data: Buffer, mark: Uint8Array): number {
  if (data[data.length - 1] === CR) return 1;
  const start = data.lastIndexOf(ESCAPE);
  const size = data.length - start;
  if (start < 0 || size >= mark.length) return 0;
  return data.subarray(start).equals(mark.subarray(0, size)) ? size : 0;
}

function withoutReturns(data: Buffer): Uint8Array {
  if (!data.includes("\r\n")) return new Uint8Array(data);
  const text = new Uint8Array(data.length);
  let size = 0;
  for (let at = 0; at < data.length; at += 1) {
    if (data[at] === CR && data[at + 1] === LF) continue;
    text[size++] = data[at]!;
  }
  return text.subarray(0, size);
}
