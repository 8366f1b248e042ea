import { expect, it } from "vitest";
import { fc, runCount } from "../../testing/property.fixture.js";
import { createLegacyEncoder, decodeText, detectTextForm } from "../../text/index.js";
import { planEdits } from "./apply.js";
import { diffOfEdit } from "./diff.js";
import { findMatches, UnitSearch } from "./match.js";
import type { EditStage } from "./stages.js";
import { EDIT_STAGES, FileViews } from "./stages.js";
import { UnitText } from "./units.js";

const RUNS = runCount(1_000);

const latin1 = (value: string) => Uint8Array.from(value, (char) => char.charCodeAt(0) & 0xff);
const gb18030 = createLegacyEncoder("gb18030");
const utf16 = (littleEndian: boolean) => (value: string) => {
  const marked = `\ufeff${value}`;
  const bytes = new Uint8Array(marked.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < marked.length; index++) view.setUint16(2 * index, marked.charCodeAt(index), littleEndian);
  return bytes;
};

const ENCODERS = {
  utf8: (value: string) => new TextEncoder().encode(value),
  mark: (value: string) => new TextEncoder().encode(`\ufeff${value}`),
  latin1,
  utf16le: utf16(true),
  utf16be: utf16(false),
  gb18030: (value: string) => gb18030(value) ?? latin1(value),
} as const;

const word = fc.constantFrom("a", "ab", "x=1", "}", "if", "é", "—", "中文", "“q”", "$&", "\\n");
const spaces = fc.constantFrom("", " ", "  ", "\t", " \t ");
const line = fc
  .tuple(spaces, fc.array(fc.tuple(word, spaces), { maxLength: 4 }))
  .map(([indent, words]) => indent + words.flat().join(""));
const eol = fc.constantFrom("\n", "\n", "\r\n", "\r\n", "\r");
const file = fc
  .tuple(fc.array(fc.tuple(line, eol), { minLength: 1, maxLength: 12 }), fc.boolean())
  .map(([lines, ends]) => (ends ? lines : [...lines.slice(0, -1), [lines.at(-1)![0], ""]]).map((one) => one.join("")));

/** What a model makes of the lines it copies. */
const SLIPS: readonly ((lines: string) => string)[] = [
  (lines) => lines,
  (lines) => lines.replace(/\r\n?/g, "\n"),
  (lines) => lines.replace(/[ \t]+(?=\r?\n|\r|$)/g, ""),
  (lines) => lines.replace(/\r\n?/g, "\n").replace(/(\S)[ \t]+(?=\S)/g, "$1 "),
  (lines) => lines.trim(),
  (lines) => `${lines}\n`,
  (lines) => lines.slice(1, -1),
  (lines) => lines.replace(/^(?=[ \t]*[^ \t\r\n])/gm, "  "),
  (lines) => lines.replace(/^\t/gm, ""),
];

const edit = fc.record({
  from: fc.nat(11),
  count: fc.integer({ min: 1, max: 4 }),
  slip: fc.nat(SLIPS.length - 1),
  newText: fc.oneof(
    line,
    fc.constant(""),
    fc.tuple(line, line).map((lines) => lines.join("\n")),
  ),
});

/** A thousand runs make many comparisons; only one that fails is worth a matcher. */
function requireSame(found: Uint8Array, wanted: Uint8Array): void {
  if (Buffer.compare(found, wanted) !== 0) expect(found).toEqual(wanted);
}

const folded = (value: string) => value.replace(/[ \t\r\n]+/g, " ").trim();

it(`changes no byte outside the ranges it reports, in ${RUNS} generated files and edits`, async () => {
  let applied = 0;
  let reindented = 0;
  await fc.assert(
    fc.asyncProperty(
      file,
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...(Object.keys(ENCODERS) as (keyof typeof ENCODERS)[])),
      fc.boolean(),
      async (lines, wishes, encoding, replaceAll) => {
        const before = ENCODERS[encoding](lines.join(""));
        const form = await detectTextForm(before);
        const shown = lines.map((one) => decodeText(ENCODERS[encoding](one), form.encoding).text);
        const edits = wishes.map(({ from, count, slip, newText }) => ({
          oldText: SLIPS[slip]!(shown.slice(from, from + count).join("")),
          newText,
        }));
        if (edits.some(({ oldText }) => oldText === "")) return;
        const original = before.slice();
        const unitText = new UnitText(before, form);
        const plan = await planEdits(unitText, edits, { stages: EDIT_STAGES, replaceAll });
        requireSame(before, original);
        if (plan.kind !== "applied") return;
        applied++;
        if (plan.reindented) reindented++;
        let [read, written] = [0, 0];
        for (const { before: old, after } of plan.ranges) {
          if (old[0] < read) expect.fail("ranges overlap or are out of order");
          requireSame(plan.bytes.subarray(written, after[0]), before.subarray(read, old[0]));
          // What was replaced is what was asked for, white space aside: nothing is ever put in a wrong place.
          const replaced = folded(decodeText(before.subarray(...old), form.encoding).text);
          if (!edits.some(({ oldText }) => folded(oldText) === replaced)) expect(edits).toContain(replaced);
          [read, written] = [old[1], after[1]];
        }
        requireSame(plan.bytes.subarray(written), before.subarray(read));
        diffOfEdit(unitText, new UnitText(plan.bytes, form), plan.ranges, 16_384);
      },
    ),
    { numRuns: RUNS, seed: 1 },
  );
  expect(applied).toBeGreaterThan(RUNS / 10);
  expect(reindented).toBeGreaterThan(0);
}, 120_000);

it("finds the same places as a search that tries every one", () => {
  const units = fc.array(fc.nat(2), { maxLength: 60 }).map((values) => Uint8Array.from(values));
  fc.assert(
    fc.property(units, fc.array(fc.nat(2), { minLength: 1, maxLength: 6 }), (haystack, needle) => {
      const search = new UnitSearch(Uint8Array.from(needle));
      const spelled = haystack.join("");
      for (let from = 0; from <= haystack.length; from++) {
        expect(search.next(haystack, from)).toBe(spelled.indexOf(needle.join(""), from));
      }
    }),
    { numRuns: RUNS },
  );
});

it("stays linear where skipping does not help, and finds what is there", () => {
  const haystack = new Uint8Array(2_000_000).fill(97);
  haystack[1_998_000] = 98;
  const needle = new Uint8Array(2_001).fill(97);
  needle[1_000] = 98;
  expect(new UnitSearch(needle).next(haystack, 0)).toBe(1_997_000);
  needle[1_000] = 99;
  expect(new UnitSearch(needle).next(haystack, 0)).toBe(-1);
});

it("finds by all stages together what the first of them finds that finds anything", () => {
  const units = (size: number) =>
    fc.array(fc.constantFrom(..."ab \t\r\n"), { maxLength: size }).map((all) => latin1(all.join("")));
  fc.assert(
    fc.property(
      units(24),
      units(5),
      fc.constantFrom("inside" as const, "anywhere" as const),
      (bytes, wanted, whitespace) => {
        if (wanted.length === 0) return;
        const text = new UnitText(bytes, { encoding: "utf-8", bomBytes: 0, confident: true });
        const find = (all: readonly EditStage[]) =>
          findMatches(new FileViews(text), wanted, { stages: all, whitespace, replaceAll: true });
        // In a file of several line endings a text with a line feed stands wherever the lines do, not only where the bytes do.
        const open = text.lineEndings === "mixed" && wanted.includes(10) && !wanted.includes(13);
        const tried = open ? EDIT_STAGES.filter((stage) => stage !== "exact") : EDIT_STAGES;
        const oneByOne = tried.map((stage) => find([stage])).find((found) => found !== "not-found") ?? "not-found";
        expect(find(EDIT_STAGES)).toEqual(oneByOne);
      },
    ),
    { numRuns: RUNS, seed: 2 },
  );
});
