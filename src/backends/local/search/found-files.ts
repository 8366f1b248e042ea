import { closeSync } from "node:fs";
import {
  type GrepHit,
  type GrepQuery,
  type SearchPattern,
  type SearchScope,
  searchTree,
} from "../../../kernel/index.js";
import { FileHits } from "./file-hits.js";
import { jsonRecords, type RipgrepText } from "./json-records.js";
import { LineReader } from "./line-reader.js";
import { holdsNul } from "./nul-search.js";
import { pathRecords } from "./path-records.js";
import type { RipgrepOutput } from "./ripgrep-arguments.js";
import type { RipgrepPattern } from "./ripgrep-pattern.js";
import type { SkipCounts } from "./skip-counts.js";
import type { TreeSource } from "./tree-source.js";

/** Lines of one file that ripgrep may take for matches in vain before our own engine searches that file. */
const VAIN_LINES = 50;

/** What ripgrep is asked to print. */
export interface OutputPlan {
  readonly output: RipgrepOutput;
  /** Most matches of one file. */
  readonly maxLines: number | undefined;
}

export interface FoundFilesOptions {
  readonly query: GrepQuery;
  readonly pattern: SearchPattern;
  readonly ripgrepPattern: RipgrepPattern;
  readonly scope: SearchScope;
  readonly source: TreeSource;
  readonly counts: SkipCounts;
  /** Whether the root is one file. ripgrep then does not leave it out when it turns out binary. */
  readonly isAlone: boolean;
  isWanted(path: string): boolean;
  absolute(told: string): string;
}

/** The hits of one file. */
export interface Finding {
  readonly path: string;
  readonly hits: readonly GrepHit[];
}

export function outputPlan(query: GrepQuery, { doubt }: RipgrepPattern): OutputPlan {
  const isDoubtful = doubt.carriageReturn || doubt.beyondAscii;
  const vain = isDoubtful ? VAIN_LINES : 0;
  if (query.pattern.multiline) return { output: "files", maxLines: undefined };
  if (query.mode === "content") return { output: "lines", maxLines: query.offset + query.limit + 1 + vain };
  if (!isDoubtful) return { output: "counts", maxLines: undefined };
  return { output: "lines", maxLines: query.mode === "files" ? 1 + vain : undefined };
}

/** Makes hits of what ripgrep prints, file by file. Each file is opened and judged here, and read again. */
export class FoundFiles {
  /** ripgrep says that it came to its end. */
  isWhole = false;
  readonly #options: FoundFilesOptions;
  readonly #reader = new LineReader();

  constructor(options: FoundFilesOptions) {
    this.#options = options;
  }

  /** @param enough - Matching lines of one file after which no further one is needed, at the time. */
  findings(output: AsyncIterable<Buffer>, plan: OutputPlan, enough: () => number): AsyncGenerator<Finding, void> {
    if (plan.output === "lines") return this.#inLines(output, plan.maxLines, enough);
    return this.#inPaths(output, plan.output, enough);
  }

  async *#inLines(
    output: AsyncIterable<Buffer>,
    maxLines: number | undefined,
    enough: () => number,
  ): AsyncGenerator<Finding, void> {
    const { counts, query } = this.#options;
    let open: OpenFound | undefined;
    try {
      for await (const record of jsonRecords(output, query.maxLineBytes)) {
        if (record.type === "summary") this.#finished(record.data.stats.searches);
        else if (record.type === "begin") open = await this.#begin(record.data.path);
        else if (open === undefined) continue;
        else if (record.type !== "end") open.found.take(record);
        else {
          const { descriptor } = open;
          const isBinary = record.data.binary_offset !== null;
          if (isBinary) counts.endedBinary();
          const finding = isBinary ? undefined : await this.#finish(open, maxLines, enough());
          open = undefined;
          closeSync(descriptor);
          if (finding !== undefined) yield finding;
        }
      }
    } finally {
      if (open !== undefined) closeSync(open.descriptor);
    }
  }

  async #begin(told: RipgrepText): Promise<OpenFound | undefined> {
    const path = this.#pathOf(told);
    const descriptor = path === undefined ? undefined : await this.#open(path, false);
    if (path === undefined || descriptor === undefined) return undefined;
    this.#reader.open(descriptor);
    const { query, pattern, ripgrepPattern } = this.#options;
    const found = new FileHits({ path, query, pattern, doubt: ripgrepPattern.doubt, reader: this.#reader });
    return { path, descriptor, found };
  }

  /** Judges a file whose lines have all come. */
  async #finish(
    { path, descriptor, found }: OpenFound,
    maxLines: number | undefined,
    enough: number,
  ): Promise<Finding | undefined> {
    const { query, scope, counts } = this.#options;
    const isCut = maxLines !== undefined && found.records >= maxLines;
    if (found.hasChanged || (isCut && found.matchedLines < enough)) return this.#searchFile(path, enough);
    if (found.matchedLines === 0) return undefined;
    // What ripgrep did not read any more may still make the file binary.
    if (isCut && query.binary === "any-nul") {
      const isBinary = await holdsNul(descriptor, found.nextOffset, Number.POSITIVE_INFINITY, scope.signal);
      if (isBinary === true) counts.skip("binary");
      if (isBinary !== false) return undefined;
    }
    return { path, hits: query.mode === "content" ? found.hits : [fileHit(path, query.mode, found.matchedLines)] };
  }

  async *#inPaths(
    output: AsyncIterable<Buffer>,
    what: "counts" | "files",
    enough: () => number,
  ): AsyncGenerator<Finding, void> {
    for await (const record of pathRecords(output, what === "counts")) {
      if (record.kind === "summary") {
        this.#finished(record.searches);
        continue;
      }
      const path = this.#pathOf(record.path);
      if (path === undefined) continue;
      const finding =
        what === "files" ? await this.#searchFile(path, enough()) : await this.#counted(path, record.count);
      if (finding !== undefined) yield finding;
    }
  }

  async #counted(path: string, count: number): Promise<Finding | undefined> {
    const { query, isAlone } = this.#options;
    const descriptor = await this.#open(path, isAlone);
    if (descriptor === undefined) return undefined;
    closeSync(descriptor);
    return { path, hits: [fileHit(path, query.mode === "count" ? "count" : "files", count)] };
  }

  /** The file searched by our own engine: its pattern is not ripgrep's, or the file is not what ripgrep read. */
  async #searchFile(path: string, enough: number): Promise<Finding | undefined> {
    const { query, scope, source, counts } = this.#options;
    const hits: GrepHit[] = [];
    try {
      for await (const item of searchTree(source, { ...query, root: path, offset: 0, limit: enough }, scope)) {
        if (item.kind === "hit") hits.push(item);
        else counts.add(item);
      }
    } catch (thrown) {
      counts.failed(thrown, path);
      return undefined;
    }
    return hits.length === 0 || scope.signal.aborted ? undefined : { path, hits };
  }

  /**
   * Opens a file that was found; undefined when nothing of it may be given out, which is then counted.
   * @param isWhole - Whether all of it is looked at for a NUL.
   */
  async #open(path: string, isWhole: boolean): Promise<number | undefined> {
    const { query, scope, source, counts } = this.#options;
    const judgedBytes = query.binary === "any-nul" ? (isWhole ? Number.POSITIVE_INFINITY : 0) : query.binary.firstBytes;
    try {
      const { descriptor } = await source.open(path);
      const isBinary = await holdsNul(descriptor, 0, judgedBytes, scope.signal);
      if (isBinary === false) return descriptor;
      closeSync(descriptor);
      if (isBinary === true) counts.skip("binary");
    } catch (thrown) {
      counts.failed(thrown, path);
    }
    return undefined;
  }

  /** The absolute path of what ripgrep names; undefined when it is not wanted, or cannot be told. */
  #pathOf(told: RipgrepText): string | undefined {
    const { counts, absolute, isWanted } = this.#options;
    if ("bytes" in told) {
      counts.skip("unreadable", absolute(Buffer.from(told.bytes, "base64").toString()));
      return undefined;
    }
    const path = absolute(told.text);
    return isWanted(path) ? path : undefined;
  }

  #finished(searches: number): void {
    this.isWhole = true;
    this.#options.counts.seen = searches;
  }
}

interface OpenFound {
  readonly path: string;
  readonly descriptor: number;
  readonly found: FileHits;
}

function fileHit(path: string, mode: "files" | "count", matchedLines: number): GrepHit {
  const hit: GrepHit = { kind: "hit", path, line: 0, bytes: new Uint8Array(), at: [] };
  return mode === "count" ? { ...hit, count: matchedLines } : hit;
}
