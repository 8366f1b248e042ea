import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
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
import { HaftError } from "../../kernel/index.js";
import { memoryArtifacts } from "../../stores/memory/index.js";
import { bareHost } from "../../testing/fakes/bare-host.fixture.js";
import { memoryBench, newSession, type ToolBench, toolBench, withFs } from "../tool-bench.fixture.js";
import type { DeleteData } from "./contract.js";

const remove = (bench: ToolBench, path: string, more: object = {}, limits?: object) =>
  bench.call<DeleteData>("delete", { path, ...more }, limits);
const exists = ({ backend }: ToolBench, path: string) => backend.root.fs.exists(`/workspace/${path}`);

async function artifactText({ session }: ToolBench, id = ""): Promise<string> {
  const part = await session.artifacts.read(id, 0, 1_000);
  return typeof part === "string" ? part : new TextDecoder().decode(part.bytes);
}

describe("a delete", () => {
  it("removes a file and stores its content", async () => {
    const bench = memoryBench({ "a.txt": "one", "empty.txt": "" });
    const { data } = await remove(bench, "a.txt");
    expect(data).toMatchObject({ path: "a.txt", kind: "file", sizeBytes: 3, kept: [{ path: "a.txt", sizeBytes: 3 }] });
    expect(await artifactText(bench, data?.kept[0]?.artifact)).toBe("one");
    expect(await exists(bench, "a.txt")).toBe(false);
    expect((await remove(bench, "empty.txt")).data?.kept).toEqual([]);
  });

  it("removes a directory that is not empty only with recursive, with each file stored", async () => {
    const bench = memoryBench({ "d/a.txt": "one", "d/sub/b.txt": "two", "d/none/": "", "e/": "" });
    expect(await remove(bench, "d")).toMatchObject({
      code: "FS_NOT_EMPTY",
      message:
        'Did not delete "d": it is a directory that is not empty. Set `recursive` to delete it and its contents.',
    });
    const { data } = await remove(bench, "d/", { recursive: true });
    expect(data).toMatchObject({ sizeBytes: 6, inside: { files: 2, directories: 2, symlinks: 0, others: 0 } });
    const kept = await Promise.all(
      (data?.kept ?? []).map(async (one) => [one.path, await artifactText(bench, one.artifact)]),
    );
    expect(kept).toEqual([
      ["d/a.txt", "one"],
      ["d/sub/b.txt", "two"],
    ]);
    expect(await exists(bench, "d")).toBe(false);
    expect((await remove(bench, "e")).data).toMatchObject({ kind: "directory", kept: [] });
  });

  it("removes and stores nothing where the session has no room for the backup", async () => {
    const whole = "a".repeat(600_000);
    const long = memoryBench({ "long.txt": "a".repeat(3_000_000) });
    expect(await remove(long, "long.txt")).toMatchObject({
      code: "FS_TOO_LARGE",
      message: expect.stringContaining('room for 2097152 of the 3000000 bytes of "long.txt"'),
    });
    const session = newSession("small", memoryArtifacts({ ids: bareHost().ids, now: () => 0, quotaBytes: 1_000_000 }));
    const many = memoryBench({ "d/a.txt": whole, "d/b.txt": whole }, { session });
    expect(await remove(many, "d", { recursive: true })).toMatchObject({
      code: "FS_TOO_LARGE",
      message:
        'Did not delete "d": the session\'s artifact storage has room for 0 of the 600000 bytes of "d/a.txt". Delete less at once, or use a command, which makes no backup.',
    });
    for (const bench of [long, many]) expect(await bench.session.artifacts.list()).toEqual([]);
    expect([await exists(many, "d/a.txt"), await exists(many, "d/b.txt"), await exists(long, "long.txt")]).toEqual([
      true,
      true,
      true,
    ]);
    expect((await remove(many, "d/a.txt")).data?.kept).toHaveLength(1);
  });

  it("removes nothing where it could not keep all", async () => {
    const bench = memoryBench({ "d/a.txt": "one", "d/b.txt": "two" });
    const tooMany = await remove(bench, "d", { recursive: true }, { maxEntries: 2 });
    expect(tooMany).toMatchObject({ code: "FS_TOO_LARGE" });
    expect(tooMany.message).toContain('Did not delete "d": it has more than 2 entries, the limit of a call.');
    const tooLarge = await remove(bench, "d", { recursive: true }, { maxBytes: 5 });
    expect(tooLarge).toMatchObject({ code: "FS_TOO_LARGE", details: { sizeBytes: 6, maxBytes: 5 } });
    expect(await bench.session.artifacts.list()).toEqual([]);
    expect((await remove(bench, "d", { recursive: true }, { maxEntries: 3, maxBytes: 6 })).isError).toBe(false);
  });

  it("removes nothing where the artifacts cannot be written", async () => {
    const bench = memoryBench({ "a.txt": "one" });
    const full = () => Promise.reject(new HaftError("STORE_UNWRITABLE", "Did not keep it: the disk is full."));
    const session = { ...bench.session, artifacts: { ...bench.session.artifacts, create: full } };
    const done = await remove(toolBench({ backend: bench.backend, session }), "a.txt");
    expect(done).toMatchObject({ isError: true, code: "STORE_UNWRITABLE" });
    expect(await bench.bytes("a.txt")).toBe("one");
  });

  it("that fails half-way reports the backups of files that may be deleted", async () => {
    const backend = withFs(createMemoryBackend({ files: { "d/a.txt": "one" } }), () => ({
      rm: () => Promise.reject(new HaftError("FS_IO", "", { details: { system: "EIO" } })),
    }));
    const bench = toolBench({ backend });
    const done = await remove(bench, "d", { recursive: true });
    expect(done).toMatchObject({ code: "FS_IO", details: { kept: [{ path: "d/a.txt" }] } });
    expect(done.message).toMatch(/Some of it may already be deleted; backups: "d\/a\.txt" as artifact:\S+\.$/);
  });

  it("is refused of the root, the workspace, home, and what holds them", async () => {
    const bench = memoryBench({ "a.txt": "one" });
    for (const path of ["/", ".", "/workspace", "..", "~"])
      expect(await remove(bench, path, { recursive: true })).toMatchObject({ isError: true, code: "FS_BAD_PATH" });
    expect((await remove(bench, ".", { recursive: true })).message).toBe(
      'Did not delete ".": it is the workspace. Name what is inside instead.',
    );
    expect(await bench.bytes("a.txt")).toBe("one");
  });

  it("is refused of the workspace by another name than that it is known by", async () => {
    const backend = createMemoryBackend({ files: { "a.txt": "one" } });
    backend.plant({ kind: "link", path: "/alias", target: "/workspace" });
    const bench = toolBench({ backend, workspace: "/alias" });
    expect(await remove(bench, "/workspace", { recursive: true })).toMatchObject({ code: "FS_BAD_PATH" });
    expect(await bench.bytes("a.txt")).toBe("one");
  });

  it("of a path that is not there is answered with what is near", async () => {
    const bench = memoryBench({ "report.txt": "" });
    expect((await remove(bench, "reprot.txt")).message).toBe(
      'Did not delete "reprot.txt": no such file or directory. Did you mean "report.txt"?',
    );
    expect(await remove(bench, "artifact:1")).toMatchObject({ code: "FS_BAD_PATH" });
  });

  it("deletes a symlink itself, whatever its target, and a FIFO", async () => {
    const backend = createMemoryBackend({ files: { "real/a.txt": "one", "d/": "" } });
    for (const path of ["/workspace/link", "/workspace/d/inner"])
      backend.plant({ kind: "link", path, target: "/workspace/real" });
    backend.plant({ kind: "link", path: "/workspace/gone", target: "nowhere" });
    backend.plant({ kind: "link", path: "/workspace/whole", target: "/workspace" });
    backend.plant({ kind: "fifo", path: "/workspace/pipe" });
    const bench = toolBench({ backend });
    for (const path of ["link", "gone", "whole"])
      expect((await remove(bench, path, { recursive: true })).data).toMatchObject({ kind: "link", kept: [] });
    expect((await remove(bench, "pipe")).data?.kind).toBe("other");
    expect((await remove(bench, "d", { recursive: true })).data?.inside.symlinks).toBe(1);
    expect(await bench.bytes("real/a.txt")).toBe("one");
  });
});

const BACKENDS = {
  local: (cwd: string) => createLocalBackend({ cwd }),
  posix: (cwd: string) => openLocalPosix({ cwd }),
} as const;

describe.each(Object.entries(BACKENDS))("on a real directory, %s", (_name, open) => {
  it("deletes a tree, but neither the target of a symlink nor another hard link of a file", async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-delete-"));
    const at = (name: string) => join(directory, name);
    const backend = await open(directory);
    try {
      const bench = toolBench({ backend, workspace: directory });
      for (const name of ["d", "d/sub", "real"]) mkdirSync(at(name));
      writeFileSync(at("real/a.txt"), "one");
      writeFileSync(at("twin.txt"), "two");
      linkSync(at("twin.txt"), at("d/sub/twin.txt"));
      symlinkSync("../real", at("d/link"));
      symlinkSync("nowhere", at("d/gone"));
      symlinkSync("/", at("out"));
      expect(await remove(bench, "d")).toMatchObject({ code: "FS_NOT_EMPTY" });
      const { data } = await remove(bench, "d", { recursive: true });
      expect(data).toMatchObject({
        inside: { files: 1, directories: 1, symlinks: 2, others: 0 },
        kept: [{ sizeBytes: 3 }],
      });
      expect(existsSync(at("d"))).toBe(false);
      expect(readFileSync(at("real/a.txt"), "utf8")).toBe("one");
      expect(readFileSync(at("twin.txt"), "utf8")).toBe("two");
      expect((await remove(bench, "out", { recursive: true })).data).toMatchObject({ kind: "link", target: "/" });
      expect(await remove(bench, directory, { recursive: true })).toMatchObject({ code: "FS_BAD_PATH" });
    } finally {
      await backend.close();
      rmSync(directory, { recursive: true, force: true });
    }
  }, 20_000);
});
