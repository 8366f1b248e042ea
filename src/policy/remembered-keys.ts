/** What an answer to a question about a command is remembered under, where it holds for more than this call. */
import type { CommandStart } from "../kernel/index.js";
import type { CommandSegment } from "./commands/index.js";
import type { PolicyContext } from "./policy-context.js";
import { commandText, runnerText } from "./rules/index.js";
import type { Remembered } from "./verdict.js";

/** One segment of a command has one key for each kind of question about it. */
export interface RememberedKeys {
  readonly command: Remembered;
  /** For one program of it, with its arguments. */
  readonly program: Remembered;
  /** For what the program does with any arguments, where that is known: a test runner, or a request to one host. */
  readonly code: Remembered;
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
  { files }: PolicyContext,
  command: Remembered,
): (segment: CommandSegment) => RememberedKeys {
  if (!isDecidedByArguments(start)) return () => onlyCommand(command);
  const circumstances = [start.background ?? null, ...symlinkedPaths(files)];
  return (segment) => keysOf(segment, circumstances, command);
}

function keysOf(segment: CommandSegment, circumstances: readonly unknown[], command: Remembered): RememberedKeys {
  const { argv, directories, wrappers, program, rule = program } = segment;
  if (argv === undefined || directories === undefined || segment.hasInput) return onlyCommand(command);
  const all = [directories, wrappers, ...circumstances];
  const text = commandText(argv);
  const words = text === undefined ? `\`${program}\` with exactly these arguments` : `exactly \`${text}\``;
  const exact = {
    remember: `program ${JSON.stringify([argv, ...all])}`,
    rememberedText: `${words}, in this directory`,
  };
  const runner = runnerOf(segment);
  const hosts = requestedHosts(segment);
  const code =
    runner === undefined
      ? exact
      : {
          remember: `program ${JSON.stringify([runner, ...all])}`,
          rememberedText: `\`${runner.slice(0, -2)}\` with any further arguments, in this directory`,
        };
  const connection = {
    remember: `connection ${JSON.stringify([rule, [...hosts].sort(), ...all])}`,
    rememberedText: `\`${rule}\` to ${hosts.join(" and ")}, in this directory`,
  };
  const network = runner !== undefined ? code : hosts.length > 0 ? connection : command;
  return { command, program: exact, code, network };
}

/** A test runner with any further arguments. What is of high risk is remembered with its arguments. */
export function runnerOf({ argv, runsWorkspaceCode, risk }: CommandSegment): string | undefined {
  return argv === undefined || !runsWorkspaceCode || risk === "high" ? undefined : runnerText(argv);
}

/** The hosts of a known program that does no more than ask them; empty where one is not known. */
export function requestedHosts({ hosts, runsWorkspaceCode, risk, rule }: CommandSegment): readonly string[] {
  const isPlain = rule !== undefined && !runsWorkspaceCode && risk !== "high";
  return isPlain && hosts.every((host) => /^[\w-]+(\.[\w-]+)*$/.test(host)) ? hosts : [];
}

/** Whether nothing but their arguments and directories decides what programs do. `exec` changes the stdin of what follows. */
function isDecidedByArguments({ command, env = {}, input, background = "session" }: CommandStart): boolean {
  const isPlain = input === undefined && Object.keys(env).length === 0 && background === "session";
  return isPlain && !/\bexec\b/.test(command);
}

/** Paths that lead to other places, as one entry; empty where there are none. */
function symlinkedPaths(files: PolicyContext["files"]): readonly unknown[] {
  const found = [...(files?.real ?? [])].filter(([path, real]) => path !== real);
  return found.length === 0 ? [] : [found];
}
