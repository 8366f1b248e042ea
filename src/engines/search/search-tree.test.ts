import { describe, expect, it } from "vitest";
import { HaftError } from "../../kernel/errors.js";
import type { GrepHit, GrepQuery, SearchEnd } from "../../kernel/search.js";
import { searchTree, walkTree } from "./search-tree.js";
import type { SearchScope, SearchSource, SourceChild } from "./source.js";

type Tree = Readonly<Record<string, string | Uint8Array>>;

/** A source over a table of files, handed out in chunks of 7 bytes so that every seam is met. */
function sourceOf(files: Tree, broken: readonly string[] = []): SearchSource {
  const encoder = new TextEncoder();
  const bytesOf = (path: string) => {
    const content = files[path];
    if (content === undefined) throw new HaftError("FS_NOT_FOUND", `Did not read "${path}".`);
    return typeof content === "string" ? encoder.encode(content) : content;
  };
  const below = (directory: string) => (directory === "/" ? "/" : `${directory}/`);
  return {
    async stat(path) {
      if (path in files) return { kind: "file", size: bytesOf(path).length };
      if (Object.keys(files).some((file) => file.startsWith(below(path)))) return { kind: "directory", size: 0 };
      throw new HaftError("FS_NOT_FOUND", `Did not inspect "${path}": it is not there.`);
    },
    async readDir(directory) {
      if (broken.includes(directory)) throw new HaftError("FS_PERMISSION", `Did not list "${directory}".`);
      const children = new Map<string, SourceChild>();
      for (const file of Object.keys(files)) {
        if (!file.startsWith(below(directory))) continue;
        const [name, ...rest] = file.slice(below(directory).length).split("/");
        children.set(name!, { name: name!, kind: rest.length > 0 ? "directory" : "file" });
      }
      return [...children.values()].reverse();
    },
    async *openRead(path) {
      const bytes = bytesOf(path);
      for (let at = 0; at < bytes.length; at += 7) yield bytes.slice(at, at + 7);
    },
  };
}

const QUERY: GrepQuery = {
  root: "/w",
  includeIgnored: false,
  prune: [],
  order: "path",
  offset: 0,
  limit: 100,
  pattern: { source: "needle", syntax: "re2", ignoreCase: false, multiline: false },
  mode: "content",
  context: 0,
  maxLineBytes: 400,
  binary: "any-nul",
};

async function grep(files: Tree, query: Partial<GrepQuery> = {}, scope: Partial<SearchScope> = {}, broken?: string[]) {
  const hits: GrepHit[] = [];
  let end: SearchEnd | undefined;
  const full = { except: [], exceptNames: [], workspace: "/w", signal: new AbortController().signal, ...scope };
  for await (const item of searchTree(sourceOf(files, broken), { ...QUERY, ...query }, full)) {
    if (item.kind === "end") end = item;
    else hits.push(item);
  }
  const decoder = new TextDecoder();
  return {
    end: end!,
    hits,
    lines: hits.map((hit) => `${hit.path}:${hit.line}${hit.context ? "-" : ":"}${decoder.decode(hit.bytes)}`),
  };
}

describe("searchTree", () => {
  it("yields matching lines in path order and one end record", async () => {
    const found = await grep({ "/w/b": "x\nneedle 1\n", "/w/a/z": "needle 2", "/w/a.txt": "a needle\nno\nneedle\n" });
    expect(found.lines).toEqual(["/w/a/z:1:needle 2", "/w/a.txt:1:a needle", "/w/a.txt:3:needle", "/w/b:2:needle 1"]);
    expect(found.hits[1]?.at).toEqual([[2, 8]]);
    expect(found.end).toEqual({ kind: "end", why: "complete", engine: "re2js", seen: 3, skipped: {} });
  });

  it("shows lines around a hit once, in line order", async () => {
    const text = "1\n2\nneedle\n4\nneedle\n6\n7\n8\n9\nneedle\n";
    const found = await grep({ "/w/a": text }, { context: 2 });
    expect(found.lines.map((line) => line.slice(5))).toEqual([
      "1-1",
      "2-2",
      "3:needle",
      "4-4",
      "5:needle",
      "6-6",
      "7-7",
      "8-8",
      "9-9",
      "10:needle",
    ]);
  });

  it("pages without overlap or gap", async () => {
    const files = { "/w/a": "needle 1\nneedle 2\nneedle 3\n", "/w/b": "needle 4\nneedle 5\n" };
    const first = await grep(files, { limit: 2 });
    const second = await grep(files, { offset: 2, limit: 2 });
    const last = await grep(files, { offset: 4, limit: 2 });
    expect([first, second, last].flatMap((page) => page.lines.map((line) => line.at(-1)))).toEqual([..."12345"]);
    expect([first, second, last].map((page) => page.end.why)).toEqual(["limit", "limit", "complete"]);
  });

  it("gives nothing out of a file with a NUL after its hits, and counts it", async () => {
    const found = await grep({ "/w/a": `needle\n${"x".repeat(5000)}\0`, "/w/b": "needle" });
    expect(found.lines).toEqual(["/w/b:1:needle"]);
    expect(found.end.skipped).toEqual({ binary: 1 });
  });

  it("takes a NUL behind the judged start as content", async () => {
    const found = await grep({ "/w/a": "0123456789\nneedle\0" }, { binary: { firstBytes: 4 } });
    expect(found.lines).toEqual(["/w/a:2:needle\0"]);
  });

  it("keeps .gitignore and .ignore from the workspace down, enters .git never and an ignored root", async () => {
    const files = {
      "/w/.gitignore": "*.log\n/out/\n!keep.log\nsub/gen\n",
      "/w/sub/.ignore": "!b.log\nprivate\n",
      "/w/a.log": "needle",
      "/w/keep.log": "needle",
      "/w/out/x": "needle",
      "/w/sub/b.log": "needle",
      "/w/sub/private/x": "needle",
      "/w/sub/gen/x": "needle",
      "/w/sub/out/x": "needle",
      "/w/.git/x": "needle",
      "/w/.hidden": "needle",
    };
    expect((await grep(files)).hits.map((hit) => hit.path)).toEqual([
      "/w/.hidden",
      "/w/keep.log",
      "/w/sub/b.log",
      "/w/sub/out/x",
    ]);
    expect((await grep(files, { root: "/w/out" })).lines).toEqual(["/w/out/x:1:needle"]);
    expect((await grep(files, { root: "/w/sub" })).hits.map((hit) => hit.path)).toEqual([
      "/w/sub/b.log",
      "/w/sub/out/x",
    ]);
    expect((await grep(files, { includeIgnored: true })).hits).toHaveLength(8);
  });

  it("leaves out what the grant excepts and counts it", async () => {
    const files = { "/w/.env": "needle", "/w/a": "needle", "/w/keys/k": "needle" };
    const found = await grep(files, {}, { except: ["/w/.env", "/w/keys"] });
    expect(found.hits.map((hit) => hit.path)).toEqual(["/w/a"]);
    expect(found.end.skipped).toEqual({ policy: 2 });
  });

  it("continues past a directory that cannot be read and names it", async () => {
    const found = await grep({ "/w/a": "needle", "/w/locked/x": "needle" }, {}, {}, ["/w/locked"]);
    expect(found.hits).toHaveLength(1);
    expect(found.end).toMatchObject({ skipped: { unreadable: 1 }, unreadable: ["/w/locked"] });
  });

  it("counts lines and lists files on request", async () => {
    const files = { "/w/a": "needle\nneedle needle\n", "/w/b": "none", "/w/c": "needle" };
    const counts = await grep(files, { mode: "count" });
    expect(counts.hits.map((hit) => [hit.path, hit.line, hit.count])).toEqual([
      ["/w/a", 0, 2],
      ["/w/c", 0, 1],
    ]);
    const list = await grep(files, { mode: "files", limit: 1 });
    expect(list.hits.map((hit) => hit.path)).toEqual(["/w/a"]);
    expect(list.end.why).toBe("limit");
  });

  it("finds across lines on request and gives one hit a line", async () => {
    const found = await grep(
      { "/w/a": "one\r\ntwo end\nthree\n" },
      { pattern: { source: "(?s)ne.*?wo", syntax: "re2", ignoreCase: false, multiline: true } },
    );
    expect(found.lines).toEqual(["/w/a:1:one", "/w/a:2:two end"]);
    expect(found.hits.map((hit) => hit.at)).toEqual([[[1, 3]], [[0, 3]]]);
  });

  it("cuts a long line around its match", async () => {
    const line = `${"é".repeat(3000)}needle${"y".repeat(3000)}`;
    const [hit] = (await grep({ "/w/a": line }, { maxLineBytes: 101 })).hits;
    expect(new TextDecoder("utf-8", { fatal: true }).decode(hit!.bytes)).toContain("needle");
    expect(hit!.bytes.length).toBeLessThanOrEqual(101);
    expect(hit!.truncatedBytes).toBe(9006 - hit!.bytes.length);
    const [from, to] = hit!.at[0]!;
    expect(new TextDecoder().decode(hit!.bytes.subarray(from, to))).toBe("needle");
  });

  it("says that it was cancelled or ran out of time", async () => {
    const cancelled = await grep({ "/w/a": "needle" }, {}, { signal: AbortSignal.abort() });
    expect(cancelled.end.why).toBe("cancelled");
    const late = AbortSignal.abort(new HaftError("CALL_TIMEOUT", "Time is up."));
    expect((await grep({ "/w/a": "needle" }, {}, { signal: late })).end.why).toBe("deadline");
  });
});

describe("walkTree", () => {
  it("counts a directory whose name is not UTF-8, and passes over one that is gone", async () => {
    const source = sourceOf({ "/w/bad\uFFFD/x": "", "/w/gone/x": "", "/w/y": "" });
    const readDir: SearchSource["readDir"] = async (directory) => {
      if (directory !== "/w") throw new HaftError("FS_NOT_FOUND", `Did not list "${directory}": it is not there.`);
      return source.readDir(directory);
    };
    const scope = { except: [], exceptNames: [], signal: new AbortController().signal };
    const found: unknown[] = [];
    for await (const item of walkTree({ ...source, readDir }, QUERY, scope)) found.push(item);
    expect(found).toHaveLength(4);
    expect(found.at(-1)).toMatchObject({ skipped: { unreadable: 1 }, unreadable: ["/w/bad\uFFFD"] });
  });

  it("lists a tree in path order, directories before what they hold", async () => {
    const source = sourceOf({ "/w/b/c": "", "/w/a": "", "/w/b.txt": "" });
    const items = [];
    for await (const item of walkTree(source, QUERY, {
      except: [],
      exceptNames: [],
      signal: new AbortController().signal,
    }))
      items.push(item.kind === "entry" ? item.path : item.why);
    expect(items).toEqual(["/w/a", "/w/b", "/w/b/c", "/w/b.txt", "complete"]);
  });
});
