import { expect, it } from "vitest";
import type { GrepHit, GrepQuery, SearchEnd } from "../search.js";
import { searchTree } from "./search-tree.js";
import type { SearchSource } from "./source.js";

const QUERY: GrepQuery = {
  root: "/w/file",
  includeIgnored: false,
  prune: [],
  order: "path",
  offset: 0,
  limit: 100,
  pattern: { source: "a", syntax: "re2", ignoreCase: false, multiline: true },
  mode: "content",
  context: 0,
  maxLineBytes: 400,
  binary: "any-nul",
};

function sourceOf(bytes: Uint8Array): SearchSource {
  return {
    stat: async () => ({ kind: "file", size: bytes.length }),
    readDir: async () => [],
    async *openRead() {
      yield bytes;
    },
  };
}

const pause = () => new Promise<void>((done) => setTimeout(done, 0));

async function grep(bytes: Uint8Array, source: string, signal: AbortSignal) {
  const found: (GrepHit | SearchEnd)[] = [];
  const query = { ...QUERY, pattern: { ...QUERY.pattern, source } };
  for await (const one of searchTree(sourceOf(bytes), query, { except: [], signal, pause })) found.push(one);
  return found;
}

it("ends by its signal in the middle of one line with a match at every byte", async () => {
  const control = new AbortController();
  setTimeout(() => control.abort(), 20);
  const dear = `${"(".repeat(500)}a${")".repeat(500)}`;
  const found = await grep(new Uint8Array(5_000_000).fill(97), dear, control.signal);
  expect(found).toEqual([expect.objectContaining({ kind: "end", why: "cancelled" })]);
});

it("gives of a long line the matches in its window, and goes on to the next line", async () => {
  const bytes = new TextEncoder().encode(`${"a".repeat(10_000)}\n\nab\nbb\nb\na`);
  const found = await grep(bytes, "a|b\\nb", new AbortController().signal);
  const lines = found.map((one) => (one.kind === "hit" ? `${one.line}: ${one.at.length}` : one.why));
  expect(lines).toEqual(["1: 400", "3: 2", "4: 2", "5: 1", "6: 1", "complete"]);
});
