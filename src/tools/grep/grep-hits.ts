import type { GrepHit, SearchEnd } from "../../kernel/index.js";
import { decodeText, stripControls, utf8Length } from "../../text/index.js";
import type { GrepData, GrepHitData } from "./contract.js";

/** Bytes that a row of an answer takes beside its path and its text: the line number and the signs between. */
const ROW_BYTES = 12;

export interface HitBounds {
  readonly mode: GrepData["mode"];
  readonly context: number;
  /** Bytes of all rows together. */
  readonly maxBytes: number;
  /** A path as the answer tells it. */
  shown(path: string): string;
}

type Line = GrepHitData["before"][number];

/** Gathers what a search yields into the hits of an answer, each with the lines around it, as far as the answer has room. */
export class HitCollector {
  readonly hits: (GrepHitData & { readonly before: Line[]; readonly after: Line[] })[] = [];
  readonly counts: { readonly path: string; readonly count: number }[] = [];
  end: SearchEnd | undefined;
  /** Hits that were found and had no room. */
  omitted = 0;
  keptBytes = 0;
  omittedBytes = 0;
  /** The hit that context lines may still follow, by the path that the search gave. */
  #last: { readonly path: string; readonly line: number; readonly after: Line[] | undefined } | undefined;
  #before: { readonly path: string; readonly line: Line }[] = [];

  constructor(private readonly bounds: HitBounds) {}

  take(item: GrepHit | SearchEnd): void {
    if (item.kind === "end") this.end = item;
    else if (item.context === true) this.#takeContext(item);
    else this.#takeHit(item);
  }

  /** How many hits, or files in the other modes, the answer holds. */
  get kept(): number {
    return this.bounds.mode === "count" ? this.counts.length : this.hits.length;
  }

  #takeContext(item: GrepHit): void {
    const line = { line: item.line, text: textOf(item.bytes) };
    const { path } = item;
    if (this.#last?.path !== path || item.line > this.#last.line + this.bounds.context) {
      this.#before.push({ path, line });
      return;
    }
    const size = this.#sizeOf(path, [line]);
    const { after } = this.#last;
    if (after !== undefined && this.omittedBytes === 0 && this.keptBytes + size <= this.bounds.maxBytes) {
      after.push(line);
      this.keptBytes += size;
    } else this.omittedBytes += size;
  }

  #takeHit(item: GrepHit): void {
    const { path } = item;
    const before = this.#before
      .filter((one) => one.path === path && one.line.line >= item.line - this.bounds.context)
      .map(({ line }) => line);
    this.#before = [];
    const text = textOf(item.bytes);
    const size = this.#sizeOf(path, [...before, { line: item.line, text }]);
    const isNext = this.omittedBytes === 0 && this.keptBytes + size <= this.bounds.maxBytes;
    const hasRoom = isNext || this.kept === 0;
    const after: Line[] | undefined = hasRoom ? [] : undefined;
    this.#last = { path, line: item.line, after };
    if (after === undefined) {
      this.omitted++;
      this.omittedBytes += size;
      return;
    }
    this.keptBytes += size;
    const shown = this.bounds.shown(path);
    if (this.bounds.mode === "count") this.counts.push({ path: shown, count: item.count ?? 0 });
    else
      this.hits.push({ path: shown, line: item.line, text, truncatedBytes: item.truncatedBytes ?? 0, before, after });
  }

  #sizeOf(path: string, lines: readonly Line[]): number {
    const name = utf8Length(this.bounds.shown(path)) + ROW_BYTES;
    return lines.reduce((sum, { text }) => sum + name + utf8Length(text), 0);
  }
}

/** What stands in a line, for reading: no control characters, and nothing of its end. */
function textOf(bytes: Uint8Array): string {
  return stripControls(decodeText(bytes, "utf-8").text.replace(/\r+$/, "")).text;
}

/** Hits that came as found, put in the order of their paths and lines. */
export function sortedHits<Hit extends { readonly path: string; readonly line?: number }>(hits: readonly Hit[]): Hit[] {
  return [...hits].sort(
    (one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0) || (one.line ?? 0) - (other.line ?? 0),
  );
}
