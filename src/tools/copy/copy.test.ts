import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalBackend } from "../../backends/local/index.js";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { openLocalPosix } from "../../backends/posix/index.js";
import { memoryBench, type ToolBench, toolBench, withFs } from "../tool-bench.fixture.js";
import type { CopyData } from "./contract.js";

const copy = (bench: ToolBench, from: string, to: string, more: object = {}, limits?: object) =>
  bench.call<CopyData>("copy", { from, to, ...more }, limits);

describe("a copy within one target", () => {
  it("creates the file and its parents, and reports size and hash", async () => {
    const bench = memoryBench({ "a.txt": "one" });
    expect((await copy(bench, "a.txt", "new/deep/b.txt")).data).toEqual({
      from: "a.txt",
      to: "new/deep/b.txt",
      target: "memory",
      sizeBytes: 3,
      sha256: "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
      created: true,
    });
    expect([await bench.bytes("a.txt"), await bench.bytes("new/deep/b.txt")]).toEqual(["one", "one"]);
  });

  it("replaces nothing without overwrite, and with it only what was read, whose bytes it stores", async () => {
    const bench = memoryBench({ "a.txt": "new", "b.txt": "old" });
    expect(await copy(bench, "a.txt", "b.txt")).toMatchObject({
      code: "FS_EXISTS",
      message:
        'Did not copy anything to "b.txt": it already exists. Choose another name, or set `overwrite` to replace it.',
    });
    expect(await copy(bench, "a.txt", "b.txt", { overwrite: true })).toMatchObject({
      code: "FS_NOT_READ",
      message: 'Did not copy anything to "b.txt": it has not been read in this session.',
    });
    expect(await bench.bytes("b.txt")).toBe("old");
    await bench.call("read", { path: "b.txt" });
    const done = await copy(bench, "a.txt", "b.txt", { overwrite: true });
    expect(done).toMatchObject({ data: { created: false }, details: { backup: { bytes: 3 } } });
    const { artifact } = (done.details?.backup ?? {}) as { artifact: string };
    const kept = await bench.session.artifacts.read(artifact, 0, 10);
    expect(typeof kept !== "string" && new TextDecoder().decode(kept.bytes)).toBe("old");
    expect(await bench.bytes("b.txt")).toBe("new");
    await bench.put("a.txt", "newer");
    expect(await copy(bench, "a.txt", "b.txt", { overwrite: true })).toMatchObject({ isError: false });
    expect(await bench.bytes("b.txt")).toBe("newer");
  });

  it("reports the bytes of a large file while it copies them", async () => {
    const events: unknown[] = [];
    const bench = toolBench({ backend: createMemoryBackend(), onEvent: (event) => events.push(event) });
    await bench.put("a", new Uint8Array(9 * 1_048_576));
    expect(await copy(bench, "a", "b")).toMatchObject({ data: { created: true } });
    expect(events).toContainEqual(
      expect.objectContaining({ kind: "progress", message: "Copied 4.0 MiB of 9.0 MiB", total: 9 * 1_048_576 }),
    );
  });

  it("replaces a binary file that was read", async () => {
    const bench = memoryBench();
    await bench.put("a", new Uint8Array([0, 255, 1]));
    await bench.put("b", new Uint8Array([0, 254, 2, 0]));
    await bench.call("read", { path: "b" });
    expect(await copy(bench, "a", "b", { overwrite: true })).toMatchObject({ data: { created: false, sizeBytes: 3 } });
    expect(await bench.bytes("b")).toBe("\0ÿ\x01");
  });

  it("reports that the old bytes were not stored where they are over the limit, and stores none that are the same", async () => {
    const bench = memoryBench({ "a.txt": "new", "b.txt": "older", "c.txt": "new" });
    const over = await copy(bench, "a.txt", "b.txt", { overwrite: true }, { gate: "off", maxBackupBytes: 4 });
    expect(over.details).toEqual({ backup: { kept: false, sizeBytes: 5, maxBytes: 4 } });
    expect((await copy(bench, "a.txt", "c.txt", { overwrite: true }, { gate: "off" })).details).toBeUndefined();
    expect(await bench.session.artifacts.list()).toEqual([]);
  });

  it("refuses a directory, a missing file with near names, and a destination that is a directory, with the way to do it", async () => {
    const bench = memoryBench({ "src/a.txt": "one", "dist/": "" });
    expect((await copy(bench, "src", "other")).message).toMatch(/^Did not copy "src": it is a directory, .*archive/);
    expect(await copy(bench, "src/b.txt", "c.txt")).toMatchObject({
      code: "FS_NOT_FOUND",
      message: expect.stringContaining('Did you mean "src/a.txt"?'),
    });
    expect((await copy(bench, "src/a.txt", "dist", { overwrite: true })).message).toBe(
      'Did not copy anything to "dist": it is a directory. To copy the file into it, send "dist/a.txt" as `to`.',
    );
    expect(await copy(bench, "src/a.txt", "dist/new/")).toMatchObject({ code: "FS_BAD_PATH" });
    expect(await copy(bench, "src/a.txt/", "b.txt")).toMatchObject({ code: "FS_NOT_A_DIRECTORY" });
    expect(await copy(bench, "src/a.txt", "./src/a.txt")).toMatchObject({ code: "FS_BAD_PATH" });
    expect(await copy(bench, "", "b.txt")).toMatchObject({ code: "FS_BAD_PATH" });
    expect(await copy(bench, "src/a.txt", "/elsewhere/deep/a.txt")).toMatchObject({ code: "FS_NOT_FOUND" });
  });

  it("refuses a source that changes while it is copied, and leaves what was there", async () => {
    const backend = createMemoryBackend({ files: { "a.txt": "one", "b.txt": "old" } });
    const changing = withFs(backend, (fs) => ({
      async *openRead(path, io) {
        yield* fs.openRead(path, io);
        await backend.root.fs.writeFile(path, "two");
      },
    }));
    const bench = toolBench({ backend: changing });
    const limits = { gate: "off" };
    for (const to of ["b.txt", "c.txt"])
      expect(await copy(bench, "a.txt", to, { overwrite: true }, limits)).toMatchObject({
        code: "FS_STALE",
        message: 'Did not copy "a.txt": it changed while it was copied. Nothing was written; repeat the call.',
      });
    expect(await bench.bytes("b.txt")).toBe("old");
    expect(await backend.root.fs.exists(`${backend.cwd}/c.txt`)).toBe(false);
    expect(await bench.session.artifacts.list()).toEqual([]);
  });

  it("does not follow a source that grows as fast as it is read", async () => {
    const backend = createMemoryBackend({ files: { "a.log": "one\n" } });
    const chunk = new TextEncoder().encode("one\n");
    let served = 0;
    const growing = withFs(backend, () => ({
      async *openRead() {
        for (; served < 1_000; served += 1) yield chunk;
      },
    }));
    const bench = toolBench({ backend: growing });
    expect(await copy(bench, "a.log", "b.log")).toMatchObject({ code: "FS_STALE" });
    expect(served).toBeLessThan(10);
    expect(await backend.root.fs.exists(`${backend.cwd}/b.log`)).toBe(false);
  });

  it("does not read a file that it refuses to replace", async () => {
    const backend = createMemoryBackend({ files: { "a.txt": "one", "b.txt": "old" } });
    const reads: string[] = [];
    const watched = withFs(backend, (fs) => ({
      readBytes(path, io) {
        reads.push(path);
        return fs.readBytes(path, io);
      },
    }));
    const bench = toolBench({ backend: watched });
    expect(await copy(bench, "a.txt", "b.txt")).toMatchObject({ code: "FS_EXISTS" });
    expect(reads).toEqual([]);
    await copy(bench, "a.txt", "b.txt", { overwrite: true }, { gate: "off" });
    expect(reads).toEqual([`${backend.cwd}/b.txt`]);
  });

  it("refuses a destination that appears or changes meanwhile", async () => {
    for (const to of ["new.txt", "old.txt"]) {
      const backend = createMemoryBackend({ files: { "a.txt": "one", "old.txt": "old" } });
      const raced = withFs(backend, (fs) => ({
        async *openRead(path, io) {
          await backend.root.fs.writeFile(`${backend.cwd}/${to}`, "of another program");
          yield* fs.openRead(path, io);
        },
      }));
      const bench = toolBench({ backend: raced });
      expect(await copy(bench, "a.txt", to, { overwrite: true }, { gate: "off" })).toMatchObject({ code: "FS_STALE" });
      expect(await bench.bytes(to)).toBe("of another program");
    }
  });

  it("refuses `fromOn` where there is one target", async () => {
    const call = await copy(memoryBench({ a: "" }), "a", "b", { fromOn: "memory" });
    expect(call).toMatchObject({
      status: "invalid",
      message:
        'Did not run `copy`: `fromOn` chooses between several targets, and there is only "memory". Leave it out.',
    });
  });
});

describe.each([
  ["local", async (cwd: string) => createLocalBackend({ cwd })],
  ["posix", async (cwd: string) => openLocalPosix({ shell: ["sh"], cwd })],
] as const)("a copy on %s", (_, open) => {
  it("keeps the mode of a replaced file; a new one is executable as its source, and not writable for others", async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-copy-"));
    const backend = await open(directory);
    try {
      const at = (name: string) => join(directory, name);
      for (const [name, mode] of [
        ["tool", 0o777],
        ["private", 0o600],
        ["old", 0o640],
      ] as const) {
        writeFileSync(at(name), name);
        chmodSync(at(name), mode);
      }
      symlinkSync("tool", at("link"));
      writeFileSync(at("one"), "one");
      linkSync(at("one"), at("two"));
      const bench = toolBench({ backend });
      const limits = { gate: "off" };
      for (const [from, to, mode] of [
        ["tool", "a", 0o755],
        ["private", "b", 0o600],
        ["tool", "old", 0o640],
      ] as const) {
        expect(await copy(bench, from, to, { overwrite: true }, limits)).toMatchObject({ isError: false });
        expect([to, statSync(at(to)).mode & 0o7777]).toEqual([to, mode]);
      }
      expect((await copy(bench, "tool", "one", { overwrite: true }, limits)).data?.inPlace).toBe(true);
      expect(readFileSync(at("two"), "utf8")).toBe("tool");
      expect(await copy(bench, "link", "tool", { overwrite: true }, limits)).toMatchObject({ code: "FS_BAD_PATH" });
      expect(readdirSync(directory).filter((name) => name.startsWith("."))).toEqual([]);
    } finally {
      await backend.close();
      rmSync(directory, { recursive: true });
    }
  });
});
