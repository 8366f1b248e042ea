/** edit beside plain Node on a source file of 10 MB. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourceText } from "../corpus.mjs";
import { atMost, atMostTimes, memory, right } from "../goals.mjs";
import { sidesOf } from "../tools/sides.mjs";

const FILE = "file.ts";

/** A file with a block of marked lines in the middle. */
export function stage({ layout, scratch }) {
  const lines = sourceText(layout.editLines, 3).split("\n");
  const middle = lines.length >> 1;
  for (let index = 0; index < 100; index++)
    lines[middle + index] = `  const marker${index} = call(a, ${index}); // block`;
  writeFileSync(join(scratch, FILE), lines.join("\n"));
}

/** Each run changes bytes: there, and back again with the next. */
let turn = 0;
const texts = (inputOf) => ({ path: FILE, ...inputOf(turn++ % 2 === 0) });

export const exact = (isFirst) => {
  const pair = ["marker50 =", "MARKER50 ="];
  const [oldText, newText] = isFirst ? pair : pair.toReversed();
  return { oldText, newText };
};

const blockOf = (count, gap, value) =>
  Array.from(
    { length: count },
    (_, index) => `  const${gap}marker${index} = ${index === 1 ? value : "call"}(a, ${index}); // block`,
  ).join("\n");
/** The old text has other whitespace than the file. */
const nearMiss = (count) => (isFirst) => ({
  oldText: blockOf(count, "  ", isFirst ? "call" : "changed"),
  newText: blockOf(count, " ", isFirst ? "changed" : "call"),
});
const nowhere = () => ({ oldText: "  const nowhere = gone(b);", newText: "x" });

export const editOf = (inputOf) => (tools) => tools.edit(texts(inputOf));

const refused = (inputOf) => async (tools) => {
  const said = await editOf(inputOf)(tools).catch(() => undefined);
  if (said !== undefined) throw new Error(`changed something: ${said.slice(0, 100)}`);
};

function raw({ scratch }) {
  const path = join(scratch, FILE);
  return () => {
    const text = readFileSync(path, "utf8");
    const { oldText, newText } = exact(turn++ % 2 === 0);
    const at = text.indexOf(oldText);
    writeFileSync(path, text.slice(0, at) + newText + text.slice(at + oldText.length));
  };
}

function editCase(id, what, act, goals) {
  return {
    id,
    table: "library",
    what,
    goals,
    stage,
    sides: { raw: async (place) => raw(place), ...sidesOf("library", { act }) },
  };
}

const flat = {
  text: "≤ 1.5x the wall of fuzzy-4",
  judge({ ours }, all) {
    const four = all.get("fuzzy-4")?.sides.ours;
    if (four?.wallMs === undefined || ours.failed) return { shown: "nothing to compare with" };
    return { met: ours.wallMs <= four.wallMs * 1.5, shown: `${(ours.wallMs / four.wallMs).toFixed(2)}x` };
  },
};

export const cases = [
  editCase("edit-exact", "one exact edit of 10 MB, with its diff", editOf(exact), [atMostTimes(3), memory(200), right]),
  editCase("edit-none", "no match in 10 MB, reported with the nearest lines", refused(nowhere), [atMostTimes(10)]),
  editCase("fuzzy-4", "4 lines with other whitespace in 10 MB", editOf(nearMiss(4)), [
    atMostTimes(10),
    atMost(1000),
    right,
  ]),
  editCase("fuzzy-100", "100 lines with other whitespace in 10 MB", editOf(nearMiss(100)), [
    atMostTimes(10),
    atMost(1000),
    flat,
    right,
  ]),
];
