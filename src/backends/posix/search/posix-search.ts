/** The search port: the remote side lists files and prefilters literals, the shared engine matches here. */

import {
  compilePattern,
  passingOver,
  type SearchScope,
  searchBinding,
  searchTree,
  walkTree,
} from "../../../engines/search/index.js";
import {
  type Binding,
  FS_OPERATIONS,
  type GrepHit,
  type GrepQuery,
  HaftError,
  requireLive,
  type Search,
  type SearchEnd,
  sealPort,
  type WalkEntry,
  type WalkQuery,
} from "../../../kernel/index.js";
import type { RemoteAgent } from "../channel/remote-agent.js";
import { OperationDeadline } from "../fs/deadline.js";
import { FsGuard } from "../fs/guard.js";
import type { StartOwnCommand } from "../shell/own-command.js";
import { RemoteRipgrepSearch } from "./remote-ripgrep.js";
import { RemoteSearchSource } from "./remote-search-source.js";
import { requiredLiteral } from "./required-literal.js";
import type { RemoteRipgrepFinder } from "./ripgrep-finder.js";
import { type KindsOf, readKinds } from "./rule-tree.js";

/** Length of a literal that fits into a remote command line beside the file names. */
const MAX_LITERAL = 4_096;
/** Engine names in end records. */
const OWN_ENGINE = "re2js";
const TRANSFERRED = "re2js, on files transferred here";
const PREFILTERED = "re2js, on files transferred here after a remote grep -F";

interface During {
  readonly source: RemoteSearchSource;
  readonly scope: SearchScope;
  readonly bound: Binding;
  readonly guard: FsGuard;
  readonly deadline: OperationDeadline;
}

/** How a search runs programs on the remote machine. */
export interface SearchPrograms {
  readonly start: StartOwnCommand;
  /** Undefined: ripgrep is not used. */
  readonly ripgrep: RemoteRipgrepFinder | undefined;
}

export class PosixSearch implements Search {
  readonly #remote: RemoteAgent;
  readonly #programs: SearchPrograms;
  readonly #guard: FsGuard;
  readonly #bound: Binding;

  constructor(remote: RemoteAgent, programs: SearchPrograms, guard: FsGuard, bound: Binding) {
    this.#remote = remote;
    this.#programs = programs;
    this.#guard = guard;
    this.#bound = bound;
  }

  grep(asked: GrepQuery): AsyncIterable<GrepHit | SearchEnd> {
    const query = { ...asked };
    const literal = this.#prefilter(query);
    return this.#during(query, literal, (during) => this.#grep(query, during));
  }

  walk(asked: WalkQuery): AsyncIterable<WalkEntry | SearchEnd> {
    const query = { ...asked };
    return this.#during(query, "", ({ source, scope }) => walkTree(source, query, scope));
  }

  async *#grep(query: GrepQuery, during: During): AsyncGenerator<GrepHit | SearchEnd, void> {
    const { source, scope, bound, guard, deadline } = during;
    const pattern = await compilePattern(query.pattern);
    const { start, ripgrep } = this.#programs;
    const program = ripgrep === undefined ? undefined : await deadline.race(ripgrep.find(scope.workspace));
    if (program === undefined) return yield* searchTree(source, query, scope);
    const kindsOf = (paths: readonly string[]) => this.#kindsOf(paths, deadline);
    const task = { program, start, query, pattern, scope, bound, guard, deadline, source, kindsOf };
    const search = new RemoteRipgrepSearch(task);
    const end = yield* search.hits();
    if (end !== undefined) return yield end;
    const rest = { ...query, offset: search.progress.toSkip, limit: search.progress.left };
    yield* searchTree(passingOver(search.progress.given, source), rest, scope);
  }

  /** Without a guard: what is found decides only which rules apply, and is not returned. */
  async #kindsOf(paths: readonly string[], deadline: OperationDeadline): ReturnType<KindsOf> {
    if (paths.length === 0) return [];
    const free = new FsGuard(this.#guard.bulk);
    const request = { fsOperation: FS_OPERATIONS.stat, operation: "kinds", touches: [], words: () => paths };
    return readKinds(new TextDecoder().decode((await free.run(deadline, request)).bytes));
  }

  /**
   * The text that a remote `grep -F` may look for: case-sensitive ASCII within one line, which each file with a match contains.
   * Other patterns may not mean the same there.
   */
  #prefilter({ pattern: { syntax, source, ignoreCase } }: GrepQuery): string {
    if (ignoreCase || !this.#remote.place.facts.has("grep0")) return "";
    const literal = syntax === "literal" ? source : requiredLiteral(source);
    return /[\r\n\0]|[^\0-\x7f]/.test(literal) || literal.length > MAX_LITERAL ? "" : literal;
  }

  async *#during<T extends GrepHit | WalkEntry>(
    query: WalkQuery,
    literal: string,
    search: (during: During) => AsyncIterable<T | SearchEnd>,
  ): AsyncGenerator<T | SearchEnd, void> {
    const bound = searchBinding(this.#bound, query.root);
    const { grant, call } = bound;
    requireLive(call);
    const signals = [query.signal, call.signal].filter((one) => one !== undefined);
    const aborted = signals.find((signal) => signal.aborted);
    if (aborted !== undefined) {
      yield { kind: "end", why: whyEnded(aborted), engine: TRANSFERRED, seen: 0, skipped: {} };
      return;
    }
    const deadline = new OperationDeadline(FS_OPERATIONS.search, query.root, query, call);
    const engine = literal === "" ? TRANSFERRED : PREFILTERED;
    const guard = new FsGuard(this.#guard.bulk, bound);
    const source = new RemoteSearchSource(guard, bound, deadline, query, literal);
    const { workspace } = call;
    const scope = {
      except: grant.except,
      exceptNames: grant.exceptNames,
      signal: deadline.signal,
      ...yieldRegularly(),
      ...(workspace === undefined ? {} : { workspace }),
    };
    let seen = 0;
    try {
      for await (const record of search({ source, scope, bound, guard, deadline })) {
        if (record.kind !== "end") seen += 1;
        yield record.kind === "end" ? withUnmoved(record, engine, source.unmoved) : record;
      }
    } catch (thrown) {
      // A deadline ends the search; it does not fail it.
      if (!deadline.signal.aborted || !HaftError.is(thrown)) throw thrown;
      yield { kind: "end", why: whyEnded(deadline.signal), engine, seen, skipped: {} };
    } finally {
      deadline.release();
    }
  }
}

sealPort(PosixSearch);

/** Counts files over the transfer limit separately, because the result is then incomplete. */
function withUnmoved(found: SearchEnd, own: string, unmoved: number): SearchEnd {
  const end = found.engine === OWN_ENGINE ? { ...found, engine: own } : found;
  if (unmoved === 0) return end;
  const { unreadable = 0, ...skipped } = end.skipped;
  const others = unreadable > unmoved ? { unreadable: unreadable - unmoved } : {};
  const why = end.why === "complete" ? "limit" : end.why;
  return { ...end, why, skipped: { ...skipped, ...others, unmoved } };
}

function whyEnded(signal: AbortSignal): "deadline" | "cancelled" {
  return HaftError.is(signal.reason, "CALL_TIMEOUT") ? "deadline" : "cancelled";
}

/** Milliseconds of matching after which the event loop runs. */
const YIELD_AFTER_MS = 25;

/** Yields to the event loop, so that timers and cancellation work during long matching. */
function yieldRegularly(): Required<Pick<SearchScope, "pause" | "isPauseDue">> {
  let pausedMs = performance.now();
  const isPauseDue = (): boolean => performance.now() - pausedMs >= YIELD_AFTER_MS;
  return {
    isPauseDue,
    async pause() {
      if (!isPauseDue()) return;
      await new Promise<void>((resolve) => void setImmediate(resolve));
      pausedMs = performance.now();
    },
  };
}
