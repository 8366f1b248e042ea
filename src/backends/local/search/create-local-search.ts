import {
  type BoundCall,
  type Clock,
  type Grant,
  type GrepHit,
  type GrepQuery,
  requireLive,
  type Search,
  type SearchEnd,
  type SearchScope,
  type SearchSource,
  searchStop,
  searchTree,
  type WalkEntry,
  type WalkQuery,
  walkTree,
} from "../../../kernel/index.js";
import type { GuardMode } from "../fs-anchor.js";
import type { FsBinding } from "../fs-spot.js";
import { treeSource } from "./tree-source.js";

export interface LocalSearchOptions {
  readonly mode: GuardMode;
  readonly clock: Clock;
  /** "ripgrep": the best there is. "own": our own engine, whatever there is. */
  readonly engine: "ripgrep" | "own";
}

/** Makes the search ports of this machine, one a call. Nothing outlives an iteration that has ended. */
export function createLocalSearch(options: LocalSearchOptions): (grant: Grant, call: BoundCall) => Search {
  return (grant, call) => new LocalSearch(options, { grant, call });
}

class LocalSearch implements Search {
  readonly #options: LocalSearchOptions;
  readonly #binding: FsBinding;

  constructor(options: LocalSearchOptions, binding: FsBinding) {
    this.#options = options;
    this.#binding = binding;
  }

  grep(query: GrepQuery): AsyncIterable<GrepHit | SearchEnd> {
    return this.#during(query, (source, scope) => searchTree(source, query, scope));
  }

  walk(query: WalkQuery): AsyncIterable<WalkEntry | SearchEnd> {
    return this.#during(query, (source, scope) => walkTree(source, query, scope));
  }

  async *#during<T>(
    query: WalkQuery,
    search: (source: SearchSource, scope: SearchScope) => AsyncIterable<T>,
  ): AsyncGenerator<T, void> {
    const { grant, call } = this.#binding;
    const { mode, clock } = this.#options;
    requireLive(call);
    const stop = searchStop(query, call, clock);
    const { workspace } = call;
    try {
      yield* search(treeSource({ mode, binding: this.#binding, root: query.root }), {
        except: grant.except,
        signal: stop.signal,
        ...(workspace === undefined ? {} : { workspace }),
      });
    } finally {
      stop.release();
    }
  }
}
