import { closeSync, lstatSync } from "node:fs";
import {
  globFilter,
  PauseCheck,
  RuleFiles,
  rulesAbove,
  type SearchPattern,
  type SearchScope,
  type SkipReason,
  whyAborted,
} from "../../../engines/search/index.js";
import {
  type Binding,
  type GrepHit,
  type GrepQuery,
  HaftError,
  isWithin,
  type SearchEnd,
} from "../../../kernel/index.js";
import {
  ignoreFlags,
  nameFlags,
  outputPlan,
  patternFlags,
  ripgrepArguments,
  SearchProgress,
  UnreadablePaths,
} from "../../ripgrep/index.js";
import { localFsFault } from "../fs/faults.js";
import { hasNul } from "./file-bytes.js";
import { IgnoreCheck } from "./ignore-check.js";
import { FoundFiles } from "./ripgrep-files.js";
import { type ProcessWatch, startRipgrep } from "./ripgrep-process.js";
import type { RipgrepProgram } from "./ripgrep-program.js";
import { openSearchRoot, type SearchRoot } from "./search-root.js";
import type { TreeSource } from "./tree-source.js";

/** Bytes of a single-file root that are checked for a NUL before the search; ripgrep reports a NUL in the rest if it matches. */
const CLASSIFIED_BYTES = 64 * 1024;

interface RipgrepTask {
  readonly program: RipgrepProgram;
  readonly query: GrepQuery;
  readonly pattern: SearchPattern;
  readonly scope: SearchScope;
  readonly binding: Binding;
  readonly source: TreeSource;
  readonly watch?: ProcessWatch | undefined;
}

/**
 * One search by ripgrep. It reports files and lines; their text is read here, from authorized files.
 *
 * In path order ripgrep uses one thread. Names are sorted by bytes, which differs from code unit order only between
 * characters from U+E000 to U+FFFF and those above.
 *
 * Files that ripgrep skips silently (binary, large, special) are counted only if the root is a file.
 */
export class RipgrepSearch {
  readonly progress: SearchProgress;
  readonly #task: RipgrepTask;
  readonly #isIncluded: (path: string) => boolean;
  #root: SearchRoot | undefined;
  #check: IgnoreCheck | undefined;

  constructor(task: RipgrepTask) {
    this.#task = task;
    this.progress = new SearchProgress(task.query);
    this.#isIncluded = globFilter(task.query);
  }

  /**
   * Yields the hits and returns the end record; undefined when ripgrep could not run or did not finish: then the files that
   * are not in `progress.given` must still be searched.
   */
  async *hits(): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { query, scope, source, binding } = this.#task;
    if (scope.except.some((directory) => isWithin(directory, query.root))) {
      this.progress.tally.skip("policy");
      return this.#end("complete");
    }
    const root = await openSearchRoot(query.root, source.finder, binding);
    this.#root = root;
    try {
      const skipped = root.kind === "directory" ? undefined : await this.#classifyFile(root);
      if (scope.signal.aborted) return this.#end(whyAborted(scope.signal));
      if (skipped === undefined) return yield* this.#run(root);
      if (skipped === "binary" || skipped === "unreadable") this.progress.tally.seen = 1;
      this.progress.tally.skip(skipped, query.root);
      return this.#end("complete");
    } finally {
      root.directory.close();
    }
  }

  /** Why a root that is not a directory is skipped; undefined when it is searched. */
  async #classifyFile(root: SearchRoot): Promise<SkipReason | undefined> {
    const { query, scope, source } = this.#task;
    if (root.kind !== "file") return "special";
    if (query.maxFileBytes !== undefined && root.size > query.maxFileBytes) return "large";
    let descriptor: number | undefined;
    try {
      descriptor = (await source.open(query.root)).descriptor;
      const classifiedBytes = query.binary === "any-nul" ? CLASSIFIED_BYTES : query.binary.firstBytes;
      return (await hasNul(descriptor, [0, classifiedBytes], scope.signal)) === true ? "binary" : undefined;
    } catch (thrown) {
      const fault = localFsFault(thrown, "read", query.root);
      if (HaftError.is(fault) && fault.code.startsWith("FS_")) return "unreadable";
      throw fault;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  async *#run(root: SearchRoot): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { query, scope, source, binding } = this.#task;
    const pattern = patternFlags(query.pattern);
    const names = nameFlags(scope.exceptNames);
    if (pattern === undefined || names === undefined) return undefined;
    const files = new RuleFiles(source, scope);
    const above = await rulesAbove(files, query.root, binding.call.workspace, new PauseCheck(scope));
    const isChecked = root.kind === "directory" && (!query.includeIgnored || names.length > 0);
    if (isChecked) this.#check = await IgnoreCheck.create({ source, query, scope, files });
    try {
      if (scope.signal.aborted) return this.#end(whyAborted(scope.signal));
      const ignore = await ignoreFlags(query, root, above, files, hasAny);
      return ignore === undefined ? undefined : yield* this.#runWith(root, { pattern, ignore, names });
    } finally {
      await this.#check?.stop();
    }
  }

  async *#runWith(
    root: SearchRoot,
    flags: Readonly<Record<"pattern" | "ignore" | "names", readonly string[]>>,
  ): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { program, query, pattern, scope, source } = this.#task;
    const check = this.#check;
    const plan = outputPlan(query, pattern);
    const unreadable = new UnreadablePaths((path) => this.progress.tally.skip("unreadable", this.#absolute(path)));
    const ripgrep = startRipgrep({
      program,
      arguments: ripgrepArguments({
        query,
        root,
        patternFlags: flags.pattern,
        ignoreFlags: flags.ignore,
        nameFlags: flags.names,
        except: scope.except,
        ...plan,
      }),
      cwd: root.directory.at(""),
      signal: scope.signal,
      onError: (chunk) => unreadable.push(chunk),
      watch: this.#task.watch,
    });
    if (ripgrep === undefined) return undefined;
    check?.start(() => void ripgrep.stop());
    if (root.kind === "directory") this.#countExcepted(root);
    const found = new FoundFiles({
      query,
      scope,
      source,
      tally: this.progress.tally,
      isAlone: root.kind !== "directory",
      isIncluded: this.#isIncluded,
      absolute: (reported) => this.#absolute(reported),
      enough: () => this.progress.enough,
    });
    try {
      for await (const { path, hits } of found.findings(ripgrep.output(), plan)) {
        await check?.reached(path);
        if (scope.signal.aborted || check?.differs) break;
        const page = this.progress.take(path, hits);
        yield* page.hits;
        if (page.isFull) return this.#end("limit");
      }
      await check?.rest();
      if (check?.differs) return undefined;
      await ripgrep.ended();
      if (scope.signal.aborted) return this.#end(whyAborted(scope.signal));
      return found.isWhole ? this.#end("complete") : undefined;
    } finally {
      await ripgrep.stop();
    }
  }

  #end(why: SearchEnd["why"]): SearchEnd {
    return this.progress.end(why, this.#task.program.engine, this.#check?.exceptedByName);
  }

  /** Counts the existing excluded paths below the root. */
  #countExcepted(root: SearchRoot): void {
    for (const path of this.progress.excepted(root, this.#task.scope))
      if (isThere(root.directory.at(path))) this.progress.tally.skip("policy");
  }

  #absolute(reported: string): string {
    return this.progress.absolute(reported, this.#root?.kind === "directory");
  }
}

function hasAny(directories: readonly string[], names: readonly string[]): boolean {
  return directories.some((directory) => names.some((name) => isThere(`${directory}/${name}`)));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
