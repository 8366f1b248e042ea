import type { LinesPassed } from "../../kernel/index.js";
import type { TextForm } from "../../text/index.js";
import type { ReadData, ReadLimits } from "./contract.js";
import { LineCollector } from "./line-collector.js";
import { type LineIndex, newlinesIn } from "./line-index.js";
import { type LineSource, type LineTerminators, nextNewline, readAhead, wholeUnits } from "./line-source.js";
import { decodedLines, lineText } from "./line-text.js";

/** The largest file whose lines are counted. */
const MAX_COUNTED_BYTES = 64 * 1024 * 1024;
/** The most that one window returns where the dialect sets no limit. */
const MAX_WINDOW_BYTES = 64 * 1024 * 1024;
/** Bytes read at once when looking for a line from the end. */
const STEP_BYTES = 256 * 1024;

interface WindowRequest {
  /** First line; negative counts from the end. */
  readonly offset: number;
  readonly limit: number | undefined;
  readonly limits: ReadLimits;
}

type LineWindow = Pick<
  ReadData,
  | "text"
  | "startLine"
  | "endLine"
  | "totalLines"
  | "atLeastLines"
  | "nextOffset"
  | "truncatedByBytes"
  | "truncatedLines"
  | "replaced"
>;

/**
 * Reads a window of lines. The first and last lines cost only the window; one in the middle costs a scan up to it the
 * first time, and a block of the index after that.
 */
export async function readLineWindow(
  source: LineSource,
  form: TextForm,
  index: LineIndex,
  request: WindowRequest,
): Promise<LineWindow> {
  const job = new WindowJob(source, form, index, request);
  const { offset } = request;
  const whole = offset === 1 ? job.whole() : undefined;
  if (whole !== undefined) return whole;
  const isCounted = source.size <= MAX_COUNTED_BYTES;
  if (offset > 0) {
    const window = await job.forward(offset);
    if (isCounted) await job.countAll();
    return job.summary(window);
  }
  if (isCounted) await job.countAll();
  const total = index.totalLines;
  if (total !== undefined) return job.summary(await job.forward(Math.max(1, total + 1 + offset)));
  return job.summary(await job.backward(-offset));
}

interface Window {
  readonly startLine: number;
  readonly collector: LineCollector;
  /** Where the examined bytes end. */
  readonly end: number;
}

class WindowJob {
  readonly #ends: LineTerminators;
  readonly #bounds: { readonly maxLines: number; readonly maxBytes: number; readonly maxLineBytes: number };

  constructor(
    private readonly source: LineSource,
    private readonly form: TextForm,
    private readonly index: LineIndex,
    request: WindowRequest,
  ) {
    const { limits, limit = Number.POSITIVE_INFINITY } = request;
    const isUtf16 = form.encoding.startsWith("utf-16");
    this.#ends = { unitBytes: isUtf16 ? 2 : 1, bigEndian: form.encoding === "utf-16be" };
    const isWhole = limits.truncate === "none";
    const maxBytes = isWhole ? MAX_WINDOW_BYTES : limits.maxBytes;
    this.#bounds = {
      maxLines: isWhole ? limit : Math.min(limit, limits.maxLines),
      maxBytes,
      maxLineBytes: Math.min(maxBytes, isWhole ? maxBytes : limits.maxLineBytes),
    };
  }

  /** All lines of a file in memory, which no limit truncates: most files. */
  whole(): LineWindow | undefined {
    const { whole: bytes } = this.source;
    const { maxBytes, maxLineBytes, maxLines } = this.#bounds;
    const { encoding, bomBytes } = this.form;
    if (bytes === undefined || bytes.length === 0 || bytes.length > maxBytes) return undefined;
    if (encoding !== "utf-8" || bomBytes > 0) return undefined;
    // Each step passes as many lines as have no more bytes together than one may have.
    for (let start = 0; bytes.length - start > maxLineBytes; ) {
      const newline = bytes.lastIndexOf(10, start + maxLineBytes);
      if (newline < start) return undefined;
      start = newline + 1;
    }
    const lines = newlinesIn(bytes, this.#ends) + (bytes.at(-1) === 10 ? 0 : 1);
    const decoded = lines > maxLines ? undefined : decodedLines(bytes, encoding, maxBytes);
    if (decoded === undefined) return undefined;
    const { text, replaced } = decoded;
    const window = { text, startLine: 1, endLine: lines, totalLines: lines, truncatedLines: [] };
    return replaced > 0 ? { ...window, replaced } : window;
  }

  /** From a line counted from the start. */
  async forward(line: number): Promise<Window> {
    const { offset, newlines } = this.index.checkpointBefore(line);
    const toSkip = line - 1 - newlines;
    const { maxBytes, maxLineBytes } = this.#bounds;
    const passed = toSkip === 0 ? undefined : await this.#pass(offset, newlines, toSkip, maxBytes + maxLineBytes);
    const { head, size } = this.source;
    const known = line === 1 && head !== undefined && head.length > 0 ? { bytes: head, size } : undefined;
    if (passed === undefined) return this.#collect(line, offset, toSkip, known);
    if (passed.newlines < toSkip) return { startLine: line, collector: this.#newCollector(), end: this.source.size };
    return this.#collect(line, passed.from, 0, passed);
  }

  /** From a line counted from the end, in a file whose lines have not been counted. */
  async backward(fromEnd: number): Promise<Window> {
    const { size } = this.source;
    let start = size - (size % this.#ends.unitBytes);
    let newlines = 0;
    while (start > 0) {
      const from = Math.max(0, start - STEP_BYTES);
      const block = await this.source.range(from, start - from);
      const places = newlinePlaces(block, this.#ends);
      const isLast = start + this.#ends.unitBytes > size;
      // The newline that ends the file ends its last line and begins none.
      if (isLast && places.at(-1) === block.length - this.#ends.unitBytes) places.pop();
      if (newlines + places.length >= fromEnd) {
        const at = from + places[places.length - (fromEnd - newlines)]! + this.#ends.unitBytes;
        return this.#collect(-fromEnd, at, 0, { bytes: block.subarray(at - from), size });
      }
      newlines += places.length;
      start = from;
    }
    return this.#collect(1, 0, 0);
  }

  /** Scans the part that is not indexed yet, to the end of the file. */
  async countAll(): Promise<void> {
    let offset = this.index.scanned;
    if (offset >= this.source.size) return;
    if ((await this.#pass(offset, this.index.newlines, Number.MAX_SAFE_INTEGER, 1)) !== undefined) return;
    for await (const chunk of wholeUnits(readAhead(this.source.chunks(offset, true)), this.#ends.unitBytes)) {
      this.index.push(offset, chunk);
      offset += chunk.length;
    }
  }

  summary({ startLine, collector, end }: Window): LineWindow {
    const total = this.index.totalLines ?? null;
    const decoded = lineText(collector.lines, startLine, this.form.encoding, this.#bounds);
    const count = decoded.lines;
    const endLine = startLine + count - 1;
    const truncatedByBytes = count < collector.lines.length || collector.isFullByBytes;
    const hasMore = truncatedByBytes || (collector.isFull && end < this.source.size);
    return {
      text: decoded.text,
      startLine: count === 0 ? 0 : startLine,
      endLine: count === 0 ? 0 : endLine,
      totalLines: total,
      ...(total === null ? { atLeastLines: Math.max(this.index.newlines, endLine, 0) } : {}),
      ...(hasMore ? { nextOffset: endLine + 1 } : {}),
      ...(truncatedByBytes ? { truncatedByBytes } : {}),
      truncatedLines: decoded.truncatedLines,
      ...(decoded.replaced > 0 ? { replaced: decoded.replaced } : {}),
    };
  }

  /**
   * Passes line feeds from `offset` on, which has `before` of them before it, where the file is, and notes what was counted.
   * Undefined if its bytes have to be scanned here.
   */
  async #pass(offset: number, before: number, newlines: number, length: number): Promise<LinesPassed | undefined> {
    // Half a unit of UTF-16 can be 10, too.
    if (this.#ends.unitBytes !== 1) return undefined;
    const passed = await this.source.pastLines?.(offset, newlines, Math.min(length, STEP_BYTES));
    if (passed === undefined) return undefined;
    const { bytes, from, marks } = passed;
    for (const mark of marks) if (mark.offset < passed.size) this.index.note(mark.offset, before + mark.newlines, true);
    const isEnd = passed.newlines < newlines;
    const endsOpen = isEnd && bytes.at(-1) !== 10;
    this.index.note(isEnd ? from + bytes.length : from, before + passed.newlines, endsOpen);
    return passed;
  }

  /**
   * Collects from the `toSkip`th line start after `from` on; the lines get their numbers from `startLine`.
   * @param first - The bytes from there on that were read already.
   */
  async #collect(
    startLine: number,
    from: number,
    toSkip: number,
    first?: Pick<LinesPassed, "bytes" | "size">,
  ): Promise<Window> {
    const collector = this.#newCollector();
    let left = toSkip;
    let offset = from;
    let end = from;
    const isScan = toSkip > 0;
    const chunks = first === undefined ? this.source.chunks(from, isScan) : continued(first, from, this.source);
    for await (const chunk of wholeUnits(isScan ? readAhead(chunks) : chunks, this.#ends.unitBytes)) {
      const counted = this.index.push(offset, chunk);
      const lines = left === 0 ? 0 : (counted ?? newlinesIn(chunk, this.#ends));
      const start = offset;
      offset += chunk.length;
      if (lines < left) {
        left -= lines;
        end = offset;
        continue;
      }
      const to = afterNewlines(chunk, left, this.#ends);
      left = 0;
      // The collected lines are kept.
      end = start + to + this.#push(collector, isScan ? chunk.slice(to) : chunk.subarray(to), start + to);
      if (collector.isFull) break;
    }
    collector.finish();
    return { startLine, collector, end };
  }

  #newCollector(): LineCollector {
    const { maxLines, maxBytes, maxLineBytes } = this.#bounds;
    // English UTF-16 text needs half as many bytes in UTF-8.
    const { unitBytes } = this.#ends;
    return new LineCollector(
      { maxLines, maxBytes: maxBytes * unitBytes, maxLineBytes: maxLineBytes * unitBytes },
      this.#ends,
    );
  }

  /** Skips the BOM. Returns the bytes consumed, including the BOM. */
  #push(collector: LineCollector, bytes: Uint8Array, offset: number): number {
    const checkpoint = Math.min(bytes.length, Math.max(0, this.form.bomBytes - offset));
    return checkpoint + collector.push(bytes.subarray(checkpoint));
  }
}

/** The first bytes, and the rest of the file if it is requested. */
async function* continued(
  { bytes, size }: Pick<LinesPassed, "bytes" | "size">,
  from: number,
  source: LineSource,
): AsyncIterable<Uint8Array> {
  yield bytes;
  const next = from + bytes.length;
  if (next < size) yield* source.chunks(next, false);
}

/** The start of the line after `count` newlines of the chunk, which has that many. */
function afterNewlines(chunk: Uint8Array, count: number, ends: LineTerminators): number {
  let to = 0;
  for (let lines = 0; lines < count; lines++) to = nextNewline(chunk, to, ends) + ends.unitBytes;
  return to;
}

function newlinePlaces(block: Uint8Array, ends: LineTerminators): number[] {
  const places: number[] = [];
  for (let at = nextNewline(block, 0, ends); at !== -1; at = nextNewline(block, at + ends.unitBytes, ends))
    places.push(at);
  return places;
}
