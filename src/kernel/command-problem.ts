/** Errors and results of commands that are not started, the same for all backends. */
import { HaftError } from "./errors.js";
import type { Captured, ShellOptions, ShellResult, TreeState } from "./shell.js";

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Why this command with these options is invalid, as a clause; undefined if it is valid. Does no I/O. */
export function commandProblem(command: string, options: Pick<ShellOptions, "cwd" | "env">): string | undefined {
  const { cwd, env = {} } = options;
  if (command.includes("\0")) return "the command contains a NUL byte";
  if (cwd.includes("\0") || !cwd.startsWith("/")) return `${JSON.stringify(cwd)} is not an absolute path`;
  for (const [name, value] of Object.entries(env)) {
    if (!VARIABLE.test(name)) return `${JSON.stringify(name)} is not a valid variable name`;
    if (value.includes("\0")) return `the value of the variable "${name}" contains a NUL byte`;
  }
  return undefined;
}

const NO_DIRECTORY = {
  absent: (cwd: string) => `the directory "${cwd}" does not exist`,
  file: (cwd: string) => `"${cwd}" is not a directory`,
  closed: (cwd: string) => `permission denied for the directory "${cwd}"`,
} as const;

/** Why a command cannot be run in a directory, as a clause. */
export function cwdProblem(cwd: string, why: keyof typeof NO_DIRECTORY): string {
  return NO_DIRECTORY[why](cwd);
}

/** The error of a background command that was not started. `problem` is a clause, `next` a sentence. */
export function notStarted(problem: string, next = "Fix that and start it again."): HaftError {
  const why = problem.replace(/\.$/, "");
  return new HaftError("SHELL_SPAWN", `Did not start the command: ${why}. ${next}`, { details: { system: why } });
}

/** The state of a tree without processes. */
export const TREE_GONE: TreeState = Object.freeze({ state: "gone", survivors: Object.freeze([]), endedBy: null });

/** The state of a tree that could not be inspected. */
export const TREE_UNSEEN: TreeState = Object.freeze({ state: "unseen", survivors: Object.freeze([]), endedBy: null });

/** A stream without output. */
export const NO_BYTES: Captured = Object.freeze({
  head: new Uint8Array(),
  tail: new Uint8Array(),
  produced: 0,
  omittedBytes: 0,
  final: true,
});

/** The result of a command that never started, so that a retry is safe. `problem` is the reason, a clause without a full stop. */
export function notStartedResult(startedMs: number, ended: ShellResult["ended"], problem?: string): ShellResult {
  return {
    began: "no",
    exit: { by: "none" },
    ended,
    stdout: NO_BYTES,
    stderr: NO_BYTES,
    tree: TREE_GONE,
    ...(problem === undefined ? {} : { problem: problem.replace(/\.$/, "") }),
    startedMs,
    tookMs: 0,
  };
}
