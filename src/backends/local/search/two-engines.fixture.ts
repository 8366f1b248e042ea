/** One tree, searched by ripgrep and by our own engine. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BoundCall, Grant, GrepHit, GrepQuery, SearchEnd } from "../../../kernel/index.js";
import { bindAll, type Fixture } from "../../../testing/index.js";
import { searchFixture } from "./search.fixture.js";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** The result of one search, in a form that can be compared between engines. */
export interface Answer {
  /** `path:line:at: bytes`, relative to the directory; bytes as Latin-1. In the order returned; sorted when no order was requested. */
  readonly hits: readonly string[];
  readonly end: Omit<SearchEnd, "engine"> | { readonly error: unknown };
  readonly engine: string;
}

export interface Asking {
  readonly grant?: Partial<Grant>;
  readonly call?: Partial<BoundCall>;
}

const QUERY: Omit<GrepQuery, "root"> = {
  pattern: { source: "", syntax: "re2", ignoreCase: false, multiline: false },
  includeIgnored: false,
  prune: [],
  order: "path",
  offset: 0,
  limit: 100_000,
  mode: "content",
  context: 0,
  maxLineBytes: 10_000,
  binary: "any-nul",
};

export class TwoEngines {
  readonly directory: string;
  readonly #fixtures: readonly Fixture[];

  constructor() {
    const first = searchFixture("ripgrep");
    this.directory = first.directory;
    this.#fixtures = [first, searchFixture("own", undefined, first.directory)];
  }

  lay(files: Files): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(this.directory, dirname(name)), { recursive: true });
      writeFileSync(join(this.directory, name), content);
    }
  }

  /** Both answers, ripgrep's first. */
  async ask(source: string, query: Partial<GrepQuery> = {}, asking: Asking = {}): Promise<[Answer, Answer]> {
    const whole: GrepQuery = { root: this.directory, ...QUERY, pattern: { ...QUERY.pattern, source }, ...query };
    const [ripgrep, own] = this.#fixtures;
    return [await this.#answer(ripgrep!, whole, asking), await this.#answer(own!, whole, asking)];
  }

  async dispose(): Promise<void> {
    for (const one of this.#fixtures) await one.dispose();
  }

  async #answer(fixture: Fixture, query: GrepQuery, asking: Asking): Promise<Answer> {
    const { search } = bindAll(fixture, asking.grant, { workspace: this.directory, ...asking.call });
    const hits: string[] = [];
    try {
      for await (const record of search.grep(query)) {
        if (record.kind === "hit") hits.push(this.#shown(record));
        else {
          const { engine, ...end } = record;
          return { hits: query.order === "path" ? hits : hits.sort(), end, engine };
        }
      }
    } catch (error) {
      return { hits, end: { error }, engine: "" };
    }
    throw new Error("No end record came.");
  }

  #shown({ path, line, bytes, at, context, count, truncatedBytes }: GrepHit): string {
    const place = path.startsWith(`${this.directory}/`) ? path.slice(this.directory.length + 1) : path;
    const more = [context === true ? "context" : "", count ?? "", truncatedBytes ?? ""].join();
    return `${place}:${line}:${JSON.stringify(at)}:${more}: ${Buffer.from(bytes).toString("latin1")}`;
  }
}
