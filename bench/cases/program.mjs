/** Whole programs, one process a call: what a shell script would meet. */
import { right } from "../goals.mjs";
import { sidesOf } from "../tools/sides.mjs";
import { countNames, inTree } from "./find.mjs";
import { countNeedles, RARE } from "./grep.mjs";

const programs = (id, what, about) => ({
  id,
  table: "program",
  what,
  rounds: 2,
  goals: [right],
  sides: sidesOf("program", about),
});

export const cases = [
  programs("program-version", "`--version`", { act: (tools) => tools.version() }),
  programs("program-grep", "20 hits among 20,000 files", {
    where: inTree,
    act: (tools) => tools.grep(RARE),
    check: countNeedles(RARE.hits),
  }),
  programs("program-find", "one of 20,000 files by a part of its name", {
    where: inTree,
    act: (tools) => tools.find({ name: "file777." }),
    check: countNames("file777.", 1),
  }),
  programs("program-bash", "`true`", { act: (tools) => tools.bash({ command: "true" }) }),
];
