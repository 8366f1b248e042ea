/** find beside fd, or ripgrep's list of files and grep, and the peers. */
import { atLeastTimes, atMostTimes, memory, right } from "../goals.mjs";
import { plainFind } from "../tools/plain-search.mjs";
import { fdFind, rawFind, rgPath } from "../tools/ripgrep.mjs";
import { sidesOf } from "../tools/sides.mjs";

/** How many found names an answer shows. */
export function countNames(name, hits) {
  return (text) => {
    const lines = String(text).split("\n");
    const found = lines.filter(
      (line) => line.includes(`/`) && line.includes(name) && !/match|pattern/i.test(line),
    ).length;
    return found === hits ? {} : { say: `finds ${found} of ${hits}`, wrong: true };
  };
}

export const inTree = ({ layout }) => layout.tree;
export const inNames = ({ layout }) => layout.names;

function findCase(id, what, name, where, hits, more = {}) {
  const raw = async (place) => () => rawFind(name, where(place));
  const fd = async (place) => {
    const { path, missing } = place.layout.fd;
    if (path === undefined) throw new Error(missing);
    return () => fdFind(path, name, where(place), more.type);
  };
  const plain = async (place) => async () => void (await plainFind(name, where(place)));
  const act = (tools) => tools.find({ name, type: more.type });
  return {
    id,
    table: "library",
    what,
    goals: [
      atMostTimes(1.3, { beside: "fd" }),
      ...(rgPath === undefined ? [] : [atMostTimes(1.3, { name: "ripgrep's list" })]),
      ...(more.plain ? [atLeastTimes(20, { beside: "plain", name: "a plain walk" })] : []),
      memory(100),
      right,
    ],
    ...more,
    sides: {
      fd,
      ...(rgPath === undefined ? {} : { raw }),
      ...(more.plain ? { plain } : {}),
      ...sidesOf("library", { where, act, check: countNames(name, hits) }),
    },
  };
}

export const cases = [
  findCase("find-rare", "one of 20,000 files by a part of its name", "file777.", inTree, 1, { turns: 3 }),
  findCase("find-rare-file", "the same, files only", "file777.", inTree, 1, { turns: 3, type: "file" }),
  findCase("find-none", "no such name among 200,000 files", "quartz", inNames, 0, { plain: true, single: ["plain"] }),
];
