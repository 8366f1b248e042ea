/**
 * Two calls of one turn that `examples/ask-at-terminal.mjs` asks about, at a terminal where the user types y, then n. Prints the
 * statuses of the calls.
 */
import { PassThrough } from "node:stream";
import { createToolkit } from "haft";
import { terminalApprover } from "../examples/ask-at-terminal.mjs";

const typed = Object.assign(new PassThrough(), { isTTY: true });
Object.defineProperty(process, "stdin", { value: typed });

let asked = 0;
let shown = 0;
let answered = 0;
const answers = ["y\n", "n\n"];
/** Types one line once both calls have asked and another question is shown. */
function type() {
  if (asked < 2 || answered === shown) return;
  answered = shown;
  typed.write(answers.shift() ?? "");
}
process.stderr.write = (text) => {
  if (!text.includes("Allow it?")) return true;
  shown++;
  setImmediate(type);
  return true;
};
const approver = {
  ask(request, io) {
    if (++asked === 2) setImmediate(type);
    return terminalApprover.ask(request, io);
  },
};
const toolkit = await createToolkit({ workspace: process.cwd(), persist: false, approver });
const { runner } = toolkit.box("coding");
const commands = ["node -e 'console.log(1)'", "node -e 'console.log(2)'"];
const calls = commands.map((command, index) => ({ id: `call-${index}`, name: "bash", input: { command } }));
const outcomes = await Promise.all(calls.map((call) => runner.run(call)));
console.log(JSON.stringify({ shown, statuses: outcomes.map(({ status }) => status) }));
await toolkit.close();
