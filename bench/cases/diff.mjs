/** The diff of an edit beside GNU diff. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { renderUnifiedDiff } from "../../dist/text/index.js";
import { sourceText } from "../corpus.mjs";
import { atMost, atMostTimes, memory } from "../goals.mjs";

const exec = promisify(execFile);
const NAMES = ["before.txt", "after.txt"];

function diffCase(id, what, isChanged, goals) {
  const stage = ({ layout, scratch }) => {
    const before = sourceText(layout.diffLines, 5);
    const change = (line, index) => (line !== "" && isChanged(index, layout) ? `${line} // changed` : line);
    const after = before.split("\n").map(change).join("\n");
    [before, after].forEach((text, index) => {
      writeFileSync(join(scratch, NAMES[index]), text);
    });
  };
  return {
    id,
    table: "library",
    what,
    goals,
    stage,
    sides: {
      raw: async ({ scratch }) => {
        const args = ["-U3", ...NAMES];
        return () => exec("diff", args, { maxBuffer: 64 << 20, cwd: scratch }).then(nothing, nothing);
      },
      ours: async ({ scratch }) => {
        const [before, after] = NAMES.map((name) => readFileSync(join(scratch, name), "utf8"));
        return () => (renderUnifiedDiff(before, after).length > 0 ? {} : { say: "no diff", wrong: true });
      },
    },
  };
}

const nothing = () => ({});
const large = [atMost(500), memory(150)];

export const cases = [
  diffCase("diff-one", "20,000 lines, one changed", (index, { diffLines }) => index === diffLines >> 1, [
    atMostTimes(10),
  ]),
  diffCase("diff-half", "20,000 lines, every other changed", (index) => index % 2 === 0, large),
  diffCase("diff-all", "20,000 lines, all changed", () => true, large),
];
