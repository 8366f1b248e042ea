import { closeSync } from "node:fs";
import {
  type GrepHit,
  type GrepQuery,
  globFilter,
  isWithin,
  pageOf,
  type SearchEnd,
  type SearchPattern,
  type SearchScope,
  SearchTally,
  type SkipReason,
  searchTree,
  whyAborted,
} from "../../../kernel/index.js";
import type { FsBinding } from "../fs-spot.js";
import { FileHits } from "./file-hits.js";
import { ALIEN_IGNORE_FILE, ignoreFlags } from "./ignore-flags.js";
import { jsonRecords, type RipgrepText } from "./json-records.js";
import { LineReader } from "./line-reader.js";
import { holdsNul } from "./nul-search.js";
import { pathRecords } from "./path-records.js";
import { type RipgrepOutput, ripgrepArguments } from "./ripgrep-arguments.js";
import { type LogEntry, RipgrepLog } from "./ripgrep-log.js";
import { type RipgrepPattern, ripgrepPattern } from "./ripgrep-pattern.js";
import { type RipgrepProcess, startRipgrep } from "./ripgrep-process.js";
import type { RipgrepProgram } from "./ripgrep-program.js";
import { openSearchRoot, type SearchRoot } from "./search-root.js";
import type { TreeSource } from "./tree-source.js";

/** Lines of one file that ripgrep may take for matches in vain before our own engine searches that file. */
const VAIN_LINES = 50;
/** How much of a file that is searched alone is looked at for a NUL before; the rest ripgrep reports when it matches. */
const JUDGED_BYTES = 64 * 1024;

export interface RipgrepTask {
  readonly program: RipgrepProgram;
  readonly query: GrepQuery;
  readonly pattern: SearchPattern;
  readonly scope: SearchScope;
  readonly binding: FsBinding;
  readonly source: TreeSource;
}

/** What one file holds; undefined when it has nothing to show. */
type Finding = { readonly path: string; readonly hits: readonly GrepHit[] };

/**
 * One search by ripgrep. It names files and lines; what is given out of them is read here, from files that were judged.
 *
 * In path order ripgrep uses one thread. Names are then in the order of their bytes, which differs from that of code units
 * only between characters from U+E000 to U+FFFF and those above.
 */
export class RipgrepSearch {
  /** Files whose hits were given out. */
  readonly given = new Set<string>();
  /** Hits that are still to be skipped, and to be given. */
  toSkip: number;
  left: number;
  readonly #task: RipgrepTask;
  readonly #tally = new SearchTally();
  readonly #isWanted: (path: string) => boolean;
  readonly #reader = new LineReader();
  #process: RipgrepProcess | undefined;
  /** Binary files by its log, and by the ends of its records: the same ones, told twice. */
  #binaryLogged = 0;
  #binaryEnded = 0;
  /** It says that it came to its end. */
  #isWhole = false;
  /** It heeds rules that do not count. */
  #isMisled = false;
  #isFolder = true;

  constructor(task: RipgrepTask) {
    this.#task = task;
    this.toSkip = task.query.offset;
    this.left = task.query.limit;
    this.#isWanted = globFilter(task.query);
  }

  /**
   * Yields the hits and returns the end record; undefined when ripgrep could not do it, or not to the end: then the files
   * that are not in `given` are still to be searched.
   */
  async *hits(): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { query, scope, source, binding } = this.#task;
    if (scope.except.some((folder) => isWithin(folder, query.root))) {
      this.#tally.skip("policy");
      return this.#end("complete");
    }
    const root = await openSearchRoot(query.root, source.finder, binding);
    try {
      this.#isFolder = root.kind === "directory";
      const done = this.#isFolder ? undefined : await this.#judgeFile(root);
      if (scope.signal.aborted) return this.#end(whyAborted(scope.signal));
      return done ?? (yield* this.#run(root));
    } finally {
      root.folder.close();
    }
  }

  /** The end of a search whose root is no folder and is not searched. */
  async #judgeFile(root: SearchRoot): Promise<SearchEnd | undefined> {
    const { query, scope, source } = this.#task;
    const reason = async (): Promise<SkipReason | undefined> => {
      if (root.kind !== "file") return "special";
      if (query.maxFileBytes !== undefined && root.size > query.maxFileBytes) return "large";
      const { descriptor } = await source.open(query.root);
      try {
        const judgedBytes = query.binary === "any-nul" ? JUDGED_BYTES : query.binary.firstBytes;
        return (await holdsNul(descriptor, 0, judgedBytes, scope.signal)) === true ? "binary" : undefined;
      } finally {
        closeSync(descriptor);
      }
    };
    const skipped = await reason();
    if (skipped === undefined) return undefined;
    if (skipped === "binary") this.#tally.seen = 1;
    this.#tally.skip(skipped);
    return this.#end("complete");
  }

  async *#run(root: SearchRoot): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { program, query, scope, binding } = this.#task;
    const flags = ignoreFlags(query, root.real, binding.call.workspace);
    const pattern = await ripgrepPattern(query.pattern, query.binary);
    if (flags === undefined || pattern === undefined) return undefined;
    const plan = planOf(query, pattern);
    const log = new RipgrepLog((entry) => this.#logged(entry));
    const ripgrep = startRipgrep({
      program,
      arguments: ripgrepArguments({ query, root, pattern, ignoreFlags: flags, except: scope.except, ...plan }),
      cwd: root.folder.at(""),
      signal: scope.signal,
      onLog: (chunk) => log.push(chunk),
    });
    if (ripgrep === undefined) return undefined;
    this.#process = ripgrep;
    try {
      for await (const { path, hits } of this.#findings(ripgrep, pattern, plan)) {
        if (scope.signal.aborted) break;
        this.given.add(path);
        const page = pageOf(hits, this.toSkip, this.left, query.context);
        yield* page.hits;
        this.toSkip = page.toSkip;
        this.left = page.left;
        if (page.isFull) return this.#end("limit");
      }
      await ripgrep.ended();
      if (scope.signal.aborted) return this.#end(whyAborted(scope.signal));
      return this.#isWhole && !this.#isMisled ? this.#end("complete") : undefined;
    } finally {
      await ripgrep.stop();
    }
  }

  #findings(ripgrep: RipgrepProcess, pattern: RipgrepPattern, plan: Plan): AsyncGenerator<Finding, void> {
    if (plan.output === "lines") return this.#inLines(ripgrep, pattern, plan.maxLines);
    return this.#inPaths(ripgrep, plan.output);
  }

  async *#inLines(
    ripgrep: RipgrepProcess,
    pattern: RipgrepPattern,
    maxLines: number | undefined,
  ): AsyncGenerator<Finding, void> {
    let open: { readonly path: string; readonly descriptor: number; readonly found: FileHits } | undefined;
    try {
      for await (const record of jsonRecords(ripgrep.output())) {
        if (record.type === "summary") this.#finished(record.data.stats.searches);
        else if (record.type === "begin") {
          const path = this.#pathOf(record.data.path);
          const descriptor = path === undefined ? undefined : await this.#open(path);
          if (path === undefined || descriptor === undefined) continue;
          this.#reader.open(descriptor);
          const { query, pattern: own } = this.#task;
          const found = new FileHits({ path, query, pattern: own, doubt: pattern.doubt, reader: this.#reader });
          open = { path, descriptor, found };
        } else if (open === undefined) continue;
        else if (record.type !== "end") open.found.take(record);
        else {
          const { path, descriptor, found } = open;
          const isBinary = record.data.binary_offset !== null;
          if (isBinary) this.#binaryEnded++;
          const finding = isBinary ? undefined : await this.#finish(path, descriptor, found, maxLines);
          open = undefined;
          closeSync(descriptor);
          if (finding !== undefined) yield finding;
        }
      }
    } finally {
      if (open !== undefined) closeSync(open.descriptor);
    }
  }

  /** Judges a file whose lines have all come. */
  async #finish(
    path: string,
    descriptor: number,
    found: FileHits,
    maxLines: number | undefined,
  ): Promise<Finding | undefined> {
    const { query, scope } = this.#task;
    const isCut = maxLines !== undefined && found.records >= maxLines;
    if (found.hasChanged || (isCut && found.matchedLines < this.#enough())) return this.#searchFile(path);
    if (found.matchedLines === 0) return undefined;
    // What ripgrep did not read any more may still make the file binary.
    if (isCut && query.binary === "any-nul") {
      const isBinary = await holdsNul(descriptor, found.nextOffset, Number.POSITIVE_INFINITY, scope.signal);
      if (isBinary === true) this.#tally.skip("binary");
      if (isBinary !== false) return undefined;
    }
    return { path, hits: query.mode === "content" ? found.hits : [fileHit(path, query.mode, found.matchedLines)] };
  }

  async *#inPaths(ripgrep: RipgrepProcess, output: "counts" | "files"): AsyncGenerator<Finding, void> {
    const { query } = this.#task;
    for await (const record of pathRecords(ripgrep.output(), output === "counts")) {
      if (record.kind === "summary") {
        this.#finished(record.searches);
        continue;
      }
      const path = this.#pathOf(record.path === undefined ? { shown: record.shown } : { text: record.path });
      if (path === undefined) continue;
      if (output === "files") {
        const finding = await this.#searchFile(path);
        if (finding !== undefined) yield finding;
        continue;
      }
      const isJudged = this.#isFolder || query.binary !== "any-nul";
      const descriptor = await this.#open(path, isJudged ? undefined : Number.POSITIVE_INFINITY);
      if (descriptor === undefined) continue;
      closeSync(descriptor);
      yield { path, hits: [fileHit(path, query.mode === "count" ? "count" : "files", record.count)] };
    }
  }

  /** The file searched by our own engine: its pattern is not ripgrep's, or the file is not what ripgrep read. */
  async #searchFile(path: string): Promise<Finding | undefined> {
    const { query, scope, source } = this.#task;
    const hits: GrepHit[] = [];
    const limit = query.mode === "content" ? this.#enough() : 1;
    try {
      for await (const item of searchTree(source, { ...query, root: path, offset: 0, limit }, scope)) {
        if (item.kind === "hit") hits.push(item);
        else {
          for (const [reason, count] of Object.entries(item.skipped)) {
            for (let index = 0; index < count; index++) this.#tally.skip(reason as SkipReason, path);
          }
        }
      }
    } catch (thrown) {
      this.#tally.failed(thrown, path);
      return undefined;
    }
    return hits.length === 0 || scope.signal.aborted ? undefined : { path, hits };
  }

  /** Opens a file that was found; undefined when nothing of it may be given out, which is then counted. */
  async #open(path: string, judgedBytes?: number): Promise<number | undefined> {
    const { query, scope, source } = this.#task;
    const toJudge = judgedBytes ?? (query.binary === "any-nul" ? 0 : query.binary.firstBytes);
    try {
      const { descriptor } = await source.open(path);
      const isBinary = toJudge > 0 && (await holdsNul(descriptor, 0, toJudge, scope.signal));
      if (isBinary === false) return descriptor;
      closeSync(descriptor);
      if (isBinary === true) this.#tally.skip("binary");
    } catch (thrown) {
      this.#tally.failed(thrown, path);
    }
    return undefined;
  }

  /** The absolute path of what ripgrep names; undefined when it is not wanted, or cannot be told. */
  #pathOf(told: RipgrepText | { readonly shown: string }): string | undefined {
    if ("text" in told) {
      const path = this.#absolute(told.text);
      return this.#isWanted(path) ? path : undefined;
    }
    const shown = "shown" in told ? told.shown : Buffer.from(told.bytes, "base64").toString();
    this.#tally.skip("unreadable", this.#absolute(shown));
    return undefined;
  }

  #absolute(told: string): string {
    const { root } = this.#task.query;
    if (!this.#isFolder || told === ".") return root;
    const below = told.startsWith("./") ? told.slice(2) : told;
    return root === "/" ? `/${below}` : `${root}/${below}`;
  }

  #logged(entry: LogEntry): void {
    const path = this.#absolute(entry.path);
    if (entry.kind === "rule-file") {
      if (!entry.path.endsWith(`/${ALIEN_IGNORE_FILE}`)) return;
      this.#isMisled = true;
      void this.#process?.stop();
    } else if (entry.kind === "override") {
      if (this.#task.scope.except.includes(path)) this.#tally.skip("policy");
    } else if (entry.kind === "unreadable") this.#tally.skip("unreadable", path);
    else if (!this.#isWanted(path)) return;
    else if (entry.kind === "binary") this.#binaryLogged++;
    else this.#tally.skip(entry.kind);
  }

  #finished(searches: number): void {
    this.#isWhole = true;
    this.#tally.seen = searches;
  }

  /** One hit more than wanted: only then is it known that there are more. */
  #enough(): number {
    return this.#task.query.mode === "content" ? this.toSkip + this.left + 1 : 1;
  }

  #end(why: SearchEnd["why"]): SearchEnd {
    for (let told = Math.max(this.#binaryLogged, this.#binaryEnded); told > 0; told--) this.#tally.skip("binary");
    return this.#tally.end(why, this.#task.program.engine);
  }
}

interface Plan {
  readonly output: RipgrepOutput;
  readonly maxLines: number | undefined;
}

function planOf(query: GrepQuery, { doubt }: RipgrepPattern): Plan {
  const isDoubtful = doubt.carriageReturn || doubt.beyondAscii;
  const vain = isDoubtful ? VAIN_LINES : 0;
  if (query.pattern.multiline) return { output: "files", maxLines: undefined };
  if (query.mode === "content") return { output: "lines", maxLines: query.offset + query.limit + 1 + vain };
  if (!isDoubtful) return { output: "counts", maxLines: undefined };
  return { output: "lines", maxLines: query.mode === "files" ? 1 + vain : undefined };
}

function fileHit(path: string, mode: "files" | "count", matchedLines: number): GrepHit {
  const hit: GrepHit = { kind: "hit", path, line: 0, bytes: new Uint8Array(), at: [] };
  return mode === "count" ? { ...hit, count: matchedLines } : hit;
}
