import { diffArrays } from "diff";
import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { type DiffOp, diffLines, type LineDiff } from "./line-diff.js";
import { splitLines } from "./lines.js";

const text = fc
  .array(fc.constantFrom("a", "b", "c", "", "d\r", "e"), { maxLength: 16 })
  .map((lines) => lines.join("\n"));
const lines = (count: number, line: (index: number) => string) =>
  `${Array.from({ length: count }, (_, i) => line(i)).join("\n")}\n`;
const side = (ops: readonly DiffOp[], dropped: "add" | "remove") =>
  ops.filter((op) => op.kind !== dropped).map((op) => op.text);

/** Everything that holds for any diff: both texts can be read off it, numbers run from 1, the tallies are right. */
function expectConsistent(diff: LineDiff, before: string, after: string): void {
  expect(side(diff.ops, "add")).toEqual(splitLines(before));
  expect(side(diff.ops, "remove")).toEqual(splitLines(after));
  let [beforeLine, afterLine, wrong] = [0, 0, 0];
  for (const op of diff.ops) {
    if (op.beforeLine !== (op.kind === "add" ? null : ++beforeLine)) wrong++;
    if (op.afterLine !== (op.kind === "remove" ? null : ++afterLine)) wrong++;
  }
  expect(wrong).toBe(0);
  expect(diff.added).toBe(diff.ops.filter((op) => op.kind === "add").length);
  expect(diff.removed).toBe(diff.ops.filter((op) => op.kind === "remove").length);
}

describe("diffLines", () => {
  verifies("IR-133", "tallies two added and one removed line for one replaced and one appended", () => {
    expect(diffLines("a\nb\nc\n", "a\nB\nc\nd\n")).toEqual({
      ops: [
        { kind: "keep", text: "a", beforeLine: 1, afterLine: 1 },
        { kind: "remove", text: "b", beforeLine: 2, afterLine: null },
        { kind: "add", text: "B", beforeLine: null, afterLine: 2 },
        { kind: "keep", text: "c", beforeLine: 3, afterLine: 3 },
        { kind: "add", text: "d", beforeLine: null, afterLine: 4 },
      ],
      added: 2,
      removed: 1,
      strategy: "myers",
    });
  });

  verifies("IR-135", "takes \\n and \\r\\n for the same ending and a final newline for no line", () => {
    const diff = diffLines("a\r\nb\r\n", "a\nb");
    expect(diff).toMatchObject({ added: 0, removed: 0, strategy: "identical" });
    expect(diff.ops.map((op) => op.text)).toEqual(["a", "b"]);
  });

  verifies("IR-135", "takes an empty text for one empty line", () => {
    expect(diffLines("", "").ops).toEqual([{ kind: "keep", text: "", beforeLine: 1, afterLine: 1 }]);
    expect(diffLines("", "\n").strategy).toBe("identical");
    expect(diffLines("", "a")).toMatchObject({ added: 1, removed: 1 });
    expect(diffLines("x\n\ny", "")).toMatchObject({ added: 0, removed: 2 });
  });

  it("leads from one text to the other by as few lines as another implementation", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = diffLines(before, after);
        expectConsistent(diff, before, after);
        const oracle = diffArrays(splitLines(before), splitLines(after)).filter((part) => part.added || part.removed);
        expect(diff.added + diff.removed).toBe(oracle.reduce((sum, part) => sum + part.value.length, 0));
      }),
    );
  });

  it("adds a repeated block after the one that was there", () => {
    const before = "f {\n  x\n}\n\nend\n";
    const diff = diffLines(before, "f {\n  x\n}\n\nf {\n  x\n}\n\nend\n");
    expect(diff.ops.filter((op) => op.kind === "add").map((op) => op.afterLine)).toEqual([5, 6, 7, 8]);
  });
});

describe("diffLines on adversarial texts", () => {
  const count = 20_000;
  const noise = (index: number) => Math.imul(index + 1, 0x9e3779b1) >>> 7;
  const unique = lines(count, (index) => `line ${index}`);

  it.each<[string, string, string, LineDiff["strategy"], number, number]>([
    ["one line changed", unique, unique.replace("line 10000\n", "new\n"), "myers", 1, 1],
    ["every line changed", unique, lines(count, (index) => `other ${index}`), "myers", count, count],
    [
      "every other line changed",
      unique,
      lines(count, (index) => (index % 2 ? `line ${index}` : `other ${index}`)),
      "myers",
      count / 2,
      count / 2,
    ],
    ["all lines equal, more of them", "x\n".repeat(count), "x\n".repeat(count + 500), "myers", 500, 0],
    ["two lines in turn, shifted by one", "a\nb\n".repeat(count / 2), "b\na\n".repeat(count / 2), "myers", 1, 1],
    [
      "100,000 lines all changed",
      lines(100_000, (i) => `l${i}`),
      lines(100_000, (i) => `m${i}`),
      "myers",
      100_000,
      100_000,
    ],
    [
      "the order reversed",
      unique,
      lines(count, (index) => `line ${count - 1 - index}`),
      "anchors",
      count - 1,
      count - 1,
    ],
  ])("finds the shortest script for %s", (_name, before, after, strategy, added, removed) => {
    const diff = diffLines(before, after);
    expect(diff.strategy).toBe(strategy);
    expect([diff.added, diff.removed]).toEqual([added, removed]);
    expectConsistent(diff, before, after);
  });

  it("holds unique lines in place when a shortest script is too much work", () => {
    const shuffled = (salt: number) =>
      lines(60_000, (index) => (index % 100 === 0 ? `chapter ${index / 100}` : `word ${noise(index * salt) % 50}`));
    const diff = diffLines(shuffled(1), shuffled(7));
    expect(diff.strategy).toBe("anchors");
    expect(diff.ops.filter((op) => op.kind === "keep" && op.text.startsWith("chapter"))).toHaveLength(600);
    expectConsistent(diff, shuffled(1), shuffled(7));
  });

  it("replaces a block when no line is unique and a shortest script is too much work", () => {
    const words = (salt: number) => lines(60_000, (index) => `word ${noise(index * salt) % 50}`);
    const [before, after] = [`head\n${words(1)}tail\n`, `head\n${words(7)}tail\n`];
    const diff = diffLines(before, after);
    expect(diff.strategy).toBe("block");
    expect(diff.ops.at(0)?.kind).toBe("keep");
    expect(diff.ops.at(-1)?.kind).toBe("keep");
    expectConsistent(diff, before, after);
  });
});
