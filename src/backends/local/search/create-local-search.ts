import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import {
  compilePattern,
  passingOver,
  type SearchScope,
  searchInCall,
  searchTree,
  walkTree,
} from "../../../engines/search/index.js";
import type {
  Binding,
  BoundCall,
  Clock,
  Grant,
  GrepHit,
  GrepQuery,
  Search,
  SearchEnd,
  WalkEntry,
  WalkQuery,
} from "../../../kernel/index.js";
import { isWithin, sealPort } from "../../../kernel/index.js";
import type { Refusal } from "../fs/path-resolver.js";
import type { GuardMode } from "../fs/pinned-directory.js";
import type { ProcessWatch } from "./ripgrep-process.js";
import { RipgrepFinder } from "./ripgrep-program.js";
import { RipgrepSearch } from "./ripgrep-search.js";
import { TreeSource } from "./tree-source.js";

export interface LocalSearchOptions {
  readonly mode: GuardMode;
  readonly clock: Clock;
  /** "ripgrep": use ripgrep if it is installed, see {@link RipgrepFinder}. "own": always use our own engine. */
  readonly engine: "ripgrep" | "own";
  /** A directory whose programs are not run. */
  readonly workspace?: string;
  /** Where ripgrep is looked for. Default: the package, then PATH outside `workspace`. */
  readonly finder?: RipgrepFinder;
  /** Kills a running ripgrep when this process is killed. Absent: it is not killed. */
  readonly watch?: ProcessWatch;
  /** Throws once the backend is closed. Absent: the backend is never closed. */
  readonly requireOpen?: () => void;
  /** Paths that are not searched. */
  readonly refusal?: Refusal | undefined;
  /** See `Launcher.hidden`. Default: none. */
  readonly hidden?: readonly string[];
}

/**
 * Creates the search port of each call. Contents are searched by ripgrep if it is installed, else by our own engine; the
 * end record says which. Directory walks always use our own engine. No process or descriptor outlives its iteration.
 */
export function createLocalSearch(options: LocalSearchOptions): (grant: Grant, call: BoundCall) => Search {
  const finder = options.finder ?? new RipgrepFinder({ workspace: options.workspace });
  return (grant, call) => new LocalSearch({ ...options, finder }, { grant, call });
}

type Settings = LocalSearchOptions & { readonly finder: RipgrepFinder };

class LocalSearch implements Search {
  readonly #options: Settings;
  readonly #binding: Binding;

  constructor(options: Settings, binding: Binding) {
    this.#options = options;
    this.#binding = binding;
  }

  grep(asked: GrepQuery): AsyncIterable<GrepHit | SearchEnd> {
    const query = { ...asked };
    return this.#during(query, (source, scope, binding) => this.#grep(query, source, scope, binding));
  }

  walk(asked: WalkQuery): AsyncIterable<WalkEntry | SearchEnd> {
    const query = { ...asked };
    return this.#during(query, (source, scope) => walkTree(source, query, scope));
  }

  async *#grep(
    query: GrepQuery,
    source: TreeSource,
    scope: SearchScope,
    binding: Binding,
  ): AsyncGenerator<GrepHit | SearchEnd, void> {
    const pattern = await compilePattern(query.pattern);
    const program = this.#options.engine === "own" ? undefined : await this.#options.finder.find();
    if (program === undefined) return yield* searchTree(source, query, scope);
    const { watch } = this.#options;
    const search = new RipgrepSearch({ program, query, pattern, scope, binding, source, watch });
    const end = yield* search.hits();
    if (end !== undefined) return yield end;
    const rest = { ...query, offset: search.progress.toSkip, limit: search.progress.left };
    yield* searchTree(passingOver(search.progress.given, source), rest, scope);
  }

  async *#during<T>(
    query: WalkQuery,
    search: (source: TreeSource, scope: SearchScope, binding: Binding) => AsyncIterable<T>,
  ): AsyncGenerator<T, void> {
    const { mode, clock, requireOpen, refusal, hidden = [] } = this.#options;
    requireOpen?.();
    yield* searchInCall(this.#binding, clock, query, async function* (scope, binding) {
      const source = new TreeSource(mode, binding, query.root, refusal);
      const below = hidden.length === 0 ? [] : placesBelow(query.root, hidden);
      try {
        yield* search(source, below.length === 0 ? scope : { ...scope, except: [...scope.except, ...below] }, binding);
      } finally {
        source.close();
      }
    });
  }
}

/** The paths that a search below the root has for these real paths, as the root may be a symlink. The root itself is refused where it is one. */
function placesBelow(root: string, places: readonly string[]): readonly string[] {
  const real = realOr(root);
  return places.filter((path) => isWithin(real, path) && path !== real).map((path) => join(root, relative(real, path)));
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // The search fails for the same reason.
    return path;
  }
}

sealPort(LocalSearch);
