import { closeSync, readSync } from "node:fs";
import { type SearchScope, type SearchTally, type SkipReason, searchTree } from "../../../engines/search/index.js";
import { type GrepHit, type GrepQuery, isExceptedBelow, type SearchEnd } from "../../../kernel/index.js";
import {
  FileHits,
  jsonRecords,
  LineReader,
  type LineRecord,
  type OutputPlan,
  pathRecords,
  type RipgrepText,
} from "../../ripgrep/index.js";
import { localFsFault } from "../fs/faults.js";
import { hasBom, hasNul } from "./file-bytes.js";
import type { TreeSource } from "./tree-source.js";

const WHOLE = Number.POSITIVE_INFINITY;
const UNCOUNTED: ReadonlySet<SkipReason> = new Set(["binary", "large", "special"]);

interface FoundFilesOptions {
  readonly query: GrepQuery;
  readonly scope: SearchScope;
  readonly source: TreeSource;
  readonly tally: SearchTally;
  /** Whether the root is one file. ripgrep then does not skip it if it is binary. */
  readonly isAlone: boolean;
  isIncluded(path: string): boolean;
  absolute(reported: string): string;
  /** Matching lines of one file after which no more are needed. */
  enough(): number;
}

/** The hits of one file. */
interface FoundEntry {
  readonly path: string;
  readonly hits: readonly GrepHit[];
}

/** Turns ripgrep's output into hits, file by file. Each file is opened, authorized and read again here. */
export class FoundFiles {
  /** ripgrep reported that it has finished. */
  isWhole = false;
  readonly #options: FoundFilesOptions;
  readonly #reader = new LineReader();

  constructor(options: FoundFilesOptions) {
    this.#options = options;
  }

  findings(output: AsyncIterable<Buffer>, plan: OutputPlan): AsyncGenerator<FoundEntry, void> {
    return plan.output === "lines" ? this.#inLines(output, plan.maxLines) : this.#inPaths(output, plan.output);
  }

  async *#inLines(output: AsyncIterable<Buffer>, maxLines: number | undefined): AsyncGenerator<FoundEntry, void> {
    let open: OpenFound | undefined;
    try {
      for await (const record of jsonRecords(output, this.#options.query.maxLineBytes)) {
        if (record.type === "summary") this.#finished(record.data.stats.searches);
        else if (record.type === "begin") open = await this.#begin(record.data.path);
        else if (open === undefined) continue;
        else if (record.type !== "end") open = this.#take(open, record);
        else {
          const ended = open;
          open = undefined;
          const finding = await this.#finish(ended, record.data.binary_offset !== null, maxLines);
          if (finding !== undefined) yield finding;
        }
      }
    } finally {
      if (open !== undefined) closeSync(open.descriptor);
    }
  }

  async #begin(reported: RipgrepText): Promise<OpenFound | undefined> {
    const path = this.#pathOf(reported);
    const descriptor = path === undefined ? undefined : await this.#open(path, 0);
    if (path === undefined || descriptor === undefined) return undefined;
    this.#reader.open((buffer, at, length, position) => readSync(descriptor, buffer, at, length, position));
    const found = new FileHits({ path, query: this.#options.query, reader: this.#reader });
    // ripgrep counts offsets from behind a BOM, in the decoded text.
    found.isForOwnEngine = hasBom(descriptor);
    return { path, descriptor, found };
  }

  /** Undefined when the file is no longer readable. */
  #take(open: OpenFound, record: LineRecord): OpenFound | undefined {
    if (open.found.isForOwnEngine) return open;
    try {
      open.found.take(record);
      return open;
    } catch (thrown) {
      closeSync(open.descriptor);
      this.#options.tally.failed(localFsFault(thrown, "read", open.path), open.path);
      return undefined;
    }
  }

  /** Decides on a file after its last line, and closes it. */
  async #finish(
    { path, descriptor, found }: OpenFound,
    isBinary: boolean,
    maxLines: number | undefined,
  ): Promise<FoundEntry | undefined> {
    const { query, tally } = this.#options;
    try {
      if (isBinary) {
        this.#skip("binary");
        return undefined;
      }
      const isCut = maxLines !== undefined && found.matchedLines >= maxLines;
      if (found.isForOwnEngine) return await this.#searchFile(path);
      if (found.matchedLines === 0) return undefined;
      // The part that ripgrep did not read may still contain a NUL.
      const isText =
        !isCut || query.binary !== "any-nul" || (await this.#isText(descriptor, [found.nextOffset, WHOLE]));
      return isText ? { path, hits: found.hits } : undefined;
    } catch (thrown) {
      tally.failed(localFsFault(thrown, "read", path), path);
      return undefined;
    } finally {
      closeSync(descriptor);
    }
  }

  async *#inPaths(output: AsyncIterable<Buffer>, what: "counts" | "files"): AsyncGenerator<FoundEntry, void> {
    for await (const record of pathRecords(output, what === "counts")) {
      if (record.kind === "summary") {
        this.#finished(record.searches);
        continue;
      }
      const path = this.#pathOf(record.path);
      if (path === undefined) continue;
      const finding = what === "files" ? await this.#searchFile(path) : await this.#counted(path, record.count);
      if (finding !== undefined) yield finding;
    }
  }

  /** A file with the number of matching lines that ripgrep found. */
  async #counted(path: string, count: number): Promise<FoundEntry | undefined> {
    const { query, isAlone } = this.#options;
    const descriptor = await this.#open(path, isAlone ? WHOLE : 0);
    if (descriptor === undefined) return undefined;
    closeSync(descriptor);
    const hit: GrepHit = { kind: "hit", path, line: 0, bytes: new Uint8Array(), at: [] };
    return { path, hits: [query.mode === "count" ? { ...hit, count } : hit] };
  }

  /** Searches the file with our own engine: it must be decoded, may match densely, or has changed since ripgrep read it. */
  async #searchFile(path: string): Promise<FoundEntry | undefined> {
    const { query, scope, source, tally, enough } = this.#options;
    const hits: GrepHit[] = [];
    try {
      for await (const item of searchTree(source, { ...query, root: path, offset: 0, limit: enough() }, scope)) {
        if (item.kind === "hit") hits.push(item);
        else this.#add(item);
      }
    } catch (thrown) {
      tally.failed(thrown, path);
      return undefined;
    }
    return hits.length === 0 || scope.signal.aborted ? undefined : { path, hits };
  }

  /**
   * Opens a file that was found; undefined when it may not be returned, which is then counted as skipped.
   * @param classifiedBytes - How many bytes are checked for a NUL where a NUL anywhere counts.
   */
  async #open(path: string, classifiedBytes: number): Promise<number | undefined> {
    const { query, source, tally } = this.#options;
    const toJudge = query.binary === "any-nul" ? classifiedBytes : query.binary.firstBytes;
    let descriptor: number | undefined;
    try {
      descriptor = (await source.open(path)).descriptor;
      if (await this.#isText(descriptor, [0, toJudge])) return descriptor;
    } catch (thrown) {
      tally.failed(localFsFault(thrown, "read", path), path);
    }
    if (descriptor !== undefined) closeSync(descriptor);
    return undefined;
  }

  /** Whether the range contains no NUL. */
  async #isText(descriptor: number, range: readonly [number, number]): Promise<boolean> {
    const isBinary = await hasNul(descriptor, range, this.#options.scope.signal);
    if (isBinary === true) this.#skip("binary");
    return isBinary === false;
  }

  /** The absolute path of a file that ripgrep reported; undefined when it is excluded or not valid UTF-8. */
  #pathOf(reported: RipgrepText): string | undefined {
    const { query, scope, tally, isAlone, absolute, isIncluded } = this.#options;
    if ("bytes" in reported) {
      tally.skip("unreadable", absolute(Buffer.from(reported.bytes, "base64").toString()));
      return undefined;
    }
    const path = absolute(reported.text);
    // ripgrep knows fewer letters by their other case than `exceptNames`.
    const isExcepted = !isAlone && isExceptedBelow(scope.exceptNames, query.root, path);
    return isIncluded(path) && !isExcepted ? path : undefined;
  }

  /** Below a directory ripgrep skips most binary and large files without a report, so none of them are counted. */
  #skip(reason: SkipReason, path?: string): void {
    if (this.#options.isAlone || !UNCOUNTED.has(reason)) this.#options.tally.skip(reason, path);
  }

  /** Adds what the search of one file skipped. */
  #add({ skipped, unreadable = [] }: SearchEnd): void {
    for (const [reason, count] of Object.entries(skipped)) {
      for (let index = 0; index < count; index++) this.#skip(reason as SkipReason, unreadable[index]);
    }
  }

  #finished(searches: number): void {
    this.isWhole = true;
    this.#options.tally.seen = searches;
  }
}

interface OpenFound {
  readonly path: string;
  readonly descriptor: number;
  readonly found: FileHits;
}
