import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { memoryBench, toolBench } from "../tool-bench.fixture.js";
import type { LsData } from "./contract.js";

const names = (data: LsData | undefined) => data?.entries.map(({ name }) => name);

describe("a directory", () => {
  verifies("IR-080", "lists its immediate children: kind, size and name", async () => {
    const bench = memoryBench({ "a.txt": "12345", "sub/deep.txt": "x", "empty/": "" });
    const { data } = await bench.call<LsData>("ls", {});
    expect(data).toEqual({
      path: ".",
      entries: [
        { name: "empty", kind: "directory", sizeBytes: 0 },
        { name: "sub", kind: "directory", sizeBytes: 0 },
        { name: "a.txt", kind: "file", sizeBytes: 5 },
      ],
      total: 3,
      more: false,
      limit: 500,
      hidden: 0,
    });
  });

  verifies(
    "IR-081",
    "lists directories first, then by name case-insensitively, capitals first among equals",
    async () => {
      const bench = memoryBench({ B: "", a: "", A2: "", a2: "", "A/": "", "b/": "" });
      expect(names((await bench.call<LsData>("ls", {})).data)).toEqual(["A", "b", "a", "A2", "a2", "B"]);
    },
  );

  verifies("IR-082", "hides names that begin with a dot, counts them, and shows them on demand", async () => {
    const bench = memoryBench({ ".env": "", ".git/x": "", "a.txt": "" });
    const plain = (await bench.call<LsData>("ls", { path: "." })).data;
    expect([names(plain), plain?.total, plain?.hidden]).toEqual([["a.txt"], 1, 2]);
    const whole = (await bench.call<LsData>("ls", { showHidden: true })).data;
    expect([names(whole), whole?.total, whole?.hidden]).toEqual([[".git", ".env", "a.txt"], 3, 0]);
  });

  it("shows symlinks with their targets, loops and dangling ones too", async () => {
    const backend = createMemoryBackend({ files: { "real/d.md": "", "good.txt": "abc" } });
    backend.plant({ kind: "link", path: "/workspace/self", target: "self" });
    backend.plant({ kind: "link", path: "/workspace/gone", target: "nowhere" });
    backend.plant({ kind: "fifo", path: "/workspace/pipe" });
    const { data } = await toolBench({ backend }).call<LsData>("ls", {});
    expect(data?.entries).toEqual([
      { name: "real", kind: "directory", sizeBytes: 0 },
      { name: "gone", kind: "link", sizeBytes: 0, target: "nowhere", error: "unreached" },
      { name: "good.txt", kind: "file", sizeBytes: 3 },
      { name: "pipe", kind: "other", sizeBytes: 0 },
      { name: "self", kind: "link", sizeBytes: 0, target: "self", error: "unreached" },
    ]);
  });

  it("is counted whole and listed up to the limit", async () => {
    const files = Object.fromEntries(Array.from({ length: 700 }, (_, index) => [`f${index}`, ""]));
    const bench = memoryBench(files);
    const { data } = await bench.call<LsData>("ls", {});
    expect([data?.entries.length, data?.total]).toEqual([500, 700]);
    expect((await bench.call<LsData>("ls", { limit: 2 })).data).toMatchObject({ total: 700, limit: 2 });
    expect((await bench.call<LsData>("ls", { limit: 9_999 })).data?.limit).toBe(5_000);
    for (const limit of [0, -1, 1.5])
      expect(await bench.call("ls", { limit })).toMatchObject({ isError: true, status: "invalid" });
  });
});

describe("what is not a directory", () => {
  it("is refused with what it is, or with what is near", async () => {
    const bench = memoryBench({ "sub/a.txt": "", "a.txt": "" });
    expect(await bench.call("ls", { path: "sub/a.txt" })).toMatchObject({
      code: "FS_NOT_A_DIRECTORY",
      message: 'Did not list "sub/a.txt": it is a file, not a directory. Use `read` for its content.',
    });
    expect(await bench.call("ls", { path: "a.txt/b" })).toMatchObject({ code: "FS_NOT_A_DIRECTORY" });
    expect(await bench.call("ls", { path: "./sbu" })).toMatchObject({
      code: "FS_NOT_FOUND",
      message: 'Did not list "./sbu": no such directory. Did you mean "./sub"?',
      details: { near: ["./sub"] },
    });
    expect(await bench.call("ls", { path: "artifact:1" })).toMatchObject({ code: "FS_BAD_PATH" });
  });
});
