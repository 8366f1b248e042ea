/** Builtins of the shell. */
import { assignmentValue } from "../apply-spec.js";
import { hasOption, optionValues } from "../call-options.js";
import { judgeAssignment } from "../environment.js";
import { judgeExpression, judgeSubscript } from "../evaluated-numbers.js";
import { type ExpandedWord, literalWord } from "../expanded-word.js";
import { judgeEvaluated } from "../hidden-substitution.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";
import type { SegmentFacts } from "../segment-facts.js";
import { judgeSetOptions, judgeShopt } from "../shell-options.js";
import type { ShellState } from "../shell-state.js";

const INERT: ProgramSpec = { operands: "text*", info: "" };

const FILE_TEST = /^-[abcdefghkprsuwxGLNOS]$/;

/** `[ -f path ]` and `[ a -nt b ]` look at files, and `[ -v name ]` evaluates a subscript. */
function judgeTest({ args, facts, state }: ProgramCall): void {
  args.forEach((word, index) => {
    const next = args[index + 1];
    if (word.isUnresolved) {
      if (mayAskForName(word, next, state) && facts.program !== "[[")
        facts.problem("dynamic-command", `\`${word.text}\` may become \`-v\`, which evaluates what follows it`);
      return;
    }
    judgeEvaluated(facts, word.value);
    if (/^-[vR]$/.test(word.value) && next !== undefined) judgeName(facts, next, state);
    const isLast = next === undefined || next.value === "]";
    if (FILE_TEST.test(word.value) && !isLast && !next.isUnresolved) facts.file(next, "read");
    if (!/^-(nt|ot|ef)$/.test(word.value)) return;
    for (const side of [args[index - 1], next]) if (side?.isUnresolved === false) facts.file(side, "read");
  });
}

/** A word that is not known may become `-v name`, or `-v` before another one. */
function mayAskForName(word: ExpandedWord, next: ExpandedWord | undefined, state: ShellState): boolean {
  const variable = /^\$\{?(\w+)\}?$/.exec(word.text)?.[1];
  if (word.isPlain || (variable !== undefined && state.isNumber(variable))) return false;
  return (
    word.maySplit ||
    (/^(-|$)/.test(word.prefix) && next !== undefined && (next.isUnresolved || next.value.includes("[")))
  );
}

/** The name of a variable, which may have a subscript. */
function judgeName(facts: SegmentFacts, word: ExpandedWord, state: ShellState): void {
  if (word.isUnresolved || word.isGlob) judgeExpression(facts, `\${${word.text}}`, state);
  else judgeSubscript(facts, word.value, state);
}

function evaluates(call: ProgramCall): void {
  for (const word of call.args) {
    if (!word.isPlain || !word.isUnresolved)
      judgeExpression(call.facts, word.value.replace(/^\s*\w+\s*=(?!=)/, ""), call.state);
    if (word.isUnresolved && !word.isPlain) call.facts.problem("dynamic-command", `evaluates \`${word.text}\``);
  }
  setsNames(call);
}

/** Each operand is the name of a variable that gets a value which is not known. */
function setsNames({ args, facts, state }: ProgramCall): void {
  for (const word of args) {
    if (word.isUnresolved) {
      if (!word.prefix.startsWith("-") && !/^\w+=/.test(word.prefix))
        facts.problem("environment", `sets \`${word.text}\``);
      continue;
    }
    judgeEvaluated(facts, word.value);
    if (/^\w+\[/.test(word.value)) judgeSubscript(facts, word.value, state);
    judgeAssignment(facts, /^\w*/.exec(word.value)?.[0] ?? "", undefined);
  }
}

function declares({ args, facts, state }: ProgramCall): void {
  const isArray = args.some(({ value }) => /^-\w*[aA]/.test(value));
  if (args.some(({ value }) => /^-\w*n/.test(value))) facts.problem("environment", "makes a name for another variable");
  if (args.some(({ value }) => /^-\w*i/.test(value)))
    facts.problem("dynamic-command", "whatever is assigned is evaluated from here on");
  for (const word of args) {
    const given = assignmentValue(word);
    if (given !== undefined) {
      judgeAssignment(facts, given.name, given.value);
      // A value that was only a text becomes the elements of the array, with all that is in it expanded.
      const isText = !/^\w+\+?=\(/.test(word.text);
      const mayBeElements = given.value.isUnresolved ? !given.value.isPlain : given.value.value.startsWith("(");
      if (isText && mayBeElements && (isArray || state.variables.isArray(given.name)))
        facts.problem("dynamic-command", `\`${word.text}\` is expanded as the elements of an array`);
    } else if (word.isUnresolved && !word.prefix.startsWith("-")) facts.problem("environment", `sets \`${word.text}\``);
    if (!word.isUnresolved) judgeEvaluated(facts, word.value);
  }
}

/** The arguments joined as a text that is run. */
function joined(words: readonly ExpandedWord[]): ExpandedWord {
  const unknown = words.find(({ isUnresolved, isGlob }) => isUnresolved || isGlob);
  return unknown ?? literalWord(words.map(({ value }) => value).join(" "));
}

const DECLARATION: ProgramSpec = { operands: "text*", judge: declares, isSafe: true };
const NAMES: ProgramSpec = { operands: "text*", judge: setsNames, isSafe: true };
const TEST: ProgramSpec = { does: "names", operands: "text*", info: "", judge: judgeTest, isSafe: true };

export const BUILTINS: ProgramTable = {
  ":": INERT,
  true: INERT,
  false: INERT,
  echo: INERT,
  exit: INERT,
  return: INERT,
  break: INERT,
  continue: INERT,
  shift: INERT,
  set: { operands: "text*", info: "", judge: ({ facts, args }) => judgeSetOptions(facts, args), isSafe: true },
  shopt: { operands: "text*", info: "", judge: ({ facts, args }) => judgeShopt(facts, args), isSafe: true },
  umask: INERT,
  ulimit: INERT,
  wait: {
    operands: "text*",
    options: { "-p": "text" },
    isSafe: true,
    judge: (call) => setsNames({ ...call, args: optionValues(call, "-p") }),
  },
  jobs: {
    operands: "text*",
    judge: (call) => {
      const runs = call.args.findIndex(({ value }) => /^-\w*x/.test(value));
      if (runs !== -1 && runs + 1 < call.args.length) call.run(call.args.slice(runs + 1));
    },
  },
  disown: INERT,
  times: INERT,
  type: INERT,
  caller: INERT,
  dirs: INERT,
  unalias: INERT,
  help: INERT,
  logout: INERT,
  pwd: INERT,
  sleep: INERT,
  fg: { does: "medium", why: "continues a job", operands: "text*" },
  bg: { does: "medium", why: "continues a job", operands: "text*" },
  suspend: { does: "medium", operands: "text*" },
  cd: { operands: "read" },
  chdir: { operands: "read" },
  pushd: { operands: "read" },
  popd: INERT,
  hash: { operands: "text*", options: { "-p": "high text" }, why: "changes which program a name means" },
  printf: {
    operands: "text*",
    options: { "-v": "text" },
    isSafe: true,
    judge: (call) => {
      const [first, second] = call.args;
      if (first?.prefix.startsWith("-v") !== true) return;
      const name = first.value === "-v" ? second : literalWord(first.value.slice(2));
      if (name !== undefined) setsNames({ ...call, args: [name] });
    },
  },
  test: TEST,
  "[": TEST,
  "[[": TEST,
  "]]": INERT,
  "((": INERT,
  export: DECLARATION,
  declare: DECLARATION,
  typeset: DECLARATION,
  local: DECLARATION,
  readonly: DECLARATION,
  read: NAMES,
  mapfile: { ...NAMES, options: { "-C": "high shell", "-c -d -n -O -s -u": "text" } },
  readarray: { ...NAMES, options: { "-C": "high shell", "-c -d -n -O -s -u": "text" } },
  getopts: NAMES,
  unset: NAMES,
  let: { ...NAMES, judge: evaluates },
  alias: {
    operands: "text*",
    isSafe: true,
    judge: ({ args, facts }) => {
      if (args.some(({ isUnresolved, value }) => isUnresolved || value.includes("="))) {
        facts.problem("dynamic-command", "an alias changes what later commands run");
      }
    },
  },
  eval: { operands: "text*", judge: (call) => call.shell(joined(withoutDashes(call.args)), { isSameShell: true }) },
  source: { operands: "script text*", why: "runs a script in this shell" },
  ".": { operands: "script text*", why: "runs a script in this shell" },
  exec: {
    operands: "text*",
    stopsAtOperand: true,
    options: { "-a": "text", "-c": "medium" },
    why: "starts a program without the usual variables",
    judge: (call) => runOperands(call),
  },
  builtin: { operands: "text*", stopsAtOperand: true, judge: (call) => runOperands(call) },
  command: {
    operands: "text*",
    stopsAtOperand: true,
    judge: (call) => {
      if (!hasOption(call, "-v", "-V")) runOperands(call);
    },
  },
  trap: {
    operands: "text*",
    stopsAtOperand: true,
    judge: (call) => {
      const [action, ...signals] = call.parsed.operands;
      if (action === undefined || signals.length === 0 || action.value === "-" || hasOption(call, "-p", "-l")) return;
      if (action.isUnresolved || action.value !== "") call.shell(action, { isSameShell: true });
    },
  },
  bind: { does: "high", why: "binds commands to keys", operands: "text*" },
  complete: { does: "high", why: "defines commands for completion", operands: "text*" },
  compgen: { does: "medium", operands: "text*", options: { "-C": "high shell", "-F": "high text" } },
  enable: { does: "high", why: "changes which program a name means", operands: "text*" },
  fc: { does: "high", why: "runs commands of the history", operands: "text*" },
  history: { does: "medium", operands: "text*", options: { "-a -n -r -w": "high" } },
  kill: { does: "medium", why: "sends a signal to a process", operands: "text*", options: { "-l -L": "" } },
};

const withoutDashes = (words: readonly ExpandedWord[]) => (words[0]?.value === "--" ? words.slice(1) : words);

/** Judges the program that the operands start. */
export function runOperands(call: ProgramCall, skip = 0): void {
  const words = call.parsed.operands.slice(skip);
  if (words.length > 0) call.run(words);
}
