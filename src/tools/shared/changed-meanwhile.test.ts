import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalBackend } from "../../backends/local/index.js";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { openLocalPosix } from "../../backends/posix/index.js";
import type { Backend } from "../../kernel/index.js";
import { racedBench, type ToolBench } from "../tool-bench.fixture.js";

const BACKENDS: Readonly<Record<string, (cwd: string) => Promise<Backend>>> = {
  memory: async () => createMemoryBackend(),
  local: async (cwd) => createLocalBackend({ cwd }),
  posix: (cwd) => openLocalPosix({ cwd }),
};

describe.each(Object.keys(BACKENDS))(
  "what somebody writes while a call keeps the old bytes, on the backend %s",
  (name) => {
    async function raced(meanwhile: (bench: ToolBench) => Promise<void>, body: (bench: ToolBench) => Promise<void>) {
      const directory = mkdtempSync(join(tmpdir(), "haft-meanwhile-"));
      const backend = await BACKENDS[name]!(directory);
      const bench = racedBench(backend, name === "memory" ? backend.cwd : directory, meanwhile);
      try {
        for (const path of ["d/a.txt", "d/b.txt", "f.txt", "g.txt"]) {
          await backend.root.fs.mkdir(`${name === "memory" ? backend.cwd : directory}/d`, true);
          await bench.put(path, "old");
        }
        await body(bench);
      } finally {
        await backend.close();
        rmSync(directory, { recursive: true });
      }
    }

    it("is not overwritten by a move, which then stores and moves nothing", () =>
      raced(
        (bench) => bench.put("g.txt", "written by another"),
        async (bench) => {
          const move = () => bench.call("move", { from: "f.txt", to: "g.txt", overwrite: true });
          expect(await move()).toMatchObject({
            code: "FS_STALE",
            message: expect.stringContaining('"g.txt" was changed'),
          });
          expect([await bench.bytes("f.txt"), await bench.bytes("g.txt")]).toEqual(["old", "written by another"]);
          expect(await bench.session.artifacts.list()).toEqual([]);
          expect(await move()).toMatchObject({ status: "ok" });
          expect(await bench.session.artifacts.list()).toMatchObject([{ producedBytes: 18 }]);
        },
      ));

    it("is not overwritten by a write, which then stores and writes nothing", () =>
      raced(
        (bench) => bench.put("f.txt", "written by another"),
        async (bench) => {
          await bench.call("read", { path: "f.txt" });
          const write = () => bench.call("write", { path: "f.txt", content: "new" });
          expect(await write()).toMatchObject({ code: "FS_STALE" });
          expect(await bench.bytes("f.txt")).toBe("written by another");
          expect(await bench.session.artifacts.list()).toEqual([]);
        },
      ));

    it("is edited, and the backup of the old content is discarded", () =>
      raced(
        (bench) => bench.put("f.txt", "old, by another"),
        async (bench) => {
          const input = { path: "f.txt", edits: [{ oldText: "old", newText: "new" }] };
          expect(await bench.call("edit", input, { maxDiffBytes: 1 })).toMatchObject({ status: "ok" });
          expect(await bench.bytes("f.txt")).toBe("new, by another");
          expect(await bench.session.artifacts.list()).toMatchObject([{ producedBytes: 15 }]);
        },
      ));

    it("is not deleted with a file", () =>
      raced(
        (bench) => bench.put("f.txt", "written by another"),
        async (bench) => {
          expect(await bench.call("delete", { path: "f.txt" })).toMatchObject({ code: "FS_STALE" });
          expect(await bench.bytes("f.txt")).toBe("written by another");
          expect(await bench.session.artifacts.list()).toEqual([]);
        },
      ));

    it.each(["d/a.txt", "d/new.txt"])("is not deleted with a directory: %s", (path) =>
      raced(
        (bench) => bench.put(path, "written by another"),
        async (bench) => {
          expect(await bench.call("delete", { path: "d", recursive: true })).toMatchObject({
            code: "FS_STALE",
            message: expect.stringContaining(`"${path}" was changed, created or removed`),
          });
          expect([await bench.bytes(path), await bench.bytes("d/b.txt")]).toEqual(["written by another", "old"]);
          expect(await bench.session.artifacts.list()).toEqual([]);
          expect(await bench.call("delete", { path: "d", recursive: true })).toMatchObject({ status: "ok" });
        },
      ),
    );
  },
);
