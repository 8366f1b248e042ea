/** Which commands are on ZeroClaw's list of allowed ones. */
import type { CommandJudgement, CommandProblem, CommandSegment } from "../commands/index.js";
import { hasRefusedSyntax } from "./refused-syntax.js";

export const DEFAULT_ALLOWED_COMMANDS: readonly string[] = [
  ...["git", "npm", "cargo", "ls", "cat", "grep", "find", "echo", "pwd", "wc", "head", "tail", "date", "df", "du"],
  ...["uname", "uptime", "hostname", "python", "python3", "pip", "node", "free"],
];

/** With these, it is not known which programs run. */
const UNKNOWN_PROGRAMS: ReadonlySet<CommandProblem["kind"]> = new Set([
  "too-long",
  "syntax",
  "shells-differ",
  "dynamic-command",
]);

/**
 * Whether every program of the command is allowed, those that others start among them, with arguments and shell syntax that do
 * not get around the list.
 *
 * @param isRestricted - False where "*" is listed and high-risk commands are not blocked: then nothing is refused.
 */
export function isListed(
  command: string,
  { segments, problems }: CommandJudgement,
  allowed: readonly string[],
  isRestricted: boolean,
): boolean {
  const isAny = allowed.includes("*");
  if (isRestricted && (hasRefusedSyntax(command) || segments.some(isRefused))) return false;
  if (isAny) return true;
  if (segments.length === 0 || problems.some(({ kind }) => UNKNOWN_PROGRAMS.has(kind))) return false;
  return segments.every((segment) => programsOf(segment).every((name) => allowed.includes(name)) || isPath(segment));

  function isPath({ text, wrappers }: CommandSegment): boolean {
    const [written = ""] = text.split(/\s/, 1);
    return wrappers.length === 0 && written.includes("/") && allowed.includes(written);
  }
}

/** The program and what starts it; none for assignments and redirections alone. */
export function programsOf({ program, wrappers }: CommandSegment): readonly string[] {
  const names = wrappers.map((wrapper) => wrapper.split(" ", 1)[0] ?? wrapper);
  return program === "" ? names : [...names, program];
}

/** The first argument that is not an option: the subcommand of `git`, `npm` and the like. */
export function subcommandOf({ program, args }: CommandSegment): string | undefined {
  const valued = program === "git" ? ["-C", "--git-dir", "--work-tree", "--namespace"] : [];
  return args.find((arg, index) => !arg.startsWith("-") && !valued.includes(args[index - 1] ?? ""));
}

/** Arguments by which an allowed program runs another one, or installs one. */
function isRefused(segment: CommandSegment): boolean {
  const { program, args } = segment;
  const subcommand = subcommandOf(segment) ?? "";
  const hasOption = (pattern: RegExp) => args.some((arg) => pattern.test(arg));
  switch (program) {
    case "tee":
      return true;
    case "find":
      return hasOption(/^-(exec|ok)/);
    case "git":
      return hasOption(/^(-c.*|--config-env.*|config|alias)$/);
    case "python":
    case "python3":
      return hasOption(/^-[a-zA-Z]*[cm]/);
    case "node":
      return hasOption(/^(-[a-z]*[ep].*|--eval.*|--print.*)$/);
    case "pip":
    case "pip3":
      return ["install", "download"].includes(subcommand);
    case "npm":
      return ["exec", "x", "install", "i", "add", "ci"].includes(subcommand);
    case "cargo":
      return subcommand === "install";
    default:
      return false;
  }
}
