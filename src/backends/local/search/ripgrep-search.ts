import { closeSync } from "node:fs";
import {
  type Binding,
  type Clock,
  type GrepHit,
  type GrepQuery,
  globFilter,
  HaftError,
  isWithin,
  pageOf,
  type SearchEnd,
  type SearchPattern,
  type SearchScope,
  type SkipReason,
  whyAborted,
} from "../../../kernel/index.js";
import { fsFault } from "../fs-faults.js";
import { holdsNul, scanFile } from "./file-scan.js";
import { FoundFiles, outputPlan } from "./found-files.js";
import { ignoreFlags } from "./ignore-flags.js";
import { ripgrepArguments } from "./ripgrep-arguments.js";
import { type LogEntry, RipgrepLog } from "./ripgrep-log.js";
import { ripgrepPattern } from "./ripgrep-pattern.js";
import { type ProcessWatch, type RipgrepProcess, startRipgrep } from "./ripgrep-process.js";
import type { RipgrepProgram } from "./ripgrep-program.js";
import { holdsOddRuleFile, isReadAlike } from "./rule-files.js";
import { openSearchRoot, type SearchRoot } from "./search-root.js";
import { SkipCounts } from "./skip-counts.js";
import type { TreeSource } from "./tree-source.js";

/** How much of a file that is searched alone is looked at for a NUL before; the rest ripgrep reports when it matches. */
const JUDGED_BYTES = 64 * 1024;
/** Milliseconds after which it is asked whether ripgrep waits for something that never comes. */
const PATIENCE_MS = 2_000;

export interface RipgrepTask {
  readonly program: RipgrepProgram;
  readonly query: GrepQuery;
  readonly pattern: SearchPattern;
  readonly scope: SearchScope;
  readonly binding: Binding;
  readonly source: TreeSource;
  readonly clock: Clock;
  readonly watch?: ProcessWatch | undefined;
}

/**
 * One search by ripgrep. It names files and lines; what is given out of them is read here, from files that were judged.
 *
 * In path order ripgrep uses one thread. Names are then in the order of their bytes, which differs from that of code units
 * only between characters from U+E000 to U+FFFF and those above.
 *
 * A binary file is counted when its first 64 KiB hold a NUL, or when it has one anywhere and ripgrep came to it.
 */
export class RipgrepSearch {
  /** Files whose hits were given out. */
  readonly given = new Set<string>();
  /** Hits that are still to be skipped, and to be given. */
  toSkip: number;
  left: number;
  readonly #task: RipgrepTask;
  readonly #isWanted: (path: string) => boolean;
  readonly #counts: SkipCounts;
  #process: RipgrepProcess | undefined;
  #root: SearchRoot | undefined;
  /** It heeds rules that do not count. */
  #isMisled = false;

  constructor(task: RipgrepTask) {
    this.#task = task;
    this.toSkip = task.query.offset;
    this.left = task.query.limit;
    this.#isWanted = globFilter(task.query);
    this.#counts = new SkipCounts({
      engine: task.program.engine,
      except: task.scope.except,
      isWanted: this.#isWanted,
      absolute: (told) => this.#absolute(told),
    });
  }

  /**
   * Yields the hits and returns the end record; undefined when ripgrep could not do it, or not to the end: then the files
   * that are not in `given` are still to be searched.
   */
  async *hits(): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { query, scope, source, binding } = this.#task;
    if (scope.except.some((folder) => isWithin(folder, query.root))) {
      this.#counts.skip("policy");
      return this.#counts.end("complete");
    }
    const root = await openSearchRoot(query.root, source.finder, binding);
    this.#root = root;
    try {
      const skipped = root.kind === "directory" ? undefined : await this.#judgeFile(root);
      if (scope.signal.aborted) return this.#counts.end(whyAborted(scope.signal));
      if (skipped === undefined) return yield* this.#run(root);
      if (skipped === "binary" || skipped === "unreadable") this.#counts.seen = 1;
      this.#counts.skip(skipped, query.root);
      return this.#counts.end("complete");
    } finally {
      root.folder.close();
    }
  }

  /** Why a root that is no folder is not searched; undefined when it is. */
  async #judgeFile(root: SearchRoot): Promise<SkipReason | undefined> {
    const { query, scope, source } = this.#task;
    if (root.kind !== "file") return "special";
    if (query.maxFileBytes !== undefined && root.size > query.maxFileBytes) return "large";
    let descriptor: number | undefined;
    try {
      descriptor = (await source.open(query.root)).descriptor;
      const judgedBytes = query.binary === "any-nul" ? JUDGED_BYTES : query.binary.firstBytes;
      return (await scanFile(descriptor, [0, judgedBytes], holdsNul, scope.signal)) === true ? "binary" : undefined;
    } catch (thrown) {
      const fault = fsFault(thrown, "read", query.root);
      if (HaftError.is(fault) && fault.code.startsWith("FS_")) return "unreadable";
      throw fault;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  async *#run(root: SearchRoot): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { program, query, pattern, scope, source, binding } = this.#task;
    const flags = ignoreFlags(query, root.real, binding.call.workspace);
    const forRipgrep = await ripgrepPattern(query.pattern, query.binary);
    if (flags === undefined || forRipgrep === undefined) return undefined;
    const plan = outputPlan(query, pattern);
    const log = new RipgrepLog((entry) => this.#logged(entry, root));
    const ripgrep = startRipgrep({
      program,
      arguments: ripgrepArguments({
        query,
        root,
        pattern: forRipgrep,
        ignoreFlags: flags,
        except: scope.except,
        ...plan,
      }),
      cwd: root.folder.at(""),
      signal: scope.signal,
      onLog: (chunk) => log.push(chunk),
      watch: this.#task.watch,
    });
    if (ripgrep === undefined) return undefined;
    this.#process = ripgrep;
    const found = new FoundFiles({
      query,
      pattern,
      ripgrepPattern: forRipgrep,
      scope,
      source,
      counts: this.#counts,
      isAlone: root.kind !== "directory",
      isWanted: this.#isWanted,
      absolute: (told) => this.#absolute(told),
      // One hit more than wanted: only then is it known that there are more.
      enough: () => (query.mode === "content" ? this.toSkip + this.left + 1 : 1),
    });
    const stopWaiting = this.#watchPatience();
    try {
      for await (const { path, hits } of found.findings(ripgrep.output(), plan)) {
        if (scope.signal.aborted) break;
        this.given.add(path);
        const page = pageOf(hits, this.toSkip, this.left, query.context);
        yield* page.hits;
        this.toSkip = page.toSkip;
        this.left = page.left;
        if (page.isFull) return this.#counts.end("limit");
      }
      await ripgrep.ended();
      if (scope.signal.aborted) return this.#counts.end(whyAborted(scope.signal));
      return found.isWhole && !this.#isMisled ? this.#counts.end("complete") : undefined;
    } finally {
      stopWaiting();
      await ripgrep.stop();
    }
  }

  /** An ignore file that is a FIFO would hold ripgrep up until the deadline. */
  #watchPatience(): () => void {
    const { clock, source, query, scope } = this.#task;
    const ended = new AbortController();
    const signal = AbortSignal.any([scope.signal, ended.signal]);
    const stopTimer = clock.timer(PATIENCE_MS, async () => {
      if (await holdsOddRuleFile(source, query, { ...scope, signal })) this.#mislead();
    });
    return () => {
      stopTimer();
      ended.abort();
    };
  }

  #mislead(): void {
    this.#isMisled = true;
    void this.#process?.stop();
  }

  #logged(entry: LogEntry, root: SearchRoot): void {
    this.#counts.logged(entry);
    if (entry.kind !== "rule-file") return;
    if (!isReadAlike(entry.path.startsWith("/") ? entry.path : root.folder.at(entry.path))) this.#mislead();
  }

  #absolute(told: string): string {
    const { root } = this.#task.query;
    if (this.#root?.kind !== "directory" || told === ".") return root;
    const below = told.startsWith("./") ? told.slice(2) : told;
    return root === "/" ? `/${below}` : `${root}/${below}`;
  }
}
