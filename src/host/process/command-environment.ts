/** What the environment of this process says, and the environment of commands. */
import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { HaftError } from "../../kernel/index.js";

/** Variables passed on from the host: those that programs commonly need, and none that may contain a secret. */
const INHERITED_VARIABLES = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z_]+|TZ|TMPDIR|XDG_[A-Z_]+)$/;

/** Set for every command: no colors, pager, editor or interactive prompts. */
const FIXED_VARIABLES: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_EDITOR: ":",
  EDITOR: ":",
  GIT_TERMINAL_PROMPT: "0",
};

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The shell of each command, which every POSIX system has. */
export const SHELL = "/bin/sh";

/** The variable that identifies the processes of a command. */
export const TAG_NAME = "HAFT_TAG";

/**
 * The variables that every command of a backend starts with.
 * @param passOn - Additional names to pass on, or all.
 * @param extra - Overrides the other variables.
 */
export function baseEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  passOn: readonly string[] | "all",
  extra: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const environment: Record<string, string> = { PATH: DEFAULT_PATH };
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined) continue;
    if (passOn === "all" || INHERITED_VARIABLES.test(name) || passOn.includes(name)) environment[name] = value;
  }
  return Object.freeze({ ...environment, ...FIXED_VARIABLES, ...extra });
}

/** The environment of shells that Haft runs internally. */
export function helperEnvironment(): Readonly<Record<string, string>> {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" };
}

/** The current directory of this process. Undefined where it was deleted or cannot be read. */
export function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** The home directory of the user. An empty or relative HOME counts as unset, because it would depend on the working directory. */
export function homeDirectory(): string {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch {
    const user = process.getuid?.() ?? "of this process";
    const why = `HOME is not an absolute path, and the user ${user} has no entry in the user database`;
    throw new HaftError("CONFIG_INVALID", `The home directory is not known: ${why}. Set HOME.`);
  }
}
