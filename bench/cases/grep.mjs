/** grep beside the same ripgrep with the same flags, a plain loop over lines, and the peers with the same ripgrep. */
import { atLeastTimes, atMost, atMostTimes, memory, right } from "../goals.mjs";
import { openHaftAlone } from "../tools/haft.mjs";
import { plainGrep } from "../tools/plain-search.mjs";
import { rawGrep, rgPath } from "../tools/ripgrep.mjs";
import { sidesOf } from "../tools/sides.mjs";

export const RARE = { pattern: "QUARTZ_NEEDLE_\\d+", path: ".", hits: 20 };
const LOG = { pattern: "QUARTZ_NEEDLE", path: "log.txt", hits: 9 };

/** How many of the needles an answer shows; what echoes the pattern is not one. */
export function countNeedles(hits) {
  return (text) => {
    const lines = String(text).split("\n");
    const found = lines.filter((line) => line.includes("QUARTZ_NEEDLE") && !/pattern/i.test(line)).length;
    return found === hits ? {} : { say: `finds ${found} of ${hits}`, wrong: true };
  };
}

const inTree = ({ layout }) => layout.tree;
const inLog = ({ layout }) => layout.home;

function grepCase(id, what, query, where, goals, more = {}) {
  const raw = async (place) => () => rawGrep(query, where(place));
  const plain = async (place) => async () => {
    const hits = await plainGrep(query, where(place));
    return countNeedles(query.hits)(hits.join("\n"));
  };
  const check = query.hits === undefined ? undefined : countNeedles(query.hits);
  return {
    id,
    table: "library",
    what,
    goals,
    ...more,
    sides: {
      ...(rgPath === undefined ? {} : { raw }),
      ...(more.plain ? { plain } : {}),
      ...sidesOf("library", { where, act: (tools) => tools.grep(query), check }),
    },
  };
}

/** As where ripgrep is not installed. */
function ownCase(id, what, query, where, goals, more) {
  const check = countNeedles(query.hits);
  const open = async (place) => {
    const tools = await openHaftAlone({ ...place, cwd: where(place) });
    return async () => check(await tools.grep(query));
  };
  const plain = async (place) => async () => check((await plainGrep(query, where(place))).join("\n"));
  return { id, table: "library", what, goals, ...more, sides: { plain, ours: open } };
}

const near = atMostTimes(1.15, { plusMs: 15 });

export const cases = [
  grepCase(
    "grep-rare",
    "20 hits among 20,000 files",
    RARE,
    inTree,
    [
      near,
      atMostTimes(1.1, { of: "cpuMs" }),
      atLeastTimes(20, { beside: "plain", of: "cpuMs", name: "a plain loop" }),
      atLeastTimes(40, { beside: "plain", name: "a plain loop" }),
      right,
    ],
    { turns: 3, plain: true, single: ["plain"] },
  ),
  grepCase(
    "grep-none",
    "no hit, and no literal in the pattern",
    { pattern: "\\b\\p{Lu}{9}\\w{3}\\b", path: "." },
    inTree,
    [atMostTimes(1.3)],
  ),
  grepCase(
    "grep-frequent",
    "the first 200 of very many hits",
    { pattern: "const", path: ".", limit: 200 },
    inTree,
    [atMost(26), memory(100)],
    { turns: 10 },
  ),
  grepCase("grep-log", "9 hits in a log of 1 GiB", LOG, inLog, [near, right]),
  ownCase(
    "grep-own",
    "20 hits among 20,000 files, no ripgrep",
    RARE,
    inTree,
    [atLeastTimes(3, { beside: "plain", name: "a plain loop" }), memory(150), right],
    {},
  ),
  ownCase("grep-own-log", "9 hits in a log of 1 GiB, no ripgrep", LOG, inLog, [memory(150), right], {
    rounds: 1,
    warm: false,
  }),
];
