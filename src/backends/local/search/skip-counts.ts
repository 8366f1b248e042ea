import { type SearchEnd, SearchTally, type SkipReason } from "../../../kernel/index.js";
import type { LogEntry } from "./ripgrep-log.js";

export interface SkipCountsOptions {
  readonly engine: string;
  readonly except: readonly string[];
  /** Whether a file was asked for at all. */
  isWanted(path: string): boolean;
  /** The absolute path of one that ripgrep names. */
  absolute(told: string): string;
}

/** What a search by ripgrep left out and looked at, by what it logs, by what it prints and by what we find ourselves. */
export class SkipCounts {
  readonly #options: SkipCountsOptions;
  readonly #tally = new SearchTally();
  /** Binary files by the log, and by the ends of records: the same ones, told twice. */
  #binaryLogged = 0;
  #binaryEnded = 0;

  constructor(options: SkipCountsOptions) {
    this.#options = options;
  }

  set seen(files: number) {
    this.#tally.seen = files;
  }

  skip(reason: SkipReason, path?: string): void {
    this.#tally.skip(reason, path);
  }

  failed(thrown: unknown, path: string): void {
    this.#tally.failed(thrown, path);
  }

  /** A file turned out binary while its hits came. */
  endedBinary(): void {
    this.#binaryEnded++;
  }

  /** What a search of its own, of one file or more, left out. */
  add({ skipped, unreadable = [] }: Pick<SearchEnd, "skipped" | "unreadable">): void {
    for (const [reason, count] of Object.entries(skipped)) {
      for (let index = 0; index < count; index++) this.#tally.skip(reason as SkipReason, unreadable[index]);
    }
  }

  logged(entry: LogEntry): void {
    const { except, isWanted, absolute } = this.#options;
    const path = absolute(entry.path);
    const { kind } = entry;
    if (kind === "override") {
      if (except.includes(path)) this.#tally.skip("policy");
    } else if (kind === "unreadable") this.#tally.skip(kind, path);
    else if (kind !== "rule-file" && isWanted(path)) {
      if (kind === "binary") this.#binaryLogged++;
      else this.#tally.skip(kind);
    }
  }

  end(why: SearchEnd["why"]): SearchEnd {
    for (let told = Math.max(this.#binaryLogged, this.#binaryEnded); told > 0; told--) this.#tally.skip("binary");
    return this.#tally.end(why, this.#options.engine);
  }
}
