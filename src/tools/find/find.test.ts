import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { HaftError, type SearchEnd } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { allowExcept, memoryBench, type ToolBench, toolBench } from "../tool-bench.fixture.js";
import type { FindData } from "./contract.js";

const INDUSAGI = {
  defaultEntries: 500,
  maxEntries: 500,
  pruning: { by: "list", names: [".git", "node_modules"] },
  order: "path",
  relativeTo: "root",
  wildcards: "names",
  withRoot: true,
};

function find(bench: ToolBench, input: object, limits?: object, signal?: AbortSignal) {
  return bench.call<FindData>("find", input, limits, signal);
}

const paths = (data: FindData | undefined) => data?.entries.map(({ path }) => path);
const emptyFiles = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, ""]));

/** A bench whose walk yields what the test says, or throws it at the end. */
function scripted(found: readonly string[], end: SearchEnd["why"] | Error) {
  const memory = createMemoryBackend();
  const bind: typeof memory.bind = (grant, call) => ({
    ...memory.bind(grant, call),
    search: {
      async *grep() {},
      async *walk() {
        for (const path of found) yield { kind: "entry", path, entry: { kind: "file" } } as const;
        if (end instanceof Error) throw end;
        yield { kind: "end", why: end, engine: "e", seen: 1, skipped: { deep: 1 } } as const;
      },
    },
  });
  return toolBench({ backend: { ...memory, bind } });
}

describe("a glob", () => {
  const bench = memoryBench(emptyFiles(["src/a.ts", "src/deep/b.TS", "src/a.tsx", "lib/a.ts", "app/[id]/page.ts"]));

  it("without a slash matches the name, with one the path, in any case", async () => {
    const found = async (query: string, path?: string) => paths((await find(bench, { query, path })).data);
    expect(await found("*.TS")).toEqual(["app/[id]/page.ts", "lib/a.ts", "src/a.ts", "src/deep/b.TS"]);
    expect(await found("src/*.ts")).toEqual(["src/a.ts"]);
    expect(await found("./src/**/*.ts")).toEqual(["src/a.ts", "src/deep/b.TS"]);
    expect(await found("/workspace/src/*.{ts,tsx}")).toEqual(["src/a.ts", "src/a.tsx"]);
    expect(await found("*/b.*", "src")).toEqual(["src/deep/b.TS"]);
    expect(await found("app/\\[id\\]/*")).toEqual(["app/[id]/page.ts"]);
  });

  it("with a trailing slash finds only directories", async () => {
    const bench = memoryBench({ "build/x": "", "lib/build": "" });
    expect((await find(bench, { query: "build/" })).data?.entries).toEqual([{ path: "build", kind: "directory" }]);
    expect(paths((await find(bench, { query: "*build/", type: "file" })).data)).toEqual(["lib/build"]);
  });

  it("that is none is refused", async () => {
    const wide = `{${Array.from({ length: 300 }, (_, index) => index).join()}}`;
    expect(await find(bench, { query: wide })).toMatchObject({ isError: true, code: "SEARCH_PATTERN" });
  });
});

describe("a part of a name", () => {
  it("is literal, brackets too, and case-insensitive", async () => {
    const bench = memoryBench(
      emptyFiles(["README.md", "docs/read.txt", "app/[id].tsx", "i.tsx", "!x", "{{name}}.py", "a b"]),
    );
    const found = async (query: string) => paths((await find(bench, { query })).data);
    expect(await found("read")).toEqual(["README.md", "docs/read.txt"]);
    expect(await found("[id].tsx")).toEqual(["app/[id].tsx"]);
    expect(await found("!x")).toEqual(["!x"]);
    expect(await found("{name}")).toEqual(["{{name}}.py"]);
    expect(await found(" ")).toEqual(["a b"]);
  });

  it("may hold as many brackets as a call holds, and is looked at once", async () => {
    const query = "[".repeat(500_000);
    expect(await find(memoryBench({ "a.txt": "" }), { query })).toMatchObject({ isError: true });
  });

  it("with brackets comes with the glob that takes them as a set, and that one finds by it", async () => {
    const bench = memoryBench(emptyFiles(["src/img1.png", "src/img2.png", "src/imgx.png", "src/set3/a"]));
    const asGlob = async (query: string) => (await find(bench, { query })).data?.asGlob;
    for (const [query, glob, found] of [
      ["img[0-9]", "*img[0-9]*", ["src/img1.png", "src/img2.png"]],
      ["./src/img[!0-9]", "**/src/img[!0-9]*", ["src/imgx.png"]],
      ["rc/set[3]/", "**/*rc/set[3]*/", ["src/set3"]],
    ] as const) {
      expect((await find(bench, { query })).data).toMatchObject({ entries: [], asGlob: glob });
      expect(paths((await find(bench, { query: glob })).data)).toEqual(found);
    }
    for (const query of ["img", "img[0-9]*", "{a,b}[0-9]", "img\\[0]", "[]", "a["])
      expect(await asGlob(query)).toBeUndefined();
  });

  it("with a slash is the end of a directory name and the start of an entry, without its contents", async () => {
    const bench = memoryBench(emptyFiles(["my-src/util/a.ts", "src/other/b.ts", "src/util.ts"]));
    expect(paths((await find(bench, { query: "src/util" })).data)).toEqual(["my-src/util", "src/util.ts"]);
    expect(paths((await find(bench, { query: "/util" })).data)).toEqual(["my-src/util", "src/util.ts"]);
  });
});

describe("queries and roots", () => {
  const bench = memoryBench({ "sub/a.txt": "" });

  it("are refused by name where they cannot match", async () => {
    for (const query of ["/", "//", "../x", "*/../a"]) {
      const refused = await find(bench, { query });
      expect(refused).toMatchObject({ isError: true, message: expect.stringContaining("`query`") });
    }
    for (const limit of [0, -1, 1.5])
      expect(await find(bench, { query: "a", limit })).toMatchObject({ isError: true, status: "invalid" });
  });

  it("are existing directories; similar names are suggested", async () => {
    expect(await find(bench, { query: "a", path: "sub/a.txt" })).toMatchObject({
      code: "FS_NOT_A_DIRECTORY",
      message: 'Did not search "sub/a.txt": it is a file. Send the directory to search.',
    });
    expect(await find(bench, { query: "a", path: "./sbu" })).toMatchObject({
      code: "FS_NOT_FOUND",
      details: { near: ["./sub"] },
    });
    expect(await find(bench, { query: "a", path: "artifact:1" })).toMatchObject({ code: "FS_BAD_PATH" });
  });

  it("may be symlinks; symlinks inside are listed and not followed", async () => {
    const backend = createMemoryBackend({ files: { "real/d.md": "" } });
    backend.plant({ kind: "link", path: "/workspace/shared", target: "real" });
    const { data } = await find(toolBench({ backend }), { query: "*.md", path: "shared" });
    expect(paths(data)).toEqual(["shared/d.md"]);
    expect((await find(toolBench({ backend }), { query: "*" })).data?.entries).toEqual([
      { path: "real", kind: "directory" },
      { path: "real/d.md", kind: "file" },
      { path: "shared", kind: "link" },
    ]);
  });
});

describe("what is found", () => {
  it("is shown as `read` accepts it, sorted by path", async () => {
    const bench = memoryBench(emptyFiles(["a/b.txt", "/elsewhere/c.txt", "artifact:1", "~x"]));
    expect(paths((await find(bench, { query: "*", type: "file" })).data)).toEqual(["./artifact:1", "./~x", "a/b.txt"]);
    expect(paths((await find(bench, { query: "c", path: "/elsewhere" })).data)).toEqual(["/elsewhere/c.txt"]);
  });

  it("holds hidden files and, on demand, ignored ones; never .git", async () => {
    const bench = memoryBench({ ".gitignore": "*.log\n", "a.log": "", ".env": "", ".git/x.log": "" });
    expect(paths((await find(bench, { query: "*", type: "file" })).data)).toEqual([".env", ".gitignore"]);
    expect(paths((await find(bench, { query: "log", includeIgnored: true })).data)).toEqual(["a.log"]);
  });

  it("ends at the limit, at 5000, and at 32 KiB, each time with the figures", async () => {
    const many = memoryBench(emptyFiles(Array.from({ length: 600 }, (_, index) => `f${index}`)));
    expect((await find(many, { query: "f" })).data).toMatchObject({ why: "limit", limit: 500, total: 500 });
    expect((await find(many, { query: "f", limit: 600 })).data).toMatchObject({ why: "complete", total: 600 });
    expect((await find(many, { query: "f", limit: 9_999 })).data?.limit).toBe(5_000);
    const long = memoryBench(emptyFiles(Array.from({ length: 300 }, (_, index) => `${"n".repeat(200)}${index}`)));
    const { data, truncations: cuts } = await find(long, { query: "n" });
    expect(data).toMatchObject({ why: "limit", total: 300 });
    expect(data!.entries.length).toBeLessThan(170);
    expect(cuts).toMatchObject([{ what: `${300 - data!.entries.length} of the paths` }]);
    expect((await find(long, { query: "n" }, { maxBytes: 1 })).data?.entries).toHaveLength(1);
  });

  it("leaves out and counts what policy excepts", async () => {
    const policy = allowExcept("/workspace/.env");
    const bench = memoryBench({ ".env": "", "a.env": "" }, { host: { policy } });
    const { data } = await find(bench, { query: "env" });
    expect(paths(data)).toEqual(["a.env"]);
    expect(data?.skipped.policy).toBe(1);
  });
});

describe("with the bounds of indusagi", () => {
  verifies("IR-093", "`*` and `?` are a glob for the whole name, all else literal, in any case", async () => {
    const bench = memoryBench(emptyFiles(["a.ts", "B.TS", "a.tsx", "a+b.c", "aab.c", "[x]", "{p,q}", "p"]));
    const found = async (query: string) => paths((await find(bench, { query }, INDUSAGI)).data);
    expect(await found("*.TS")).toEqual(["B.TS", "a.ts"]);
    expect(await found("a+b.*")).toEqual(["a+b.c"]);
    expect(await found("?.ts")).toEqual(["B.TS", "a.ts"]);
    expect(await found("[x]*")).toEqual(["[x]"]);
    expect(await found("{p,q}?")).toEqual([]);
    expect(await found("{p,q}*")).toEqual(["{p,q}"]);
    expect(await found("..")).toEqual([]);
    const { data, details } = await find(bench, { query: "a/*" }, INDUSAGI);
    expect([data?.entries, data?.why]).toEqual([[], "complete"]);
    expect(details?.notes).toEqual([
      "`query` is matched against names, and no name contains a slash; set `path` to the directory.",
    ]);
  });

  verifies("IR-094", "any other query is a part of the name", async () => {
    const bench = memoryBench(emptyFiles(["README.md", "docs/reading/x.txt", "b{a}d"]));
    expect(paths((await find(bench, { query: "read" }, INDUSAGI)).data)).toEqual(["README.md", "docs/reading"]);
    expect(paths((await find(bench, { query: "{A}" }, INDUSAGI)).data)).toEqual(["b{a}d"]);
  });

  verifies("IR-095", "only files or only directories are found on request", async () => {
    const bench = memoryBench({ "x/x.txt": "", "y/x/": "" });
    const found = async (type?: string) => paths((await find(bench, { query: "x", type }, INDUSAGI)).data);
    expect(await found("file")).toEqual(["x/x.txt"]);
    expect(await found("dir")).toEqual(["x", "y/x"]);
    expect(await found()).toEqual(["x", "x/x.txt", "y/x"]);
  });

  verifies("IR-096", "at most 500 are returned, whatever the limit", async () => {
    const bench = memoryBench(emptyFiles(Array.from({ length: 600 }, (_, index) => `m${index}.x`)));
    const { data } = await find(bench, { query: "*.x", limit: 9_999 }, INDUSAGI);
    expect([data?.entries.length, data?.why]).toEqual([500, "limit"]);
  });

  verifies("IR-097", "paths are relative to the root, which is `.`; pruned directories are not entered", async () => {
    const bench = memoryBench(emptyFiles(["src/a/src.ts", "src/node_modules/src.ts", "src/.git/src.ts", ".gitignore"]));
    expect(paths((await find(bench, { query: "src", path: "src" }, INDUSAGI)).data)).toEqual([".", "a/src.ts"]);
    const directories = { query: "SRC", path: "src", type: "dir" };
    expect((await find(bench, directories, INDUSAGI)).data?.entries).toEqual([{ path: ".", kind: "directory" }]);
    expect(paths((await find(bench, { query: "*", path: "src/a" }, INDUSAGI)).data)).toEqual([".", "src.ts"]);
  });

  verifies("IR-097", "a cancelled search is a failure, with what was found", async () => {
    const found = ["/workspace/x"];
    const stopped = { isError: true, code: "CALL_CANCELLED", data: { entries: [{ path: "x" }], why: "cancelled" } };
    expect(await find(scripted(found, "cancelled"), { query: "x" }, INDUSAGI)).toMatchObject(stopped);
    const thrown = new HaftError("CALL_CANCELLED", "stop");
    expect(await find(scripted(found, thrown), { query: "x" }, INDUSAGI)).toMatchObject(stopped);
  });
});

describe("ends", () => {
  it("return what was found when the time is up, and pass on what else goes wrong", async () => {
    const late = await find(scripted(["/workspace/a"], "deadline"), { query: "a" });
    expect(late).toMatchObject({ isError: false, data: { why: "deadline", total: 1, skipped: { deep: 1 } } });
    expect(await find(scripted([], new Error("disk")), { query: "x" })).toMatchObject({ code: "CALL_THREW" });
  });
});
