import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memoryBench } from "../tool-bench.fixture.js";
import type { EditData } from "./contract.js";
import { EDIT_LIMITS } from "./contract.js";

const REFERENCE = readFileSync(new URL("../../../docs/reference/edit.md", import.meta.url), "utf8");
const rows = REFERENCE.split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => [...line.matchAll(/`([^`]*)`/g)].map(([, cell]) => cell ?? ""));

describe("the reference of the edit tool", () => {
  it.each(rows)("%s: %s with %s for %s gives %s", async (stage, file, oldText, newText, becomes = "") => {
    const before = JSON.parse(file ?? "") as string;
    const bench = memoryBench({ "f.txt": before });
    const edits = [{ oldText: JSON.parse(oldText ?? ""), newText: JSON.parse(newText ?? "") }];
    const done = await bench.call<EditData>("edit", { path: "f.txt", edits });
    const isRefused = !becomes.startsWith('"');
    expect(await bench.bytes("f.txt")).toBe(isRefused ? before : JSON.parse(becomes));
    if (isRefused) expect(done.code).toBe(becomes);
    else expect(done.data?.strategy).toBe(stage);
  });

  it("shows each stage, in their order", () => {
    expect([...new Set(rows.map(([stage]) => stage))]).toEqual(EDIT_LIMITS.stages);
  });
});
