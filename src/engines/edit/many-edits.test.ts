/** Thousands of places in one edit: each costs a fixed share, however long the lines are that they stand in. */
import { describe, expect, it } from "vitest";
import { namedTextForm, type TextForm } from "../../text/index.js";
import { planEdits } from "./apply.js";
import { diffOfEdit } from "./diff.js";
import { MAX_REPLACED_PLACES } from "./match.js";
import { UnitText } from "./units.js";

const COUNT = 200_000;
const utf8: TextForm = namedTextForm("utf-8", new Uint8Array());

async function replaceEach(bytes: Uint8Array, oldText: string, newText: string, form = utf8) {
  const text = new UnitText(bytes, form);
  const plan = await planEdits(text, [{ oldText, newText }], { stages: ["exact"], replaceAll: true });
  if (plan.kind !== "applied") throw new Error(plan.kind);
  const diff = diffOfEdit(text, new UnitText(plan.bytes, form), plan.ranges, 4_096);
  return { plan, diff };
}

it("replaces every letter of one long line", async () => {
  const { plan, diff } = await replaceEach(new Uint8Array(COUNT).fill(97), "a", "bb");
  expect([plan.ranges.length, plan.bytes.length, plan.bytes.every((byte) => byte === 98)]).toEqual([
    COUNT,
    2 * COUNT,
    true,
  ]);
  expect([diff.added, diff.removed]).toEqual([1, 1]);
});

it("finds the line endings for each place of one long line once", async () => {
  const crlf = new TextEncoder().encode(`top\r\n${"a".repeat(COUNT)}`);
  const { plan } = await replaceEach(crlf, "a", "a\n");
  expect(new TextDecoder().decode(plan.bytes)).toBe(`top\r\n${"a\r\n".repeat(COUNT)}`);
  const returns = (await replaceEach(new TextEncoder().encode(`top\r${"a".repeat(COUNT)}`), "a", "a\n")).plan;
  expect(new TextDecoder().decode(returns.bytes)).toBe(`top\r${"a\r".repeat(COUNT)}`);
});

it("walks a long line of two-byte characters once", async () => {
  // B0 61 is one character whose second byte looks like a letter.
  const bytes = Uint8Array.from({ length: 3 * COUNT }, (_, index) => [0xb0, 0x61, 0x61][index % 3]!);
  const { plan } = await replaceEach(bytes, "a", "b", namedTextForm("gbk", bytes));
  expect(plan.ranges.length).toBe(COUNT);
  expect(plan.bytes.every((byte, index) => byte === [0xb0, 0x61, 0x62][index % 3])).toBe(true);
});

it("shows the text between the places of one line and those of others", async () => {
  const lines = Array.from({ length: 60 }, (_, line) => (line % 20 === 0 ? "x.x.x.x" : `line ${line}`));
  const { plan, diff } = await replaceEach(new TextEncoder().encode(lines.join("\n")), "x", "y\ny");
  expect(plan.ranges.length).toBe(12);
  expect([diff.added, diff.removed, diff.diff.match(/^@@/gm)?.length]).toEqual([15, 3, 3]);
  expect(diff.diff).toContain(" line 19\n-x.x.x.x\n+y\n+y.y\n+y.y\n+y.y\n+y\n line 21\n");
});

it("counts more places than a result can list and replaces none", async () => {
  const text = new UnitText(new Uint8Array(MAX_REPLACED_PLACES + 1).fill(97), utf8);
  const plan = await planEdits(text, [{ oldText: "a", newText: "b" }], { stages: ["exact"], replaceAll: true });
  expect(plan).toMatchObject({ kind: "ambiguous", count: MAX_REPLACED_PLACES + 1 });
});

describe("a thousand edits of one file", () => {
  const lines = Array.from({ length: 5_000 }, (_, line) => `\tvalue${line} =  compute(${line});`);
  const bytes = new TextEncoder().encode(lines.join("\r\n"));
  const stages = ["exact", "line-endings", "trailing-whitespace", "whitespace"] as const;
  /** Every fifth line as it stands, with one blank less, or with the line after it and a line feed between. */
  const asCopied = [
    (line: number) => `${lines[line]}`,
    (line: number) => lines[line]!.replace("=  ", "= "),
    (line: number) => `${lines[line]}\n${lines[line + 1]}`,
  ];
  const edits = Array.from({ length: 1_000 }, (_, index) => ({
    oldText: asCopied[index % 3]!(index * 5).replace(/^\t/, ""),
    newText: `new${index}`,
  }));
  const plan = (all: typeof edits, afterSearch?: () => Promise<void>) =>
    planEdits(new UnitText(bytes, utf8), all, {
      stages,
      replaceAll: false,
      ...(afterSearch === undefined ? {} : { afterSearch }),
    });

  it("are all made, each in its own place", async () => {
    let rests = 0;
    const made = await plan(edits, async () => void rests++);
    if (made.kind !== "applied") throw new Error(JSON.stringify(made));
    const wanted = lines.flatMap((line, at) => {
      const [index, behind] = [Math.floor(at / 5), at % 5];
      if (behind === 0) return [`\tnew${index}`];
      return behind === 1 && index % 3 === 2 ? [] : [line];
    });
    expect(new TextDecoder().decode(made.bytes)).toBe(wanted.join("\r\n"));
    expect([made.ranges.length, made.stage]).toEqual([1_000, "whitespace"]);
    expect(rests).toBe(1_000);
  });

  it("are refused with the first of them that has no place of its own", async () => {
    const twice = { oldText: "compute(1", newText: "x" };
    const nowhere = { oldText: "value5001 = nothing", newText: "x" };
    const [one, other] = [edits.slice(0, 500), edits.slice(500)];
    expect(await plan([...one, twice, nowhere, ...other])).toMatchObject({
      kind: "ambiguous",
      edit: 500,
      count: 1_111,
    });
    expect(await plan([...one, nowhere, twice, ...other])).toMatchObject({ kind: "not-found", edit: 500 });
    expect(await plan([...edits, edits[7]!])).toMatchObject({ kind: "overlap", edits: [7, 1_000] });
  });

  it("end when the call is cancelled meanwhile", async () => {
    const cancelled = new Error("cancelled");
    let rests = 0;
    const afterSearch = async () => {
      if (++rests === 3) throw cancelled;
    };
    await expect(plan(edits, afterSearch)).rejects.toBe(cancelled);
    expect(rests).toBe(3);
  });
});
