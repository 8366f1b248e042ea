import { describe, expect, it } from "vitest";
import type { SearchEnd, WalkEntry, WalkQuery } from "../../kernel/search.js";
import { walkTree } from "./search-tree.js";
import type { SearchScope, SearchSource } from "./source.js";

const QUERY: WalkQuery = {
  root: "/w",
  includeIgnored: false,
  prune: [],
  order: "path",
  offset: 0,
  limit: 100_000,
};

/** A flat directory, all in memory: nothing but the engine itself gives the event loop a turn. */
function directoryOf(rules: string, names: readonly string[]): SearchSource {
  return {
    stat: async () => ({ kind: "directory", size: 0 }),
    readDir: async () => [".gitignore", ...names].map((name) => ({ name, kind: "file" as const })),
    async *openRead() {
      yield new TextEncoder().encode(rules);
    },
  };
}

async function walk(source: SearchSource, scope: Partial<SearchScope>) {
  const names: string[] = [];
  let end: SearchEnd | undefined;
  const whole = { except: [], exceptNames: [], signal: new AbortController().signal, ...scope };
  for await (const one of walkTree(source, QUERY, whole) as AsyncIterable<WalkEntry | SearchEnd>) {
    if (one.kind === "end") end = one;
    else names.push(one.path.slice("/w/".length));
  }
  return { names, end };
}

const numbered = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_, at) => name(at));
const oneTurn = () => new Promise<void>((done) => setImmediate(done));
const DEAR = numbered(9_000, (at) => `*a*b${at}x`).join("\n");

describe("ignore rules that cost much", () => {
  it("do not keep a cancel from being heard", async () => {
    const control = new AbortController();
    setTimeout(() => control.abort(), 0);
    const names = numbered(1_000, (at) => `${"a".repeat(40)}${at}`);
    let pausedMs = performance.now();
    const isPauseDue = () => performance.now() - pausedMs > 5;
    const pause = async () => {
      await oneTurn();
      pausedMs = performance.now();
    };
    const { names: found, end } = await walk(directoryOf(DEAR, names), { signal: control.signal, pause, isPauseDue });
    expect(end?.why).toBe("cancelled");
    expect(found.length).toBeLessThan(names.length);
  });

  it("are judged with a turn for others again and again, for each file and in the midst of one", async () => {
    let turns = 0;
    const pause = () => {
      turns++;
      return oneTurn();
    };
    const few = await walk(directoryOf("*.x", ["1", "2", "3"]), { pause, isPauseDue: () => true });
    expect([few.names, few.end?.why]).toEqual([[".gitignore", "1", "2", "3"], "complete"]);
    expect(turns).toBeGreaterThanOrEqual(4);
    turns = 0;
    const one = await walk(directoryOf(`${DEAR}\n!kept\n*kept`, ["kept", "other"]), { pause, isPauseDue: () => true });
    expect([one.names, one.end?.why]).toEqual([[".gitignore", "other"], "complete"]);
    expect(turns).toBeGreaterThan(400);
  });

  it("hold up to 10,000 a file; a file of more leaves nothing out", async () => {
    const rules = numbered(9_999, (at) => (at % 2 === 0 ? `name-${at}` : `*-${at}*x`)).join("\n");
    const names = ["last", "name-10", "name-11", "x-9997x"];
    const kept = async (more: string) => (await walk(directoryOf(`${rules}\n${more}`, names), {})).names;
    expect(await kept("# no rule\n\n/\nlast")).toEqual([".gitignore", "name-11"]);
    expect(await kept("last\nlast")).toEqual([".gitignore", ...names]);
  });

  it("hold up to 40,000 and 4 MiB from the workspace down to a directory; a file that brings more leaves nothing out", async () => {
    const nested = (rules: (depth: number) => string): SearchSource => ({
      stat: async () => ({ kind: "directory", size: 0 }),
      readDir: async (path) => {
        const depth = path.split("/").length - 2;
        const files = [".gitignore", `f${depth}`].map((name) => ({ name, kind: "file" as const }));
        return depth < 5 ? [...files, { name: "d", kind: "directory" }] : files;
      },
      async *openRead(path) {
        const depth = path.split("/").length - 3;
        yield new TextEncoder().encode(`${rules(depth)}\nf${depth}\n`);
      },
    });
    const left = async (rules: (depth: number) => string) =>
      (await walk(nested(rules), {})).names.filter((name) => /f\d$/.test(name)).sort();
    const many = numbered(9_000, (at) => `name-${at}`).join("\n");
    expect(await left(() => many)).toEqual(["d/d/d/d/d/f5", "d/d/d/d/f4"]);
    expect(await left((depth) => (depth === 4 ? many : "x"))).toEqual([]);
    // Below one that has too many, one of few holds.
    expect(await left((depth) => (depth === 5 ? "x" : many))).toEqual(["d/d/d/d/f4"]);
    expect(await left(() => `#${"x".repeat(1_000_000)}`)).toEqual(["d/d/d/d/d/f5", "d/d/d/d/f4"]);
  });
});
