/** Shells: the text of `-c`, a script, or what they read from stdin. */
import { isInput } from "../apply-spec.js";
import { hasOption } from "../call-options.js";
import { literalWord } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";
import { judgeShellOption } from "../shell-options.js";

/** With others the shell reads the words of a command differently, or runs a start-up file. */
const HARMLESS = /^(-[abcefhlmnpqrsuvxBCEOoPT]|--(login|norc|noprofile|posix|verbose|restricted|rcfile|init-file))$/;

function judgeShell(call: ProgramCall): void {
  const { facts, parsed, input } = call;
  const [first] = parsed.operands;
  for (const { name, values } of parsed.options)
    for (const value of /^-[oO]$/.test(name) ? values : []) judgeShellOption(facts, name, value);
  const unknown = parsed.options.find(({ name }) => !HARMLESS.test(name));
  if (unknown !== undefined) facts.raise("medium", `a shell with the option ${unknown.name}`);
  if (hasOption(call, "-n") && !call.args.some(({ value }) => value.startsWith("+"))) {
    if (first !== undefined) facts.file(first, "read");
    return;
  }
  if (hasOption(call, "-c")) {
    if (first !== undefined) call.shell(first);
    return;
  }
  if (first !== undefined && !hasOption(call, "-s")) {
    facts.runsWorkspaceCode = true;
    facts.raise("medium", "runs a script");
    if (isInput(first)) facts.problem("dynamic-command", "runs commands that come from its input");
    facts.file(first, "read");
    return;
  }
  if (input?.kind === "text" && input.text !== undefined) {
    call.shell(literalWord(input.text));
    return;
  }
  facts.problem("dynamic-command", "a shell that reads its commands from stdin");
}

const SHELL: ProgramSpec = {
  operands: "text*",
  stopsAtOperand: true,
  options: { "-o -O": "text", "--rcfile --init-file": "script" },
  judge: judgeShell,
};

/** Shells whose words mean more than those of sh and bash: `=name` of zsh, numbers that `[` evaluates. */
const EXTENDED_SHELL: ProgramSpec = { ...SHELL, does: "medium", why: "a shell that reads some words differently" };

/** Shells with a syntax of their own, which is not analyzed. */
const OTHER_SHELL: ProgramSpec = {
  does: "high",
  why: "a shell whose syntax is not analyzed",
  operands: "script text*",
  stopsAtOperand: true,
  options: { "-c --command -C --init-command -EncodedCommand -Command": "code" },
};

export const SHELLS: ProgramTable = {
  sh: SHELL,
  bash: SHELL,
  dash: SHELL,
  ash: SHELL,
  zsh: EXTENDED_SHELL,
  ksh: EXTENDED_SHELL,
  mksh: EXTENDED_SHELL,
  rbash: SHELL,
  fish: OTHER_SHELL,
  csh: OTHER_SHELL,
  tcsh: OTHER_SHELL,
  nu: OTHER_SHELL,
  pwsh: OTHER_SHELL,
  powershell: OTHER_SHELL,
  "cmd.exe": OTHER_SHELL,
};
