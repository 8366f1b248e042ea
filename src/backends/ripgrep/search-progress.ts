/** How far a search by ripgrep has come: what is missing of the page, and what was counted. */
import { pageOf, type SearchScope, SearchTally } from "../../engines/search/index.js";
import { type GrepHit, type GrepQuery, isExceptedBelow, type SearchEnd } from "../../kernel/index.js";
import { exceptedBelow, type RipgrepRoot } from "./arguments.js";

export class SearchProgress {
  /** Files whose hits were returned. */
  readonly given = new Set<string>();
  readonly tally = new SearchTally();
  /** Hits that are still to be skipped, and to be returned. */
  toSkip: number;
  left: number;
  readonly #query: GrepQuery;

  constructor(query: GrepQuery) {
    this.#query = query;
    this.toSkip = query.offset;
    this.left = query.limit;
  }

  /** Matching lines of one file after which no more are needed: one more than requested, to find out whether there are more. */
  get enough(): number {
    return this.#query.mode === "content" ? this.toSkip + this.left + 1 : 1;
  }

  /** What the page gets of the hits of one file, and whether it is full. */
  take(path: string, hits: readonly GrepHit[]): ReturnType<typeof pageOf> {
    this.given.add(path);
    const page = pageOf(hits, this.toSkip, this.left, this.#query.context);
    this.toSkip = page.toSkip;
    this.left = page.left;
    this.tally.passed = this.#query.offset - page.toSkip;
    return page;
  }

  /** The absolute path of what ripgrep reported. @param isDirectory - Whether the root is one; otherwise only the root is reported. */
  absolute(reported: string, isDirectory: boolean): string {
    const { root } = this.#query;
    if (!isDirectory || reported === ".") return root;
    const below = reported.startsWith("./") ? reported.slice(2) : reported;
    return root === "/" ? `/${below}` : `${root}/${below}`;
  }

  /** The excluded paths below the root, as seen from there, but for those that are excluded by name too. */
  excepted(root: RipgrepRoot, scope: SearchScope): readonly string[] {
    return exceptedBelow(this.#query.root, root, scope.except).filter(
      (path) => !isExceptedBelow(scope.exceptNames, "", path),
    );
  }

  /** The end record. @param exceptedByName - How many paths were passed over because of their name. */
  end(why: SearchEnd["why"], engine: string, exceptedByName = 0): SearchEnd {
    for (let count = exceptedByName; count > 0; count--) this.tally.skip("policy");
    return this.tally.end(why, engine);
  }
}
