/** What an answer to a question about a command is remembered under, where it holds for more than this call. */
import { type CommandStart, isWithin } from "../kernel/index.js";
import { resolvePath } from "../text/index.js";
import type { CommandSegment, CommandWord } from "./commands/index.js";
import type { PolicyContext } from "./policy-context.js";
import { commandText, runnerText, runnerWords } from "./rules/index.js";
import type { Remembered } from "./verdict.js";

/** One segment of a command has one key for each kind of question about it. */
export interface RememberedKeys {
  readonly command: Remembered;
  /** For one program of it, with its arguments. */
  readonly program: Remembered;
  /** For running code of the workspace: of a test runner, with any further file or name. */
  readonly code: Remembered;
  /** For the network: where the hosts are known, with any path of them. */
  readonly network: Remembered;
}

/**
 * The same command in the same directory with the same environment, stdin and background, and with paths that lead to the same
 * places; nothing else.
 */
export function rememberedCommand(start: CommandStart, { files }: Pick<PolicyContext, "files">): Remembered {
  const { command, cwd, env = {}, input, background } = start;
  const variables = Object.entries(env).sort(([one], [other]) => (one < other ? -1 : 1));
  const all = [command, cwd, variables, input ?? null, background ?? null, ...symlinkedPaths(files)];
  return { remember: `command ${JSON.stringify(all)}`, rememberedText: "exactly this command, in this directory" };
}

/** Answers hold for the whole command only. */
export const onlyCommand = (command: Remembered): RememberedKeys => ({
  command,
  program: command,
  code: command,
  network: command,
});

/** The keys of a segment are made where it is asked about: a long command has thousands of segments. */
export function keysOfSegments(
  start: CommandStart,
  { files, roots }: PolicyContext,
  command: Remembered,
  segments: readonly CommandSegment[],
): (segment: CommandSegment) => RememberedKeys {
  const [assigned] = FIRST_ASSIGNMENTS.exec(start.command) ?? [""];
  if (!isDecidedByArguments(start, assigned, segments)) return () => onlyCommand(command);
  const circumstances = [start.background ?? null, ...assigned.split(/\s+/).filter(Boolean), ...symlinkedPaths(files)];
  const isInside = (path: string) => roots.some((root) => isWithin(root.path, path));
  return (segment) => keysOf(segment, { circumstances, assigned, isInside }, command);
}

interface Circumstances {
  readonly circumstances: readonly unknown[];
  /** The assignments with which the command begins. */
  readonly assigned: string;
  readonly isInside: (path: string) => boolean;
}

function keysOf(
  segment: CommandSegment,
  { circumstances, assigned, isInside }: Circumstances,
  command: Remembered,
): RememberedKeys {
  const { argv, directories, wrappers, program, rule = program } = segment;
  if (argv === undefined || directories === undefined || segment.hasInput) return onlyCommand(command);
  const all = [directories, wrappers, ...circumstances];
  const shown = (words: readonly CommandWord[]) => {
    const text = commandText(words);
    return text === undefined ? undefined : `${assigned.trim()} ${text}`.trim();
  };
  const text = shown(argv);
  const words = text === undefined ? `\`${program}\` with exactly these arguments` : `exactly \`${text}\``;
  const exact = {
    remember: `program ${JSON.stringify([argv.map(asWritten), ...all])}`,
    rememberedText: `${words}, in this directory`,
  };
  const kept = runnerArguments(segment, (path) => directories.every((one) => isInside(resolvePath(one, path))));
  const keptText = kept === undefined ? undefined : shown(kept);
  const code =
    kept === undefined || keptText === undefined
      ? exact
      : {
          remember: `runner ${JSON.stringify([kept.map(asWritten), ...all])}`,
          rememberedText: `\`${keptText}\` with any further file or name, in this directory`,
        };
  const hosts = requestedHosts(segment);
  const addresses = argv.map(withoutPath);
  const freed = addresses.filter((address) => address !== undefined);
  const options = argv.filter((_, index) => index > 0 && addresses[index] === undefined);
  const optionText = shown([{ value: rule.split(" ")[0] ?? rule }, ...options]);
  const connection =
    freed.length === 0 || optionText === undefined
      ? exact
      : {
          remember: `connection ${JSON.stringify([rule, argv.map((word, index) => addresses[index] ?? asWritten(word)), ...all])}`,
          rememberedText: `\`${optionText}\` with any path of ${freed.join(" and ")}, in this directory`,
        };
  const network = runnerOf(segment) !== undefined ? code : hosts.length > 0 ? connection : command;
  return { command, program: exact, code, network };
}

/** Whether the table took it for an operand does not belong to a key. */
const asWritten = ({ operand: _, ...word }: CommandWord): CommandWord => word;

/** The words of a runner without its plain operands, which may be others in the next call. */
function runnerArguments(
  segment: CommandSegment,
  isInside: (path: string) => boolean,
): readonly CommandWord[] | undefined {
  const { argv } = segment;
  const runner = argv === undefined || runnerOf(segment) === undefined ? undefined : runnerWords(argv);
  if (argv === undefined || runner === undefined) return undefined;
  const isFree = ({ value, operand, glob }: CommandWord) =>
    operand === true && glob !== true && !/^[-@+~]|=|:\/|^(true|false)$/.test(value) && isInside(value);
  return argv.filter((word, index) => index < runner.length || !isFree(word));
}

/** `https://example.com:1` of an operand `https://example.com:1/a?b`; undefined for other words. */
function withoutPath({ value, operand }: CommandWord): string | undefined {
  return operand === true ? /^(?:https?|git|ssh):\/\/[^/?#\\]+(?=[/?#]|$)/.exec(value)?.[0] : undefined;
}

/** The pattern of a test runner, such as "npm test *"; undefined for what is of high risk. */
export function runnerOf({ argv, runsWorkspaceCode, risk }: CommandSegment): string | undefined {
  return argv === undefined || !runsWorkspaceCode || risk === "high" ? undefined : runnerText(argv);
}

/** The hosts of a known program that does no more than ask them; empty where one is not known. */
export function requestedHosts({ hosts, runsWorkspaceCode, risk, rule }: CommandSegment): readonly string[] {
  const isPlain = rule !== undefined && !runsWorkspaceCode && risk !== "high";
  return isPlain && hosts.every((host) => /^[\w-]+(\.[\w-]+)*$/.test(host)) ? hosts : [];
}

const FIRST_ASSIGNMENTS = /^\s*(?:[A-Za-z_]\w*=[\w.,:/+-]*\s+)*/;
/** What may set a variable, besides the programs. */
const ASSIGNS = /(?:^|[\s;&|({`'"])[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=|\b(?:exec|for|select)\b|\(\(|\$\{[^}]*=/;
/** Programs of the shell that set variables, and `env`, which starts a program without some of them. */
const SETS = new Set(
  "env export declare typeset local readonly read mapfile readarray getopts printf unset let set eval source . wait exec".split(
    " ",
  ),
);

/** Whether nothing but their arguments, directories and the first assignments decides what programs do. */
function isDecidedByArguments(
  { command, env = {}, input, background = "session" }: CommandStart,
  assigned: string,
  segments: readonly CommandSegment[],
): boolean {
  const isPlain = input === undefined && Object.keys(env).length === 0 && background === "session";
  if (!isPlain || ASSIGNS.test(command.slice(assigned.length))) return false;
  return !segments.some(({ program, args, wrappers }) =>
    program === "printf" ? args[0]?.startsWith("-v") : SETS.has(program) || wrappers.some((name) => SETS.has(name)),
  );
}

/** Paths that lead to other places, as one entry; empty where there are none. */
function symlinkedPaths(files: PolicyContext["files"]): readonly unknown[] {
  const found = [...(files?.real ?? [])].filter(([path, real]) => path !== real);
  return found.length === 0 ? [] : [found];
}
