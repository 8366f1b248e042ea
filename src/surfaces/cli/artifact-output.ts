/** The bytes of an artifact on standard output. */
import type { ArtifactPart } from "../../kernel/index.js";
import { looksBinary, stripControls } from "../../text/index.js";
import { UsageError } from "./usage.js";

/** Bytes of one step. */
const STEP_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** Lines from 1, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Where the bytes go; a pipe takes what it can. */
export interface Output {
  readonly isTTY?: boolean;
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
}

/** What became of it. */
export interface Printed {
  /** False where something that was asked for and is kept was not printed. */
  readonly isDone: boolean;
  /** For the person: a clause about the artifact "ID". */
  readonly note?: string;
}

type Read = (offset: number, length: number) => Promise<ArtifactPart | "evicted" | "unknown">;

/** "3-20", "3-" and "3". @throws UsageError for anything else. */
export function lineRange(text: string): LineRange {
  const [, from = "", dash, to = ""] = /^(\d{1,15})(-(\d{1,15})?)?$/.exec(text) ?? [];
  const first = Number(from);
  const last = dash === undefined ? first : to === "" ? Number.POSITIVE_INFINITY : Number(to);
  if (from !== "" && first >= 1 && last >= first) return { first, last };
  throw new UsageError(`--lines takes a range such as 1-20, 40- or 7, counted from 1, not "${text}".`);
}

/**
 * Prints what is kept, byte for byte; on a terminal text only, without the characters that it would obey. A reader that has
 * had enough ends it.
 */
export async function printArtifact(
  read: Read,
  options: { readonly lines?: LineRange; readonly isRaw: boolean },
  output: Output,
): Promise<Printed> {
  const isPlain = output.isTTY === true && !options.isRaw;
  const lines = options.lines === undefined ? undefined : new LineWindow(options.lines);
  const decoder = new TextDecoder();
  let hidden = 0;
  let missing: string | undefined;
  for (let offset = 0; lines?.isOver !== true; ) {
    const part = await read(offset, STEP_BYTES);
    if (typeof part === "string")
      return { isDone: false, note: "did not show the rest of ID: it was removed meanwhile." };
    const { bytes, gap, producedBytes } = part;
    if (isPlain && offset === 0 && looksBinary(bytes)) return { isDone: false, note: NO_TEXT };
    if (bytes.length === 0 && gap !== undefined && offset < gap[1]) {
      missing = `bytes ${gap[0]} to ${gap[1]} of ${producedBytes} were not kept`;
      const note = `showed ID up to a gap: ${missing}, so nobody can count the lines behind them.`;
      if (lines !== undefined) return { isDone: false, note };
      offset = gap[1];
      continue;
    }
    if (bytes.length === 0) break;
    offset += bytes.length;
    const wanted = lines?.take(bytes) ?? bytes;
    const { text, removed } = isPlain ? stripControls(decoder.decode(wanted, { stream: true })) : NOTHING;
    hidden += removed;
    if (!(await written(output, isPlain ? Buffer.from(text) : wanted))) return { isDone: true };
  }
  // Half a character at the end shows as U+FFFD.
  const half = decoder.decode();
  if (half !== "" && !(await written(output, Buffer.from(half)))) return { isDone: true };
  if (missing !== undefined) return { isDone: true, note: `showed what is kept of ID: ${missing}.` };
  if (hidden === 0) return { isDone: true };
  return { isDone: true, note: `left out ${hidden} characters of ID that a terminal obeys; --raw shows them.` };
}

const NO_TEXT =
  "did not show ID: it is no text, and a terminal may obey what it holds. `haft artifacts export ID PATH` makes a file of it; --raw shows it all the same.";
const NOTHING = { text: "", removed: 0 };

/** Lets through the lines of a range. */
class LineWindow {
  readonly #range: LineRange;
  #line = 1;

  constructor(range: LineRange) {
    this.#range = range;
  }

  get isOver(): boolean {
    return this.#line > this.#range.last;
  }

  take(bytes: Uint8Array): Uint8Array {
    let from = this.#line >= this.#range.first ? 0 : bytes.length;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
      this.#line += 1;
      if (this.#line === this.#range.first) from = at + 1;
      if (this.isOver) return bytes.subarray(from, at + 1);
    }
    return bytes.subarray(from);
  }
}

/** False where nobody reads any more. */
function written(output: Output, bytes: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    output.write(bytes, (error) => resolve(error === undefined || error === null));
  });
}
