/** This machine through a plain shell, as if it were remote. */
import { programOnPath } from "../../host/index.js";
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

export interface OpenLocalPosixOptions extends Partial<Omit<PosixBackendOptions, "open" | "env">> {
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
  const variables: Readonly<Record<string, string>> = { ...Object.fromEntries(passed), ...setEnv };
  return createPosixBackend({
    name: typeof shell === "string" ? `posix:${shell}` : `posix:${argv.join(" ")}`,
    machine: "local",
    commandShell: argv,
    orphanMs: LOCAL_ORPHAN_MS,
    ...rest,
    open: processChannel(outsideWorkspace(argv, variables.PATH ?? "", rest.cwd ?? process.cwd()), {
      env: variables,
      ...(rest.cwd === undefined ? {} : { cwd: rest.cwd }),
    }),
  });
}

/** The command with the path of its program, which is none of the workspace, whose files calls can write. */
function outsideWorkspace(argv: readonly string[], path: string, workspace: string): readonly string[] {
  const [name = "", ...args] = argv;
  if (name === "" || name.includes("/")) return argv;
  const program = programOnPath(name, { path, workspace });
  if (program !== undefined) return [program, ...args];
  throw new HaftError(
    "BACKEND_UNAVAILABLE",
    `Did not start "${name}": PATH has no such program outside of the workspace. Check that it is installed.`,
  );
}
