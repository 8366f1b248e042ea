/** read beside sed and tail. */
import { execFile } from "node:child_process";
import { utimesSync } from "node:fs";
import { promisify } from "node:util";
import { atMost, atMostTimes, right } from "../goals.mjs";
import { sidesOf } from "../tools/sides.mjs";

const exec = promisify(execFile);
const quiet = { maxBuffer: 64 << 20 };
const COUNT = 100;

/** First line of the window: from 1, or from the end. */
const first = () => 1;
const last = () => -COUNT;
const middle = ({ logLines }) => logLines >> 1;

export const windows = { first, last, middle };

/** How many lines of the window the answer has, by the numbers that they hold. */
export function checkWindow(from) {
  return (text, { layout }) => {
    const start = from(layout) < 0 ? layout.logLines + from(layout) : from(layout) - 1;
    const shown = new Set(
      Array.from(String(text).matchAll(/ request (\d+) done/g), ([, number]) => Number(number) - start),
    );
    const found = [...shown].filter((index) => index >= 0 && index < COUNT).length;
    return found === COUNT ? {} : { say: `${found} of ${COUNT} lines`, wrong: true };
  };
}

export const readOf =
  (from) =>
  (tools, { layout }) =>
    tools.read({ path: "log.txt", first: from(layout), count: COUNT, lines: layout.logLines });

function readCase(id, what, from, rawOf, goals, { turns, isCold = false } = {}) {
  const before = isCold ? touch : undefined;
  const raw = async (place) => {
    const [program, ...args] = rawOf(place.layout);
    const run = async () => void (await exec(program, [...args, place.layout.log], quiet));
    return { run, before: () => before?.(place) };
  };
  const where = ({ layout }) => layout.home;
  const about = { where, act: readOf(from), check: checkWindow(from), before };
  return { id, table: "library", what, goals, turns, sides: { raw, ...sidesOf("library", about) } };
}

/** An index of lines holds for a file as it was; it is another after this, with the same bytes. */
function touch({ layout }) {
  const now = new Date();
  utimesSync(layout.log, now, now);
}

const growth = atMost(10, { of: "growthMb", unit: "MB", what: "growth" });
const sedMiddle = (layout) => {
  const at = middle(layout);
  return ["sed", "-n", `${at},${at + COUNT - 1}p;${at + COUNT - 1}q`];
};

export const cases = [
  readCase(
    "read-first",
    "first 100 lines of 1 GiB",
    first,
    () => ["sed", "-n", "1,100p;100q"],
    [atMost(10), growth, right],
    {
      turns: 5,
    },
  ),
  readCase("read-last", "last 100 lines of 1 GiB", last, () => ["tail", "-n", "100"], [atMost(10), growth, right], {
    turns: 5,
  }),
  readCase(
    "read-middle-cold",
    "100 lines in the middle, file not seen before",
    middle,
    sedMiddle,
    [atMostTimes(1), right],
    {
      isCold: true,
    },
  ),
  readCase("read-middle", "the same, a read after the first", middle, sedMiddle, [atMost(20), right]),
];
