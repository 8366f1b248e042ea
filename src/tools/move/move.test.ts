import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalBackend } from "../../backends/local/index.js";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { openLocalPosix } from "../../backends/posix/index.js";
import { memoryArtifacts } from "../../stores/memory/index.js";
import { bareHost } from "../../testing/fakes/bare-host.fixture.js";
import { memoryBench, newSession, type ToolBench, toolBench } from "../tool-bench.fixture.js";
import type { MoveData } from "./contract.js";

const move = (bench: ToolBench, from: string, to: string, more: object = {}) =>
  bench.call<MoveData>("move", { from, to, ...more });

async function artifactText({ session }: ToolBench, id = ""): Promise<string> {
  const part = await session.artifacts.read(id, 0, 1_000);
  return typeof part === "string" ? part : new TextDecoder().decode(part.bytes);
}

describe("a move", () => {
  it("renames a file, and creates the parents of its new path", async () => {
    const bench = memoryBench({ "a.txt": "one" });
    expect((await move(bench, "a.txt", "new/deep/b.txt")).data).toEqual({
      from: "a.txt",
      to: "new/deep/b.txt",
      kind: "file",
      sizeBytes: 3,
      targetChanges: false,
      replaced: false,
    });
    expect(await bench.bytes("new/deep/b.txt")).toBe("one");
    expect(await bench.backend.root.fs.exists("/workspace/a.txt")).toBe(false);
  });

  it("moves a directory with its contents", async () => {
    const bench = memoryBench({ "src/a.txt": "one", "src/sub/b.txt": "two", "lib/": "" });
    expect((await move(bench, "src", "lib/src/")).data).toMatchObject({ kind: "directory", sizeBytes: 0 });
    expect(await bench.bytes("lib/src/sub/b.txt")).toBe("two");
  });

  it("replaces nothing without overwrite, and stores what it replaces", async () => {
    const bench = memoryBench({ "a.txt": "new", "b.txt": "old", "sub/": "" });
    const taken = await move(bench, "a.txt", "b.txt");
    expect(taken).toMatchObject({
      code: "FS_EXISTS",
      message: 'Did not move "a.txt": "b.txt" already exists. Choose another name, or set `overwrite` to replace it.',
    });
    expect(await bench.bytes("b.txt")).toBe("old");
    const done = await move(bench, "a.txt", "b.txt", { overwrite: true });
    expect(done.data?.replaced).toBe(true);
    expect(await bench.bytes("b.txt")).toBe("new");
    const backup = done.details?.backup as { readonly artifact: string } | undefined;
    expect(await artifactText(bench, backup?.artifact)).toBe("old");
  });

  it("does not replace a file that is too large to be backed up", async () => {
    const bench = memoryBench({ "a.txt": "new", "b.txt": "older" });
    const done = await bench.call("move", { from: "a.txt", to: "b.txt", overwrite: true }, { maxReplacedBytes: 4 });
    expect(done).toMatchObject({ code: "FS_TOO_LARGE", details: { sizeBytes: 5, maxBytes: 4 } });
    expect(await bench.bytes("b.txt")).toBe("older");
  });

  it("does not replace a file that does not fit into the session's artifact storage", async () => {
    const artifacts = memoryArtifacts({ ids: bareHost().ids, now: () => 0, partBytes: 1 });
    const session = { ...newSession("narrow"), artifacts };
    const bench = memoryBench({ "a.txt": "new", "b.txt": "older" }, { session });
    expect(await move(bench, "a.txt", "b.txt", { overwrite: true })).toMatchObject({
      code: "FS_TOO_LARGE",
      message:
        'Did not move "a.txt": the session\'s artifact storage has room for 2 of the 5 bytes of "b.txt". Use a command to replace it, which makes no backup.',
      details: { path: "b.txt", sizeBytes: 5, maxBytes: 2 },
    });
    expect([await bench.bytes("b.txt"), await artifacts.list()]).toEqual(["older", []]);
  });

  it("suggests the path inside a directory given as destination, and never replaces a directory", async () => {
    const bench = memoryBench({ "a.txt": "one", "sub/": "", "other/": "" });
    for (const overwrite of [false, true]) {
      const { code, message } = await move(bench, "a.txt", "sub/", { overwrite });
      expect([code, message]).toEqual([
        "FS_EXISTS",
        'Did not move "a.txt": "sub/" is a directory. To move it into that directory, send "sub/a.txt" as `to`.',
      ]);
    }
    expect(await move(bench, "sub", "a.txt", { overwrite: true })).toMatchObject({ code: "FS_EXISTS" });
    expect(await bench.bytes("a.txt")).toBe("one");
  });

  it("is refused into itself, onto itself, and for protected directories", async () => {
    const bench = memoryBench({ "a/b.txt": "one" });
    expect((await move(bench, "a", "a/c")).message).toBe('Did not move "a": `to` is inside it. Choose a path outside.');
    expect((await move(bench, "a", "./a")).message).toBe('Did not move "a": `to` is the same path. Name another one.');
    for (const from of ["/", ".", "/workspace", ".."])
      expect(await move(bench, from, "/elsewhere")).toMatchObject({ isError: true, code: "FS_BAD_PATH" });
    expect(await bench.bytes("a/b.txt")).toBe("one");
  });

  it("is refused of the workspace by another name than that it is known by", async () => {
    const backend = createMemoryBackend({ files: { "a.txt": "one" } });
    backend.plant({ kind: "link", path: "/alias", target: "/workspace" });
    const bench = toolBench({ backend, workspace: "/alias" });
    expect(await move(bench, "/workspace", "/elsewhere")).toMatchObject({ code: "FS_BAD_PATH" });
    expect(await bench.bytes("a.txt")).toBe("one");
  });

  it("of a path that is not there is answered with what is near", async () => {
    const bench = memoryBench({ "report.txt": "", file: "" });
    expect((await move(bench, "reprot.txt", "x")).message).toBe(
      'Did not move "reprot.txt": no such file or directory. Did you mean "report.txt"?',
    );
    expect((await move(bench, "report.txt", "file/x")).message).toBe(
      'Did not move anything to "file/x": part of the path is a file, not a directory. Check the spelling.',
    );
    expect(await move(bench, "report.txt", "")).toMatchObject({ isError: true });
    expect(await move(bench, "artifact:1", "x")).toMatchObject({ code: "FS_BAD_PATH" });
  });

  it("moves a symlink itself, and replaces a symlink itself", async () => {
    const backend = createMemoryBackend({ files: { "real.txt": "one", "new.txt": "new", "sub/": "" } });
    backend.plant({ kind: "link", path: "/workspace/link", target: "real.txt" });
    const bench = toolBench({ backend });
    expect((await move(bench, "link", "sub/link")).data).toMatchObject({
      kind: "link",
      target: "real.txt",
      targetChanges: true,
    });
    expect(await bench.bytes("real.txt")).toBe("one");
    expect((await move(bench, "sub/link", "link")).data?.kind).toBe("link");
    expect((await move(bench, "new.txt", "link", { overwrite: true })).data).toMatchObject({
      replaced: true,
      replacedTarget: "real.txt",
    });
    expect([await bench.bytes("link"), await bench.bytes("real.txt")]).toEqual(["new", "one"]);
  });
});

const BACKENDS = {
  local: (cwd: string) => createLocalBackend({ cwd }),
  posix: (cwd: string) => openLocalPosix({ cwd }),
} as const;

describe.each(Object.entries(BACKENDS))("on a real directory, %s", (_name, open) => {
  it("moves files, directories and symlinks, and leaves two hard links of one file", async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-move-"));
    const at = (name: string) => join(directory, name);
    const backend = await open(directory);
    try {
      const bench = toolBench({ backend, workspace: directory });
      mkdirSync(at("src"));
      writeFileSync(at("src/a.txt"), "one");
      writeFileSync(at("old.txt"), "old");
      linkSync(at("old.txt"), at("twin.txt"));
      symlinkSync("src", at("link"));
      expect(await move(bench, "src", "lib/src")).toMatchObject({ isError: false });
      expect(readFileSync(at("lib/src/a.txt"), "utf8")).toBe("one");
      expect(await move(bench, "link", "moved")).toMatchObject({ isError: false });
      expect(readlinkSync(at("moved"))).toBe("src");
      expect(await move(bench, "old.txt", "twin.txt", { overwrite: true })).toMatchObject({ code: "FS_EXISTS" });
      expect(readFileSync(at("twin.txt"), "utf8")).toBe("old");
      expect(await move(bench, "lib/src/a.txt", "old.txt", { overwrite: true })).toMatchObject({ isError: false });
      expect(readFileSync(at("old.txt"), "utf8")).toBe("one");
      expect(readFileSync(at("twin.txt"), "utf8")).toBe("old");
      expect(await move(bench, "old.txt", "moved")).toMatchObject({ code: "FS_EXISTS" });
      expect(lstatSync(at("moved")).isSymbolicLink()).toBe(true);
      expect(existsSync(at("lib/src/a.txt"))).toBe(false);
    } finally {
      await backend.close();
      rmSync(directory, { recursive: true, force: true });
    }
  }, 20_000);
});
