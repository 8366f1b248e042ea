/** What a command finds in its environment. */

/** Passed on from the host: what programs need to find their way, and nothing that may be a secret. */
const INHERITED_VARIABLES = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z_]+|TZ|TMPDIR|XDG_[A-Z_]+)$/;

/** Set for every command: no colours, no pager, no editor and no question that nobody would answer. */
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

/** The variable by which the processes of a command are known, wherever they went. */
/** The shell of each command: every POSIX system has it here. */
export const SHELL = "/bin/sh";

export const TAG_NAME = "HAFT_TAG";

/**
 * The variables that every command of a backend starts with.
 * @param passOn - Names that are passed on beside the usual ones, or all of them.
 * @param extra - Laid over.
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

/** What the shells that Haft runs for itself start with. */
export function helperEnvironment(): Readonly<Record<string, string>> {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" };
}
