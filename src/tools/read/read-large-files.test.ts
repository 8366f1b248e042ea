import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import type { Fs } from "../../kernel/index.js";
import { newSession, toolBench } from "../tool-bench.fixture.js";
import type { ReadData } from "./contract.js";

describe("large files", () => {
  const LINES = 900_000;
  const line = (number: number) => `${String(number).padStart(99, "0")}\n`;
  /** 90 MB that are made when they are read; every byte that is asked for is counted. */
  function largeFile() {
    const size = LINES * 100;
    let served = 0;
    const at = (offset: number, length: number) => {
      const first = Math.floor(offset / 100);
      const last = Math.min(LINES, Math.ceil((offset + length) / 100));
      const text = Array.from({ length: Math.max(0, last - first) }, (_, index) => line(first + index + 1)).join("");
      const bytes = new TextEncoder().encode(text).subarray(offset - first * 100, offset - first * 100 + length);
      served += bytes.length;
      return bytes;
    };
    const info = { kind: "file", size, modifiedMs: 1, mode: 0o644, version: "v1" } as const;
    const fs: Partial<Fs> = {
      stat: async () => info,
      readRange: async (_path, offset, length) => ({ bytes: at(offset, length), size, version: "v1" }),
      openRead: async function* (_path, io) {
        for (let offset = io?.offset ?? 0; offset < size; offset += 1 << 20) yield at(offset, 1 << 20);
      },
      resolve: async (paths) => paths.map((real) => ({ real, missing: "", kind: "file" as const })),
    };
    const memory = createMemoryBackend();
    const backend = { ...memory, bind: () => ({ ...memory.root, fs, search: undefined }) as never };
    return { bench: toolBench({ backend, session: newSession("large") }), served: () => served };
  }

  it("costs a window at either end", async () => {
    const { bench, served } = largeFile();
    const first = await bench.call<ReadData>("read", { path: "log", limit: 100 });
    expect(first.data).toMatchObject({ startLine: 1, endLine: 100, totalLines: null, nextOffset: 101 });
    const last = await bench.call<ReadData>("read", { path: "log", offset: -100 });
    expect(last.data).toMatchObject({ startLine: -100, endLine: -1, totalLines: null });
    expect(last.data?.text).toBe(Array.from({ length: 100 }, (_, index) => line(LINES - 99 + index)).join(""));
    expect(last.data?.nextOffset).toBeUndefined();
    expect(served()).toBeLessThan(4_000_000);
  });

  it("scans up to a line in the middle once, and finds it again by the index", async () => {
    const { bench, served } = largeFile();
    const read = () => bench.call<ReadData>("read", { path: "log", offset: 450_001, limit: 2 });
    expect((await read()).data).toMatchObject({ text: line(450_001) + line(450_002), startLine: 450_001 });
    const cold = served();
    expect(cold).toBeGreaterThan(44_000_000);
    expect((await read()).data?.text).toBe(line(450_001) + line(450_002));
    expect(served() - cold).toBeLessThan(3_000_000);
    const later = await bench.call<ReadData>("read", { path: "log", offset: LINES, limit: 5 });
    expect(later.data).toMatchObject({ text: line(LINES), totalLines: LINES });
    expect((await bench.call<ReadData>("read", { path: "log", offset: -3, limit: 1 })).data).toMatchObject({
      startLine: LINES - 2,
      nextOffset: LINES - 1,
    });
  });

  it("pages through the tail by negative offsets", async () => {
    const { bench } = largeFile();
    const first = await bench.call<ReadData>("read", { path: "log", offset: -4, limit: 3 });
    expect(first.data).toMatchObject({ startLine: -4, endLine: -2, nextOffset: -1 });
    expect((await bench.call<ReadData>("read", { path: "log", offset: -1 })).data).toMatchObject({
      text: line(LINES),
      startLine: -1,
    });
  });
});
