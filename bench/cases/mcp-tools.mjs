/** The tools over MCP, as the servers' users meet them. */
import { right } from "../goals.mjs";
import { sidesOf } from "../tools/sides.mjs";
import { editOf, exact, stage } from "./edit.mjs";
import { countNames, inNames, inTree } from "./find.mjs";
import { countNeedles, RARE } from "./grep.mjs";
import { checkWindow, readOf, windows } from "./read.mjs";

const COMMANDS = 10;

async function trueAgain(tools) {
  for (let turn = 0; turn < COMMANDS; turn++) await tools.bash({ command: "true" });
}

function readCase(id, what, from) {
  const check = (text, place, { lastBytes }) => ({
    say: `answer ${(lastBytes() / 1000).toFixed(1)} kB`,
    ...checkWindow(from)(text, place),
  });
  const sides = sidesOf("mcp", { where: ({ layout }) => layout.home, act: readOf(from), check });
  return { id, table: "mcp", what, goals: [right], sides, turns: 3 };
}

export const cases = [
  readCase("mcp-read-first", "first 100 lines of 1 GiB", windows.first),
  readCase("mcp-read-last", "last 100 lines of 1 GiB", windows.last),
  {
    ...readCase("mcp-read-middle", "100 lines in the middle of 1 GiB, a read after the first", windows.middle),
    turns: 1,
  },
  {
    id: "mcp-grep",
    table: "mcp",
    what: "20 hits among 20,000 files",
    goals: [right],
    sides: sidesOf("mcp", {
      where: inTree,
      act: (tools) => tools.grep(RARE),
      check: countNeedles(RARE.hits),
      leave: ["filesystem"],
    }),
  },
  {
    id: "mcp-find",
    table: "mcp",
    what: "no such name among 200,000 files",
    goals: [right],
    warm: false,
    sides: sidesOf("mcp", {
      where: inNames,
      act: (tools) => tools.find({ name: "quartz" }),
      check: countNames("quartz", 0),
    }),
  },
  {
    id: "mcp-edit",
    table: "mcp",
    what: "one exact edit of 10 MB",
    goals: [right],
    stage,
    sides: sidesOf("mcp", { act: editOf(exact) }),
  },
  {
    id: "mcp-bash",
    table: "mcp",
    what: `\`true\`, ${COMMANDS} times`,
    goals: [right],
    sides: sidesOf("mcp", { act: trueAgain, leave: ["filesystem"] }),
  },
];
