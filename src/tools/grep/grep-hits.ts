import type { GrepHit, SearchEnd } from "../../kernel/index.js";
import { decodeText, stripControls, utf8Length } from "../../text/index.js";
import type { GrepData, GrepHitData } from "./contract.js";

/** Bytes of a row beside its path and text: the line number and separators. */
const ROW_BYTES = 12;

interface HitBounds {
  readonly mode: GrepData["mode"];
  readonly context: number;
  /** Bytes of all rows together. */
  readonly maxBytes: number;
  /** A path as shown. */
  shown(path: string): string;
}

type Line = GrepHitData["before"][number];

/** Collects hits with their context lines, up to the size limit of the result. */
export class HitCollector {
  readonly hits: (GrepHitData & { readonly before: Line[]; readonly after: Line[] })[] = [];
  readonly counts: { readonly path: string; readonly count: number }[] = [];
  end: SearchEnd | undefined;
  /** Hits that did not fit. */
  omitted = 0;
  keptBytes = 0;
  omittedBytes = 0;
  /** The hit that context lines may still follow, with the path as the search gave it. */
  #last: { readonly path: string; readonly line: number; readonly after: Line[] | undefined } | undefined;
  #before: { readonly path: string; readonly line: Line }[] = [];

  constructor(private readonly bounds: HitBounds) {}

  take(item: GrepHit | SearchEnd): void {
    if (item.kind === "end") this.end = item;
    else if (item.context === true) this.#takeContext(item);
    else this.#takeHit(item);
  }

  /** How many hits, or files in the other modes, were collected. */
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
    const fits = isNext || this.kept === 0;
    const after: Line[] | undefined = fits ? [] : undefined;
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

/** The text of a line without control characters and line ending. */
function textOf(bytes: Uint8Array): string {
  return stripControls(decodeText(bytes, "utf-8").text.replace(/\r+$/, "")).text;
}

/** Sorts hits by path and line. */
export function sortedHits<Hit extends { readonly path: string; readonly line?: number }>(hits: readonly Hit[]): Hit[] {
  return [...hits].sort(
    (one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0) || (one.line ?? 0) - (other.line ?? 0),
  );
}
