import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import { memoryBench, type ToolBench, toolBench } from "./tool-bench.fixture.js";

const namesOf = async ({ backend }: ToolBench) =>
  (await backend.root.fs.readDir("/workspace")).children.map(({ name }) => name).sort();

describe("a path with a trailing slash", () => {
  it.each(["new/", "new//", "new/.", "new/x/.."])("is not written as a file: %s", async (path) => {
    const bench = memoryBench();
    const end = /\/\.{0,2}$/.exec(path)![0];
    expect(await bench.call("write", { path, content: "x" })).toMatchObject({
      code: "FS_BAD_PATH",
      message: `Did not write "${path}": the path ends in "${end}", but no such directory exists. Send the path of the file itself.`,
      details: { path },
    });
    expect(await namesOf(bench)).toEqual([]);
  });

  it.each([
    ["read", {}],
    ["write", { content: "x" }],
    ["edit", { edits: [{ oldText: "one", newText: "two" }] }],
    ["delete", {}],
    ["grep", { pattern: "one" }],
  ])("is refused by %s where a file stands", async (tool, more) => {
    const bench = memoryBench({ "a.txt": "one" });
    const did = tool === "grep" ? "search" : tool;
    for (const path of ["a.txt/", "./a.txt/."]) {
      const end = path.endsWith("/") ? "/" : "/.";
      expect(await bench.call(tool, { path, ...more })).toMatchObject({
        code: "FS_NOT_A_DIRECTORY",
        message: `Did not ${did} "${path}": the path ends in "${end}", but it is not a directory. Send "${path.slice(0, -end.length)}".`,
        details: { path },
      });
    }
    expect(await bench.bytes("a.txt")).toBe("one");
  });

  it("is refused by write for a directory", async () => {
    const bench = memoryBench({ "sub/": "" });
    expect(await bench.call("write", { path: "sub/", content: "x" })).toMatchObject({ code: "FS_NOT_A_FILE" });
  });

  it("is what is not there to read and edit, where nothing is", async () => {
    const bench = memoryBench();
    expect(await bench.call("read", { path: "none/" })).toMatchObject({ code: "FS_NOT_FOUND" });
    const edits = [{ oldText: "one", newText: "two" }];
    expect(await bench.call("edit", { path: "none/", edits })).toMatchObject({ code: "FS_NOT_FOUND" });
  });
});

describe("a move to a path with a trailing slash", () => {
  const move = (bench: ToolBench, from: string, to: string, overwrite = false) =>
    bench.call("move", { from, to, overwrite });

  it.each(["nodir/", "nodir/."])("makes no file of that name: %s", async (to) => {
    const bench = memoryBench({ "sub/a.txt": "one" });
    const end = to.endsWith("/") ? "/" : "/.";
    expect(await move(bench, "sub/a.txt", to)).toMatchObject({
      code: "FS_BAD_PATH",
      message: `Did not move "sub/a.txt": \`to\` ends in "${end}", but no such directory exists. Send "nodir/a.txt" to move it into a new directory, or "nodir" to rename it.`,
    });
    expect(await namesOf(bench)).toEqual(["sub"]);
  });

  it("renames a directory", async () => {
    const bench = memoryBench({ "sub/a.txt": "one" });
    expect(await move(bench, "sub/", "lib/")).toMatchObject({ isError: false });
    expect(await bench.bytes("lib/a.txt")).toBe("one");
  });

  it("replaces no file, and no symlink to a directory", async () => {
    const backend = createMemoryBackend({ files: { "a.txt": "one", "b.txt": "two", "sub/": "" } });
    backend.plant({ kind: "link", path: "/workspace/link", target: "sub" });
    const bench = toolBench({ backend });
    expect(await move(bench, "a.txt", "b.txt/", true)).toMatchObject({
      code: "FS_NOT_A_DIRECTORY",
      message: 'Did not move anything to "b.txt/": the path ends in "/", but it is not a directory. Send "b.txt".',
    });
    expect(await move(bench, "a.txt", "link/", true)).toMatchObject({
      code: "FS_EXISTS",
      message:
        'Did not move "a.txt": "link/" is a directory. To move it into that directory, send "link/a.txt" as `to`.',
    });
    expect(await namesOf(bench)).toEqual(["a.txt", "b.txt", "link", "sub"]);
    expect(await bench.bytes("b.txt")).toBe("two");
  });

  it("refuses a file with a trailing slash, and accepts a symlink with and without", async () => {
    const backend = createMemoryBackend({ files: { "a.txt": "one", "sub/": "" } });
    backend.plant({ kind: "link", path: "/workspace/link", target: "sub" });
    const bench = toolBench({ backend });
    expect(await move(bench, "a.txt/", "b.txt")).toMatchObject({
      code: "FS_NOT_A_DIRECTORY",
      message: 'Did not move "a.txt/": the path ends in "/", but it is not a directory. Send "a.txt".',
    });
    expect(await move(bench, "link/", "moved")).toMatchObject({ isError: false });
    expect(await namesOf(bench)).toEqual(["a.txt", "moved", "sub"]);
  });
});
