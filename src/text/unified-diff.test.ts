import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyPatch } from "diff";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { renderUnifiedDiff } from "./unified-diff.js";

const file = fc
  .tuple(fc.array(fc.constantFrom("a", "b", "c", "", "d\r", "é"), { maxLength: 24 }), fc.boolean())
  .map(([lines, isTerminated]) => (lines.length === 0 ? "" : lines.join("\n") + (isTerminated ? "\n" : "")));

describe("renderUnifiedDiff", () => {
  verifies("IR-134", "is empty for equal texts", () => {
    expect(renderUnifiedDiff("", "")).toBe("");
    expect(renderUnifiedDiff("a\nb", "a\nb")).toBe("");
  });

  verifies("IP-033", "shows three lines around a change, by default and without being asked", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const expected = "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
    expect(renderUnifiedDiff(before, before.replace("5", "five"))).toBe(expected);
    expect(renderUnifiedDiff(before, before.replace("5", "five"), 3)).toBe(expected);
  });

  it("shows as much context as it is reported", () => {
    const before = "1\n2\n3\n4\n5\n";
    const after = before.replace("3", "x");
    expect(renderUnifiedDiff(before, after, 0)).toBe("@@ -3 +3 @@\n-3\n+x\n");
    expect(renderUnifiedDiff(before, after, 1)).toBe("@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n");
    expect(renderUnifiedDiff(before, after, 99)).toBe("@@ -1,5 +1,5 @@\n 1\n 2\n-3\n+x\n 4\n 5\n");
    expect(renderUnifiedDiff(before, after, -1)).toBe(renderUnifiedDiff(before, after, 0));
  });

  it("names a file in a header on request", () => {
    expect(renderUnifiedDiff("a\n", "b\n", 3, { path: "src/x.ts" })).toMatch(
      /^--- a\/src\/x\.ts\n\+\+\+ b\/src\/x\.ts\n@@/,
    );
    expect(renderUnifiedDiff("a\n", "b\n", 3, { path: "/w/x" })).toMatch(/^--- a\/w\/x\n/);
    expect(renderUnifiedDiff("a\n", "b\n", 3, { path: "x\n+y" })).toMatch(/^--- a\/x\\n\+y\n\+\+\+ b\/x\\n\+y\n@@/);
    expect(renderUnifiedDiff("a\n", "a\n", 3, { path: "x" })).toBe("");
  });

  it("shows a change of line endings and of the final newline", () => {
    expect(renderUnifiedDiff("a\r\nb\n", "a\nb\n")).toBe("@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n");
    expect(renderUnifiedDiff("a\n", "a")).toBe("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
  });

  it("gives the new text when it is applied to the old one", () => {
    fc.assert(
      fc.property(file, file, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        const patch = renderUnifiedDiff(before, after, context, { path: "x" });
        expect(patch === "" ? before : applyPatch(before, patch, { autoConvertLineEndings: false })).toBe(after);
      }),
    );
  });
});

const hasDiff = spawnSync("diff", ["--version"], { encoding: "utf8" }).stdout?.includes("GNU") ?? false;

describe.skipIf(!hasDiff)("renderUnifiedDiff beside GNU diff (skipped where it is not installed)", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "unified-diff-"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const gnu = (before: string, after: string, context: number): string => {
    writeFileSync(join(directory, "before"), before);
    writeFileSync(join(directory, "after"), after);
    const run = spawnSync("diff", ["--minimal", `-U${context}`, "before", "after"], {
      cwd: directory,
      encoding: "utf8",
    });
    return run.stdout.split("\n").slice(2).join("\n");
  };

  const long = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
  const edited = (change: (lines: string[]) => void): string => {
    const copy = [...long];
    change(copy);
    return `${copy.join("\n")}\n`;
  };
  const base = `${long.join("\n")}\n`;

  it.each<[string, string, string]>([
    ["an empty old file", "", "a\nb\n"],
    ["an empty new file", "a\nb\n", ""],
    ["an insertion at the start", base, `new\n${base}`],
    ["a removal at the start", base, edited((lines) => lines.splice(0, 2))],
    ["an addition at the end", base, `${base}new\n`],
    ["a removal at the end", base, edited((lines) => lines.splice(58, 2))],
    ["two changes six lines apart", base, edited((lines) => lines.splice(10, 1, "x") && lines.splice(17, 1, "y"))],
    ["two changes seven lines apart", base, edited((lines) => lines.splice(10, 1, "x") && lines.splice(18, 1, "y"))],
    ["a block moved far away", base, edited((lines) => lines.splice(50, 0, ...lines.splice(5, 4)))],
    ["a final newline lost", base, base.slice(0, -1)],
    ["a final newline gained", base.slice(0, -1), base],
    ["a change without final newlines", "a\nb", "a\nc"],
    ["carriage returns", base.replaceAll("\n", "\r\n"), base],
    ["a repeated block", "f {\n x\n}\n\nend\n", "f {\n x\n}\n\nf {\n x\n}\n\nend\n"],
    ["everything changed", base, base.replaceAll("line", "row")],
  ])("renders %s alike", (_name, before, after) => {
    for (const context of [0, 1, 3])
      expect(renderUnifiedDiff(before, after, context)).toBe(gnu(before, after, context));
  });

  it("changes as few lines on random texts", () => {
    const changed = (patch: string) => patch.split("\n").filter((line) => /^[+-]/.test(line)).length;
    for (const [before, after] of fc.sample(fc.tuple(file, file), 60))
      expect(changed(renderUnifiedDiff(before, after))).toBe(changed(gnu(before, after, 3)));
  });
});
