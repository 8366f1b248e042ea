/** The bytes of an artifact on standard output. */
import type { ArtifactPart } from "../../../../kernel/index.js";
import { looksBinary, stripControls } from "../../../../text/index.js";
import { UsageError } from "../../usage.js";

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** Lines from 1, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export interface Output {
  readonly isTTY?: boolean;
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
}

export interface PrintedArtifact {
  /** False if stored bytes that were requested were not printed. */
  readonly isDone: boolean;
  /** A notice for the user; "ID" in it stands for the artifact. */
  readonly note?: string;
}

type Read = (offset: number, length: number) => Promise<ArtifactPart | "evicted" | "unknown">;

/** "3-20", "3-" and "3". @throws UsageError for anything else. */
export function lineRange(text: string): LineRange {
  const [, from = "", dash, to = ""] = /^(\d{1,15})(-(\d{1,15})?)?$/.exec(text) ?? [];
  const first = Number(from);
  const last = dash === undefined ? first : to === "" ? Number.POSITIVE_INFINITY : Number(to);
  if (from !== "" && first >= 1 && last >= first) return { first, last };
  throw new UsageError(`--lines must be a range such as 1-20, 40- or 7, counted from 1, not "${text}".`);
}

/**
 * Prints the stored bytes; on a terminal text only, without control sequences. Stops if the output is closed.
 */
export async function printArtifact(
  read: Read,
  options: { readonly lines?: LineRange; readonly isRaw: boolean },
  output: Output,
): Promise<PrintedArtifact> {
  const isPlain = output.isTTY === true && !options.isRaw;
  const lines = options.lines === undefined ? undefined : new LineWindow(options.lines);
  const decoder = new TextDecoder();
  let hidden = 0;
  let missing: string | undefined;
  for (let offset = 0; lines?.isOver !== true; ) {
    const part = await read(offset, CHUNK_BYTES);
    if (typeof part === "string")
      return { isDone: false, note: "did not show the rest of ID: it was deleted in the meantime." };
    const { bytes, gap, producedBytes } = part;
    if (isPlain && offset === 0 && looksBinary(bytes)) return { isDone: false, note: BINARY };
    if (bytes.length === 0 && gap !== undefined && offset < gap[1]) {
      missing = `bytes ${gap[0]} to ${gap[1]} of ${producedBytes} were not stored`;
      const note = `showed ID up to a gap: ${missing}, so lines after the gap cannot be counted.`;
      if (lines !== undefined) return { isDone: false, note };
      offset = gap[1];
      continue;
    }
    if (bytes.length === 0) break;
    offset += bytes.length;
    const chosen = lines?.take(bytes) ?? bytes;
    const { text, removed } = isPlain ? stripControls(decoder.decode(chosen, { stream: true })) : NOTHING;
    hidden += removed;
    if (!(await written(output, isPlain ? Buffer.from(text) : chosen))) return { isDone: true };
  }
  // An incomplete character at the end becomes U+FFFD.
  const half = decoder.decode();
  if (half !== "" && !(await written(output, Buffer.from(half)))) return { isDone: true };
  if (missing !== undefined) return { isDone: true, note: `showed the stored part of ID: ${missing}.` };
  if (hidden === 0) return { isDone: true };
  return { isDone: true, note: `removed ${hidden} control characters of ID; --raw prints them.` };
}

const BINARY =
  "did not show ID: it is binary. `haft artifacts export ID PATH` writes it to a file; --raw prints it anyway.";
const NOTHING = { text: "", removed: 0 };

/** Passes through the lines of a range. */
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

/** False if the reader is gone. */
function written(output: Output, bytes: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    output.write(bytes, (error) => resolve(error === undefined || error === null));
  });
}
