import { type RuleFiles, type SearchScope, SearchTally, visitTree } from "../../../engines/search/index.js";
import type { GrepQuery } from "../../../kernel/index.js";
import type { TreeSource } from "./tree-source.js";

interface IgnoreCheckOptions {
  readonly source: TreeSource;
  readonly query: GrepQuery;
  readonly scope: SearchScope;
  readonly files: RuleFiles;
}

/**
 * Visits the directories of a search while ripgrep runs. ripgrep would apply an ignore file that is a symlink to a file that may
 * not be read, and wait for a FIFO, so a hit may be returned only once every directory before it was visited. Also counts what the
 * grant excepts by name.
 */
export class IgnoreCheck {
  readonly #files: RuleFiles;
  readonly #tally = new SearchTally();
  readonly #directories: AsyncGenerator<{ readonly path: string }, void>;
  readonly #stop = new AbortController();
  /** The directory that is visited next; all before it in the order of the walk were visited. Undefined: all were. */
  #next: string | undefined;
  #hasExclude = false;
  #visit: Promise<void> = Promise.resolve();
  #waiting: { readonly order: string; readonly resolve: () => void } | undefined;

  private constructor({ source, query, scope, files }: IgnoreCheckOptions) {
    this.#files = files;
    const signal = AbortSignal.any([scope.signal, this.#stop.signal]);
    const options = { files, onlyDirectories: true };
    this.#directories = visitTree(source, query, { ...scope, signal }, this.#tally, options);
  }

  /** Visits the root. Rejects with what its listing rejects with. */
  static async create(options: IgnoreCheckOptions): Promise<IgnoreCheck> {
    const check = new IgnoreCheck(options);
    await check.#step();
    check.#hasExclude = options.files.hasExclude;
    return check;
  }

  /** Whether ripgrep, started after the visit of the root, would apply other ignore files than our own engine. */
  get differs(): boolean {
    const { skipped, hasExclude, hasGitElsewhere } = this.#files;
    const hasOtherExclude = hasExclude !== this.#hasExclude || (hasExclude && hasGitElsewhere);
    return skipped > 0 || hasOtherExclude || this.#tally.count("deep") > 0;
  }

  /** What was passed over because the grant excepts its name. */
  get exceptedByName(): number {
    return this.#tally.count("policy");
  }

  /** Visits the rest. @param onDiffers - Called once when ripgrep's answer may not be used. */
  start(onDiffers: () => void): void {
    this.#visit = this.#visitRest(onDiffers);
    // It is reported where the rest is waited for.
    this.#visit.catch(() => {});
  }

  /** Waits until every directory before the file was visited, or the visit has ended. Rejects with what the visit rejects with. */
  async reached(path: string): Promise<void> {
    const order = inOrder(path);
    if (this.#isBefore(order)) return;
    const reached = new Promise<void>((resolve) => {
      this.#waiting = { order, resolve };
    });
    await Promise.race([reached, this.#visit]);
  }

  /** Waits until all directories were visited. */
  rest(): Promise<void> {
    return this.#visit;
  }

  /** Ends the visit. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#visit.catch(() => {});
    await this.#directories.return();
  }

  async #visitRest(onDiffers: () => void): Promise<void> {
    while (this.#next !== undefined && !this.differs) {
      await this.#step();
      if (this.#waiting !== undefined && this.#isBefore(this.#waiting.order)) {
        this.#waiting.resolve();
        this.#waiting = undefined;
      }
    }
    if (this.differs) onDiffers();
  }

  async #step(): Promise<void> {
    this.#next = (await this.#directories.next()).value?.path;
  }

  #isBefore(order: string): boolean {
    return this.#next === undefined || inOrder(this.#next) > order;
  }
}

/** Paths compared by this stand in the order of a walk, where what is in a directory comes right after it. */
function inOrder(path: string): string {
  return path.replaceAll("/", "\0");
}
