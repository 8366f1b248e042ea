/** A search by the ripgrep of the remote machine, started in the authorized root. */
import {
  globFilter,
  type SearchPattern,
  type SearchScope,
  type SkipReason,
  whyAborted,
} from "../../../engines/search/index.js";
import {
  type Binding,
  FS_OPERATIONS,
  type GrepHit,
  type GrepQuery,
  HaftError,
  isExceptedBelow,
  isWithin,
  type SearchEnd,
} from "../../../kernel/index.js";
import { baseName, childPath, parentOf, posixQuote } from "../../../text/index.js";
import {
  ignoreFlags,
  jsonRecords,
  nameFlags,
  type OutputPlan,
  outputPlan,
  pathRecords,
  patternFlags,
  type RipgrepRoot,
  type RipgrepText,
  ripgrepArguments,
  SearchProgress,
  UnreadablePaths,
} from "../../ripgrep/index.js";
import type { OperationDeadline } from "../fs/deadline.js";
import { remoteFsFault } from "../fs/faults.js";
import type { FsGuard } from "../fs/guard.js";
import { readRemotePart } from "../fs/read.js";
import type { StartDirectories } from "../shell/command-request.js";
import type { OwnCommand, StartOwnCommand } from "../shell/own-command.js";
import { RemoteHits, type ReportedFile } from "./remote-hits.js";
import type { RemoteSearchSource } from "./remote-search-source.js";
import type { RemoteRipgrep } from "./ripgrep-finder.js";
import type { KindsOf } from "./rule-tree.js";
import { RuleVisit } from "./rule-visit.js";

/** Bytes of a single-file root that are checked for a NUL before the search. */
const CLASSIFIED_BYTES = 64 * 1024;
/** Files whose hits are made together. */
const MAX_BATCH = 100;
/** Milliseconds that a reported file waits for others to share its request. */
const GATHER_MS = 500;

interface RemoteRipgrepTask {
  readonly program: RemoteRipgrep;
  readonly start: StartOwnCommand;
  readonly query: GrepQuery;
  readonly pattern: SearchPattern;
  readonly scope: SearchScope;
  readonly bound: Binding;
  readonly guard: FsGuard;
  readonly deadline: OperationDeadline;
  readonly source: RemoteSearchSource;
  readonly kindsOf: KindsOf;
}

/** Where ripgrep starts. */
interface Root extends RipgrepRoot {
  readonly size: number;
  readonly directory: string;
  readonly directories: StartDirectories;
}

type Flags = Readonly<Record<"pattern" | "ignore" | "names", readonly string[]>>;

/**
 * One search. ripgrep reports files and lines; their text is read from authorized files. Ignore files below the root are looked
 * at here as well, because ripgrep would follow a symlink to one, or wait for a FIFO.
 *
 * Files that ripgrep skips silently (binary, large, special) are counted only if the root is a file.
 */
export class RemoteRipgrepSearch {
  readonly progress: SearchProgress;
  readonly #task: RemoteRipgrepTask;
  readonly #isIncluded: (path: string) => boolean;
  /** ripgrep has reported that it has finished. */
  #isWhole = false;
  #isRootUnreadable = false;
  #root: Root | undefined;
  #rules: RuleVisit | undefined;

  constructor(task: RemoteRipgrepTask) {
    this.#task = task;
    this.progress = new SearchProgress(task.query);
    this.#isIncluded = globFilter(task.query);
  }

  /**
   * Yields the hits and returns the end record; undefined when ripgrep could not run or did not finish: then the files that
   * are not in `progress.given` must still be searched.
   */
  async *hits(): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { query, scope, program } = this.#task;
    if (scope.except.some((directory) => isWithin(directory, query.root))) {
      this.progress.tally.skip("policy");
      return this.#end("complete");
    }
    const pattern = patternFlags(query.pattern);
    if (pattern === undefined || (program.isOld && pattern.includes("--multiline"))) return undefined;
    const rules = new RuleVisit(this.#task);
    const root = await this.#openRoot();
    this.#root = root;
    // Where the root really is may except more names.
    const names = nameFlags(scope.exceptNames);
    if (root === undefined || names === undefined) return undefined;
    if (root.kind !== "directory") {
      const skipped = await this.#classifyFile(root);
      if (skipped === "binary" || skipped === "unreadable") this.progress.tally.seen = 1;
      if (skipped !== undefined) {
        this.progress.tally.skip(skipped, query.root);
        return this.#end("complete");
      }
      return yield* this.#run(root, { pattern, names, ignore: ["--no-ignore"] });
    }
    if (query.includeIgnored && names.length === 0)
      return yield* this.#run(root, { pattern, names, ignore: ["--no-ignore"] });
    this.#rules = rules;
    const list = this.#start(root, rules.command, false);
    try {
      const above = await rules.enterRoot();
      if (scope.signal.aborted) return this.#end(whyAborted(scope.signal));
      const ignore = await ignoreFlags(query, root, above, rules.files, (...outer) => this.#hasAny(...outer));
      return ignore === undefined
        ? undefined
        : yield* this.#run(root, { pattern, names, ignore }, () => rules.visit(list));
    } finally {
      await list.stop();
    }
  }

  #start(
    { directory, directories }: Root,
    command: string,
    isSingle: boolean,
    onError?: (chunk: Buffer) => void,
  ): OwnCommand {
    const { start, scope } = this.#task;
    const options = { command, cwd: directory, directories, signal: scope.signal, isSingle };
    return start(onError === undefined ? options : { ...options, onError });
  }

  /** @throws What a listing of the root rejects with. Undefined where our own engine must decide. */
  async #openRoot(): Promise<Root | undefined> {
    const { query, guard, source } = this.#task;
    const touch = { path: query.root, access: "read" } as const;
    const { kind, size } = await source.stat(query.root, true);
    const [other, ...more] = guard.realPaths(touch);
    if (more.length > 0) return undefined;
    const real = other ?? query.root;
    const refuse = async () => {
      throw new Error("the root has changed");
    };
    if (kind === "directory") {
      if (!guard.coversTree(touch, "skipped")) throw remoteFsFault("unclaimed", "", FS_OPERATIONS.list, query.root);
      const allowed = [query.root, ...(other === undefined ? [] : [other])].map(posixQuote).join(" ");
      return { kind, size, real, argument: ".", directory: query.root, directories: { allowed, authorize: refuse } };
    }
    const directory = parentOf(real);
    const directories = { allowed: posixQuote(directory), authorize: refuse };
    return { kind, size, real, argument: `./${baseName(real)}`, directory, directories };
  }

  /** Why a root that is not a directory is skipped; undefined when it is searched. */
  async #classifyFile({ kind, size }: Root): Promise<SkipReason | undefined> {
    const { query, guard, deadline } = this.#task;
    if (kind !== "file") return "special";
    if (query.maxFileBytes !== undefined && size > query.maxFileBytes) return "large";
    const count = query.binary === "any-nul" ? CLASSIFIED_BYTES : Math.min(query.binary.firstBytes, CLASSIFIED_BYTES);
    const read = readRemotePart(guard, deadline, { path: query.root }, 0, count);
    const bytes = await read.then(
      (part) => part.bytes,
      (thrown: unknown) => {
        if (HaftError.is(thrown) && thrown.code.startsWith("FS_")) return undefined;
        throw thrown;
      },
    );
    if (bytes === undefined) return "unreadable";
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    return !isUtf16 && bytes.includes(0) ? "binary" : undefined;
  }

  /** @param isTrusted - Whether ripgrep may be believed; no hit is returned before that is known. */
  async *#run(
    root: Root,
    flags: Flags,
    isTrusted: () => Promise<boolean> = async () => true,
  ): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { query, scope, pattern, program } = this.#task;
    const plan = outputPlan(query, pattern);
    const request = {
      query,
      root,
      patternFlags: flags.pattern,
      ignoreFlags: flags.ignore,
      nameFlags: flags.names,
      except: scope.except,
      ...plan,
    };
    const words = [program.path, ...ripgrepArguments(request)].map(posixQuote);
    const unreadable = new UnreadablePaths((path) => this.#unreadable(path));
    const ripgrep = this.#start(root, `exec ${words.join(" ")}`, true, (chunk) => unreadable.push(chunk));
    try {
      return (await isTrusted()) ? yield* this.#found(root, plan, ripgrep) : undefined;
    } finally {
      await ripgrep.stop();
    }
  }

  async *#found(root: Root, plan: OutputPlan, ripgrep: OwnCommand): AsyncGenerator<GrepHit, SearchEnd | undefined> {
    const { query, scope, source, bound, guard, deadline } = this.#task;
    const found = new RemoteHits({
      query,
      plan,
      scope,
      source,
      bound,
      guard,
      deadline,
      tally: this.progress.tally,
      isAlone: root.kind !== "directory",
      enough: () => this.progress.enough,
      hasNulThere: (path) => this.#hasNulThere(path === query.root ? root : within(root, path)),
    });
    for await (const batch of this.#batches(this.#files(ripgrep.output(), plan))) {
      for await (const { path, hits } of found.hits(batch)) {
        const page = this.progress.take(path, hits);
        yield* page.hits;
        if (page.isFull) return this.#end("limit");
      }
      if (scope.signal.aborted) break;
    }
    await ripgrep.status;
    if (scope.signal.aborted) return this.#end(whyAborted(scope.signal));
    if (this.#isRootUnreadable || !this.#isWhole) return undefined;
    if (root.kind === "directory") await this.#countExcepted(root);
    return this.#end("complete");
  }

  /** Joins files that are reported within {@link GATHER_MS}, as far as their hits are needed: each request takes time there. */
  async *#batches(files: AsyncGenerator<ReportedFile, void>): AsyncGenerator<readonly ReportedFile[], void> {
    const perFile =
      this.#task.query.mode === "content" ? (file: ReportedFile) => Math.max(1, file.matchedLines) : () => 1;
    let batch: ReportedFile[] = [];
    let hits = 0;
    let timer: GatherTimer | undefined;
    try {
      for (let next = files.next(); ; ) {
        const got = timer === undefined ? await next : await Promise.race([next, timer.passed]);
        if (got !== undefined && !got.done) {
          batch.push(got.value);
          hits += perFile(got.value);
          timer ??= gatherTimer();
          next = files.next();
          // Settled without an event; until it is awaited a rejection must not count as unhandled.
          next.catch(() => {});
          const isEnough = batch.length === MAX_BATCH || hits > this.progress.toSkip + this.progress.left;
          if (!isEnough) continue;
        }
        timer?.cancel();
        timer = undefined;
        if (batch.length > 0) yield batch;
        batch = [];
        hits = 0;
        if (got?.done) return;
      }
    } finally {
      timer?.cancel();
    }
  }

  async *#files(output: AsyncIterable<Buffer>, plan: OutputPlan): AsyncGenerator<ReportedFile, void> {
    if (plan.output === "lines") return yield* this.#filesInLines(output);
    for await (const record of pathRecords(output, plan.output === "counts")) {
      if (record.kind === "summary") this.#finished(record.searches);
      else {
        const path = this.#pathOf(record.path);
        if (path !== undefined) yield { path, lines: [], matchedLines: record.count, isBinary: false };
      }
    }
  }

  async *#filesInLines(output: AsyncIterable<Buffer>): AsyncGenerator<ReportedFile, void> {
    let path: string | undefined;
    let lines: ReportedFile["lines"][number][] = [];
    for await (const record of jsonRecords(output, this.#task.query.maxLineBytes)) {
      if (record.type === "summary") this.#finished(record.data.stats.searches);
      else if (record.type === "begin") {
        path = this.#pathOf(record.data.path);
        lines = [];
      } else if (path === undefined) continue;
      else if (record.type !== "end") lines.push({ record, bytes: lengthOf(record.data.lines) });
      else {
        const matchedLines = lines.filter((line) => line.record.type === "match").length;
        const { binary_offset, stats } = record.data;
        yield { path, lines, matchedLines, size: stats.bytes_searched, isBinary: binary_offset !== null };
        path = undefined;
      }
    }
  }

  /** The absolute path of a file that ripgrep reported; undefined when it is excluded or not valid UTF-8. */
  #pathOf(reported: RipgrepText): string | undefined {
    const { query, scope } = this.#task;
    if ("bytes" in reported) {
      this.progress.tally.skip("unreadable", this.#absolute(Buffer.from(reported.bytes, "base64").toString()));
      return undefined;
    }
    const path = this.#absolute(reported.text);
    // ripgrep knows fewer letters by their other case than `exceptNames`.
    const isExcepted = path !== query.root && isExceptedBelow(scope.exceptNames, query.root, path);
    return this.#isIncluded(path) && !isExcepted ? path : undefined;
  }

  #absolute(reported: string): string {
    return this.progress.absolute(reported, this.#root?.kind === "directory");
  }

  async #hasAny(directories: readonly string[], names: readonly string[]): Promise<boolean> {
    const paths = directories.flatMap((directory) => names.map((name) => childPath(directory, name)));
    return (await this.#task.kindsOf(paths)).some((kind) => kind !== undefined);
  }

  #unreadable(reported: string): void {
    if (reported === ".") this.#isRootUnreadable = true;
    else this.progress.tally.skip("unreadable", this.#absolute(reported));
  }

  #finished(searches: number): void {
    this.#isWhole = true;
    // Versions before 15 count only the files that match.
    this.progress.tally.seen = this.#task.program.isOld ? 0 : searches;
  }

  /** ripgrep itself looks for it: the file may be too large to be transferred. */
  async #hasNulThere(root: Root): Promise<boolean | undefined> {
    const { program } = this.#task;
    const flags = ["--no-config", "--quiet", "--text", "--no-mmap", "-e", "(?-u)\\x00", "--", root.argument];
    const command = `exec ${[program.path, ...flags].map(posixQuote).join(" ")}`;
    const status = await this.#start(root, command, true).status;
    return status === 0 ? true : status === 1 ? false : undefined;
  }

  /** Counts the existing excluded paths below the root. */
  async #countExcepted(root: Root): Promise<void> {
    const { query, scope, kindsOf } = this.#task;
    const paths = this.progress.excepted(root, scope);
    for (const kind of await kindsOf(paths.map((path) => childPath(query.root, path))))
      if (kind !== undefined) this.progress.tally.skip("policy");
  }

  #end(why: SearchEnd["why"]): SearchEnd {
    return this.progress.end(why, this.#task.program.engine, this.#rules?.exceptedByName);
  }
}

/** The bytes of a line that ripgrep printed, with its line ending; undefined if it is not UTF-8 or was too long to be kept. */
function lengthOf(line: RipgrepText | undefined): number | undefined {
  return line !== undefined && "text" in line && line.text !== "" ? Buffer.byteLength(line.text) : undefined;
}

/** The file in a directory root, as seen from there. */
function within(root: Root, path: string): Root {
  const below = path.slice(root.directory === "/" ? 1 : root.directory.length + 1);
  return { ...root, argument: `./${below}` };
}

/** Runs for {@link GATHER_MS}. */
interface GatherTimer {
  readonly passed: Promise<undefined>;
  cancel(): void;
}

function gatherTimer(): GatherTimer {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), GATHER_MS);
  });
  return { passed, cancel: () => clearTimeout(timer) };
}
