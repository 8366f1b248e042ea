import { expect, it } from "vitest";
import type { GrepHit, GrepQuery, SearchEnd } from "../../kernel/search.js";
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

let pausedMs = 0;
const isPauseDue = () => performance.now() - pausedMs > 5;
async function pause() {
  if (!isPauseDue()) return;
  await new Promise<void>((done) => setTimeout(done, 0));
  pausedMs = performance.now();
}

async function grep(bytes: Uint8Array, source: string, signal: AbortSignal, multiline = true) {
  const found: (GrepHit | SearchEnd)[] = [];
  const query = { ...QUERY, pattern: { ...QUERY.pattern, source, multiline } };
  for await (const one of searchTree(sourceOf(bytes), query, {
    except: [],
    exceptNames: [],
    signal,
    pause,
    isPauseDue,
  }))
    found.push(one);
  return found;
}

it("ends by its signal in the middle of one line with a match at every byte", async () => {
  const control = new AbortController();
  setTimeout(() => control.abort(), 20);
  const dear = `${"(".repeat(20)}a${")".repeat(20)}`;
  const found = await grep(new Uint8Array(5_000_000).fill(97), dear, control.signal);
  expect(found).toEqual([expect.objectContaining({ kind: "end", why: "cancelled" })]);
});

it("gives of a long line the matches in its window, and continues to the next line", async () => {
  const bytes = new TextEncoder().encode(`${"a".repeat(10_000)}\n\nab\nbb\nb\na`);
  const found = await grep(bytes, "a|b\\nb", new AbortController().signal);
  const lines = found.map((one) => (one.kind === "hit" ? `${one.line}: ${one.at.length}` : one.why));
  expect(lines).toEqual(["1: 400", "3: 2", "4: 2", "5: 1", "6: 1", "complete"]);
});

it("ends by its signal in a line where every match looks at all the rest", async () => {
  const control = new AbortController();
  setTimeout(() => control.abort(), 20);
  const found = await grep(new Uint8Array(5_000_000).fill(97), "a.*[0-9]|a", control.signal, false);
  expect(found).toEqual([expect.objectContaining({ kind: "end", why: "cancelled" })]);
}, 20_000);

it("passes over lines that are too long for a pattern of its size, and counts them", async () => {
  const long = "ab".repeat(250_000);
  const bytes = new TextEncoder().encode(`${long}\n${"a".repeat(901)}Z\n${long}\n`);
  const { signal } = new AbortController();
  const [hit, end] = await grep(bytes, "[ab].{900}[A-Z]$", signal, false);
  expect(hit).toMatchObject({ line: 2, at: [[0, 400]] });
  expect(end).toMatchObject({ why: "complete", skipped: { long: 2 } });
  expect((await grep(bytes, "[ab].{900}[A-Z]$", signal))[0]).toMatchObject({ skipped: { large: 1 } });
  expect((await grep(bytes, "aZ", signal, false))[0]).toMatchObject({ line: 2 });
});
