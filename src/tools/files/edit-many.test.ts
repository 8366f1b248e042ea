/** Thousands of places in one edit: each costs a fixed share, however long the lines are that they stand in. */
import { expect, it } from "vitest";
import { diffOfEdit } from "./edit-diff.js";
import { planEdits } from "./edit-engine.js";
import { MAX_REPLACED_PLACES } from "./edit-locate.js";
import { namedTextForm, type TextForm } from "./text-form.js";
import { UnitText } from "./unit-text.js";

const COUNT = 200_000;
const utf8: TextForm = namedTextForm("utf-8", new Uint8Array());

function replaceEach(bytes: Uint8Array, oldText: string, newText: string, form = utf8) {
  const text = new UnitText(bytes, form);
  const plan = planEdits(text, [{ oldText, newText }], { stages: ["exact"], replaceAll: true });
  if (plan.kind !== "applied") throw new Error(plan.kind);
  const diff = diffOfEdit(text, new UnitText(plan.bytes, form), plan.ranges, 4_096);
  return { plan, diff };
}

it("replaces every letter of one long line", () => {
  const { plan, diff } = replaceEach(new Uint8Array(COUNT).fill(97), "a", "bb");
  expect([plan.ranges.length, plan.bytes.length, plan.bytes.every((byte) => byte === 98)]).toEqual([
    COUNT,
    2 * COUNT,
    true,
  ]);
  expect([diff.added, diff.removed]).toEqual([1, 1]);
});

it("finds the line ends for each place of one long line once", () => {
  const crlf = new TextEncoder().encode(`top\r\n${"a".repeat(COUNT)}`);
  const { plan } = replaceEach(crlf, "a", "a\n");
  expect(new TextDecoder().decode(plan.bytes)).toBe(`top\r\n${"a\r\n".repeat(COUNT)}`);
  const returns = replaceEach(new TextEncoder().encode(`top\r${"a".repeat(COUNT)}`), "a", "a\n").plan;
  expect(new TextDecoder().decode(returns.bytes)).toBe(`top\r${"a\r".repeat(COUNT)}`);
});

it("walks a long line of two-byte characters once", () => {
  // B0 61 is one character whose second byte looks like a letter.
  const bytes = Uint8Array.from({ length: 3 * COUNT }, (_, index) => [0xb0, 0x61, 0x61][index % 3]!);
  const { plan } = replaceEach(bytes, "a", "b", namedTextForm("gbk", bytes));
  expect(plan.ranges.length).toBe(COUNT);
  expect(plan.bytes.every((byte, index) => byte === [0xb0, 0x61, 0x62][index % 3])).toBe(true);
});

it("shows what stands between the places of one line and those of others", () => {
  const lines = Array.from({ length: 60 }, (_, line) => (line % 20 === 0 ? "x.x.x.x" : `line ${line}`));
  const { plan, diff } = replaceEach(new TextEncoder().encode(lines.join("\n")), "x", "y\ny");
  expect(plan.ranges.length).toBe(12);
  expect([diff.added, diff.removed, diff.diff.match(/^@@/gm)?.length]).toEqual([15, 3, 3]);
  expect(diff.diff).toContain(" line 19\n-x.x.x.x\n+y\n+y.y\n+y.y\n+y.y\n+y\n line 21\n");
});

it("counts more places than an answer can tell and replaces none", () => {
  const text = new UnitText(new Uint8Array(MAX_REPLACED_PLACES + 1).fill(97), utf8);
  const plan = planEdits(text, [{ oldText: "a", newText: "b" }], { stages: ["exact"], replaceAll: true });
  expect(plan).toMatchObject({ kind: "ambiguous", count: MAX_REPLACED_PLACES + 1 });
});
