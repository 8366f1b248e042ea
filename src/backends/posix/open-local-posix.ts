/** This machine through a plain shell, as if it were remote. */
import { type Backend, HaftError } from "../../kernel/index.js";
import { processChannel } from "./channel/channel.js";
import type { PosixBackendOptions } from "./options.js";
import { createPosixBackend } from "./posix-backend.js";

/** The commands of known shells. */
const SHELLS: Readonly<Record<string, readonly string[]>> = {
  sh: ["sh"],
  dash: ["dash"],
  bash: ["bash", "--posix"],
  busybox: ["busybox", "sh"],
};

/** Variables of this process that the shell, and so every command, inherits. */
const INHERITED_VARIABLES = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|XDG_.*)$/;

/** On one machine a lost channel does not come back. */
const LOCAL_ORPHAN_MS = 1_000;

export interface OpenLocalPosixOptions extends Partial<Omit<PosixBackendOptions, "open">> {
  /** "sh", "dash", "bash" (as `bash --posix`), "busybox" (as `busybox sh`), or the command of another POSIX shell. Default "sh". */
  readonly shell?: string | readonly string[];
  /** More environment variables to pass on, beside PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_*, TZ, TMPDIR, XDG_*. */
  readonly env?: readonly string[];
  /** Variables to set. */
  readonly setEnv?: Readonly<Record<string, string>>;
}

/**
 * Opens a backend over a shell of this machine. Commands run in the same shell.
 * @throws `CONFIG_INVALID` for an unknown shell, `BACKEND_UNAVAILABLE` when it is not installed.
 */
export async function openLocalPosix(options: OpenLocalPosixOptions = {}): Promise<Backend> {
  const { shell = "sh", env = [], setEnv = {}, ...rest } = options;
  const argv = typeof shell === "string" ? SHELLS[shell] : shell;
  if (argv === undefined) {
    throw new HaftError(
      "CONFIG_INVALID",
      `Cannot open a shell "${String(shell)}". Use one of ${Object.keys(SHELLS).join(", ")}, or pass its command as an array.`,
    );
  }
  const passed = Object.entries(process.env).filter(
    (one): one is [string, string] =>
      one[1] !== undefined && (INHERITED_VARIABLES.test(one[0]) || env.includes(one[0])),
  );
  return createPosixBackend({
    name: typeof shell === "string" ? `posix:${shell}` : `posix:${argv.join(" ")}`,
    machine: "local",
    commandShell: argv,
    orphanMs: LOCAL_ORPHAN_MS,
    ...rest,
    open: processChannel(argv, {
      env: { ...Object.fromEntries(passed), ...setEnv },
      ...(rest.cwd === undefined ? {} : { cwd: rest.cwd }),
    }),
  });
}
