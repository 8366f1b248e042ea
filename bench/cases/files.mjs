/** read, edit, the whitespace stage and the diff beside sed, tail, GNU diff and plain Node. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { renderUnifiedDiff } from "../../dist/text/index.js";
import { sourceText } from "../corpus.mjs";
import { atMost, openBox } from "./haft.mjs";

const exec = promisify(execFile);
const quiet = { maxBuffer: 64 << 20 };

function readCase(id, what, raw, window, goal) {
  return {
    id,
    what,
    goal,
    async raw({ layout }) {
      const [command, ...args] = raw(layout);
      return async () => (await exec(command, [...args, layout.log], quiet)).stdout.length;
    },
    async ours({ layout, scratch }) {
      const box = await openBox(dirname(layout.log), scratch);
      return async () => String(await box.must("read", { path: "log.txt", ...window(layout) })).length;
    },
  };
}

/** A file with one line to change in the middle. `run` alternates between two texts so that every round changes bytes. */
function editCase(id, what, inputOf, goal, expectError = false) {
  const prepare = (layout, scratch) => {
    const path = join(scratch, "file.ts");
    const lines = sourceText(layout.editLines, 3).split("\n");
    const middle = lines.length >> 1;
    for (let index = 0; index < 100; index++)
      lines[middle + index] = `  const marker${index} = call(a, ${index}); // block`;
    writeFileSync(path, lines.join("\n"));
    return path;
  };
  return {
    id,
    what,
    goal,
    async raw({ layout, scratch }) {
      const path = prepare(layout, scratch);
      let turn = 0;
      return () => {
        const text = readFileSync(path, "utf8");
        const [from, to] = turn++ % 2 === 0 ? ["marker50 =", "MARKER50 ="] : ["MARKER50 =", "marker50 ="];
        const at = text.indexOf(from);
        writeFileSync(path, text.slice(0, at) + to + text.slice(at + from.length));
      };
    },
    async ours({ layout, scratch }) {
      const path = prepare(layout, scratch);
      const box = await openBox(scratch, join(scratch, "state"));
      let turn = 0;
      return async () => {
        const outcome = await box.call("edit", { path: "file.ts", ...inputOf(turn++ % 2 === 0) });
        if (outcome.isError !== expectError)
          throw new Error(`${path}: ${JSON.stringify(outcome.output).slice(0, 300)}`);
      };
    },
  };
}

const blockOf = (count, gap, value) =>
  Array.from(
    { length: count },
    (_, index) => `  const${gap}marker${index} = ${index === 1 ? value : "call"}(a, ${index}); // block`,
  ).join("\n");
const nearMiss = (count) => (first) => ({
  oldText: blockOf(count, "  ", first ? "call" : "changed"),
  newText: blockOf(count, " ", first ? "changed" : "call"),
});

function diffCase(id, what, change, goal) {
  const pair = (layout) => {
    const before = sourceText(layout.diffLines, 5);
    const after = before
      .split("\n")
      .map((line, index) => (line !== "" && change(index, layout) ? `${line} // changed` : line))
      .join("\n");
    return [before, after];
  };
  return {
    id,
    what,
    goal,
    async raw({ layout, scratch }) {
      const paths = pair(layout).map((text, index) => {
        const path = join(scratch, `${index}.txt`);
        writeFileSync(path, text);
        return path;
      });
      return () => exec("diff", ["-U3", ...paths], quiet).catch((failed) => failed.stdout.length);
    },
    async ours({ layout }) {
      const [before, after] = pair(layout);
      return () => renderUnifiedDiff(before, after).length;
    },
  };
}

const within = (milliseconds) => ({ text: `≤ ${milliseconds} ms`, judge: ({ ours }) => ours.wallMs <= milliseconds });

export const cases = [
  readCase(
    "read-first",
    "first 100 lines of the log",
    () => ["sed", "-n", "1,100p;100q"],
    () => ({ limit: 100 }),
    within(10),
  ),
  readCase(
    "read-last",
    "last 100 lines of the log",
    () => ["tail", "-n", "100"],
    () => ({ offset: -100 }),
    within(10),
  ),
  readCase(
    "read-middle",
    "100 lines in the middle; the median is of reads after the first",
    ({ logLines }) => ["sed", "-n", `${logLines >> 1},${(logLines >> 1) + 99}p;${(logLines >> 1) + 99}q`],
    ({ logLines }) => ({ offset: logLines >> 1, limit: 100 }),
    within(20),
  ),
  editCase(
    "edit-exact",
    "one exact edit of a 10 MB file",
    (first) => ({ oldText: first ? "marker50 =" : "MARKER50 =", newText: first ? "MARKER50 =" : "marker50 =" }),
    atMost(3),
  ),
  editCase(
    "edit-none",
    "no match in a 10 MB file",
    () => ({ oldText: "  const nowhere = gone(b);", newText: "x" }),
    atMost(10),
    true,
  ),
  editCase("fuzzy-4", "a near miss of 4 lines in 10 MB", nearMiss(4), atMost(10)),
  editCase("fuzzy-100", "a near miss of 100 lines in 10 MB", nearMiss(100), atMost(10)),
  diffCase("diff-one", "20,000 lines, one changed", (index, { diffLines }) => index === diffLines >> 1, atMost(10)),
  diffCase("diff-half", "20,000 lines, every other changed", (index) => index % 2 === 0, within(500)),
  diffCase("diff-all", "20,000 lines, all changed", () => true, within(500)),
];
