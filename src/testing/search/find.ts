/** Helpers of the search cases: create a tree, search it. */
import type { BoundCall, Grant, GrepHit, GrepQuery, SearchEnd, WalkEntry, WalkQuery } from "../../kernel/index.js";
import { shown } from "../case-setup.js";
import { expectEqual, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";

export type Tree = Readonly<Record<string, string | Uint8Array>>;

type Asking = { readonly grant?: Partial<Grant>; readonly call?: Partial<BoundCall> };
type GrepAsking = Omit<Partial<GrepQuery>, "pattern"> & Asking & { readonly pattern?: Partial<GrepQuery["pattern"]> };

export interface Found {
  readonly hits: readonly GrepHit[];
  readonly end: SearchEnd;
  /** `path:line: text` with the path relative to the fixture's directory; a context line has `-` for `:`. */
  readonly lines: readonly string[];
}

/** Writes files with their directories; a name that ends in "/" is an empty directory. */
export async function lay(fixture: Fixture, tree: Tree): Promise<void> {
  const { fs } = bindAll(fixture);
  for (const [name, content] of Object.entries(tree)) {
    const directory = name.slice(0, name.lastIndexOf("/") + 1);
    if (directory !== "") await fs.mkdir(`${fixture.directory}/${directory.slice(0, -1)}`, true);
    if (!name.endsWith("/")) await fs.writeFile(`${fixture.directory}/${name}`, content);
  }
}

export function grepQuery(fixture: Fixture, source: string, more: GrepAsking = {}): GrepQuery {
  const { grant: _grant, call: _call, pattern, ...query } = more;
  return {
    root: fixture.directory,
    includeIgnored: false,
    prune: [],
    order: "path",
    offset: 0,
    limit: 10_000,
    mode: "content",
    context: 0,
    maxLineBytes: 10_000,
    binary: "any-nul",
    ...query,
    pattern: { source, syntax: "re2", ignoreCase: false, multiline: false, ...pattern },
  };
}

/** Greps the fixture's directory in path order; fails unless exactly one end record comes, last. */
export async function grep(fixture: Fixture, source: string, more: GrepAsking = {}): Promise<Found> {
  const { search } = bindAll(fixture, more.grant, { workspace: fixture.directory, ...more.call });
  const records: (GrepHit | SearchEnd)[] = [];
  for await (const record of search.grep(grepQuery(fixture, source, more))) records.push(record);
  const end = endOf(records);
  const hits = records.filter((record) => record.kind === "hit");
  return { hits, end, lines: hits.map((hit) => lineOf(fixture, hit)) };
}

export async function walk(
  fixture: Fixture,
  more: Partial<WalkQuery> & Asking = {},
): Promise<{ entries: readonly WalkEntry[]; names: readonly string[]; end: SearchEnd }> {
  const { grant, call, ...query } = more;
  const { search } = bindAll(fixture, grant, { workspace: fixture.directory, ...call });
  const records: (WalkEntry | SearchEnd)[] = [];
  const whole = {
    root: fixture.directory,
    includeIgnored: false,
    prune: [],
    order: "path",
    offset: 0,
    limit: 10_000,
    ...query,
  } as const;
  for await (const record of search.walk(whole)) records.push(record);
  const end = endOf(records);
  const entries = records.filter((record) => record.kind === "entry");
  return { entries, names: entries.map((entry) => relative(fixture, entry.path)), end };
}

function endOf(records: readonly { readonly kind: string }[]): SearchEnd {
  const last = records.at(-1);
  expectEqual(records.filter((record) => record.kind === "end").length, 1, "number of end records");
  expectThat(last?.kind === "end", "the end record comes last");
  const end = last as SearchEnd;
  expectThat(end.engine !== "", "the end record names the engine");
  return end;
}

function relative(fixture: Fixture, path: string): string {
  const prefix = `${fixture.directory}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function lineOf(fixture: Fixture, hit: GrepHit): string {
  const mark = hit.context === true ? "-" : ":";
  return `${relative(fixture, hit.path)}${mark}${hit.line}${mark} ${shown(hit.bytes)}`;
}

/** The text at the match ranges of a hit. */
export function matched(hit: GrepHit | undefined): readonly string[] {
  return (hit?.at ?? []).map(([from, to]) => shown((hit as GrepHit).bytes.subarray(from, to)));
}

/** The files of lines as `grep` gives them. */
export function namesOf(lines: readonly string[]): string[] {
  return lines.map((line) => line.slice(0, line.indexOf(":")));
}
