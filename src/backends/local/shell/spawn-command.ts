/** Starting a command: its process, its streams, and why it could not be started. */
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pipe, PipePool } from "../../../host/index.js";
import { removeNames, SHELL } from "../../../host/index.js";
import { cwdProblem, messageOf, shortageOf, systemCode } from "../../../kernel/index.js";
import { type DirectoryAnchor, type GuardMode, openAnchor } from "../fs/pinned-directory.js";
import { KEEPER_SCRIPT } from "../jobs/keeper-scripts.js";
import type { Launch, Launcher } from "../launcher.js";
import { type CommandStreams, openStreams, type StreamOptions } from "./command-streams.js";

/** A longer command is run from a file, because the system limits one argument to 128 KiB. */
const MAX_ARGUMENT_BYTES = 100 * 1024;

interface ServerStartOptions extends StreamOptions {
  readonly command: string;
  /** Its pinned working directory. */
  readonly directory: DirectoryAnchor;
  readonly env: Readonly<Record<string, string>>;
  /** A file for the exit status of the command, written by a shell that runs the command. */
  readonly exitPath?: string;
  /** Absent: the command's shell is started as it is. */
  readonly launcher?: Launcher | undefined;
}

/** A started command. `out` and `err` are pipes of ours, or sockets of Node if there are no pipes. */
export interface Started {
  readonly child: ChildProcess & { readonly pid: number };
  readonly out: Pipe | Socket;
  readonly err: Pipe | Socket;
  /** A descriptor of ours, not blocking, or Node's socket; undefined when standard input is at its end. */
  readonly input: number | Socket | undefined;
  /** How `/proc` shows standard input, where it stays open. */
  readonly inputShownAs: string | undefined;
  /** Second read ends, blocking; whoever requested them closes them. */
  readonly spare: { readonly out: number; readonly err: number } | undefined;
  /** Removes the temporary files of the start. */
  cleanUp(): void;
}

/** Pins the working directory of a command, so that it starts there even if the path changes; or why it cannot start there, as a clause. */
export function pinDirectory(cwd: string, mode: GuardMode): DirectoryAnchor | { readonly problem: string } {
  let held: DirectoryAnchor | undefined;
  try {
    held = openAnchor(cwd, mode);
    accessSync(held.at(""), constants.X_OK);
    return held;
  } catch (thrown) {
    held?.close();
    const code = systemCode(thrown) ?? "";
    if (shortageOf(thrown) !== undefined) return { problem: NOT_STARTED + because(thrown) };
    if (code === "ENOTDIR" && existsSync(cwd)) return { problem: cwdProblem(cwd, "file") };
    return { problem: cwdProblem(cwd, code === "ENOENT" || code === "ENOTDIR" ? "absent" : "closed") };
  }
}

/** Starts the command in a session of its own. @returns Why it could not be started, as a clause. */
export function serverStartCommand(
  options: ServerStartOptions,
  pool: PipePool,
): Started | { readonly problem: string } {
  const script = scriptOf(options.command, options.launcher?.scripts ?? tmpdir());
  if ("problem" in script) return script;
  let streams: CommandStreams | undefined;
  let launch: Launch | undefined;
  try {
    streams = openStreams(options, pool);
    const wrapped = launchOf(options, script, streams);
    if ("problem" in wrapped) {
      streams.close();
      script.remove();
      return wrapped;
    }
    launch = wrapped;
    const child = spawnShell(options, launch, streams);
    if (child.pid !== undefined) return startedOf(child as Started["child"], script, streams);
    // Also reported by an "error" event, which would be thrown without a listener.
    child.once("error", () => {});
    streams.close();
    script.remove();
    return { problem: `${NOT_STARTED}${because({ code: "EMFILE" })}, or ${shortageOf({ code: "EAGAIN" })?.why}` };
  } catch (thrown) {
    streams?.close();
    script.remove();
    return { problem: NOT_STARTED + because(thrown) };
  } finally {
    launch?.dispose?.();
  }
}

function launchOf(
  { command, directory, env, launcher }: ServerStartOptions,
  script: Script,
  { inputShownAs }: CommandStreams,
): Launch | { readonly problem: string } {
  const argv = [SHELL, ...(script.path === undefined ? ["-c", "--", command] : [script.path])];
  return launcher === undefined
    ? { argv, env }
    : launcher.wrap(argv, { cwd: directory.real, env, hasInput: inputShownAs !== undefined });
}

function spawnShell(
  { exitPath, directory }: ServerStartOptions,
  { argv, env, descriptors = [] }: Launch,
  { stdio }: CommandStreams,
): ChildProcess {
  const [program = SHELL, ...args] =
    exitPath === undefined ? argv : [SHELL, "-c", KEEPER_SCRIPT, "sh", exitPath, ...argv];
  const [stdin, ...outputs] = stdio;
  const others = descriptors.map((one) => (one === "stdin" ? stdin : one));
  const first = descriptors.includes("stdin") ? "ignore" : stdin;
  return spawn(program, args, { cwd: directory.at(""), env, detached: true, stdio: [first, ...outputs, ...others] });
}

function startedOf(child: Started["child"], script: Script, streams: CommandStreams): Started {
  streams.handOver();
  return {
    child,
    out: streams.out ?? (child.stdout as Socket),
    err: streams.err ?? (child.stderr as Socket),
    input: streams.inputWriter ?? (streams.stdio[0] === "pipe" ? (child.stdin as Socket) : undefined),
    inputShownAs: streams.inputShownAs,
    spare: streams.spare,
    cleanUp: script.remove,
  };
}

const NOT_STARTED = "the shell could not be started";

/** Why the system refused, as the end of a clause. */
function because(thrown: unknown): string {
  const why = systemCode(thrown) === "E2BIG" ? "its environment is too large" : shortageOf(thrown)?.why;
  return why === undefined ? ` (${messageOf(thrown)})` : `, for ${why}`;
}

interface Script {
  readonly path: string | undefined;
  remove(): void;
}

function scriptOf(command: string, parent: string): Script | { readonly problem: string } {
  const sizeBytes = Buffer.byteLength(command);
  if (sizeBytes <= MAX_ARGUMENT_BYTES) return { path: undefined, remove: () => {} };
  let remove = (): void => {};
  try {
    const directory = mkdtempSync(join(parent, "haft-command-"));
    const path = join(directory, "command");
    remove = () => removeNames(directory, [path]);
    writeFileSync(path, command, { mode: 0o600 });
    return { path, remove };
  } catch (thrown) {
    remove();
    const over = `the command has ${sizeBytes} bytes, over the limit of ${MAX_ARGUMENT_BYTES} for one argument`;
    return { problem: `${over}, and could not be written to a file${because(thrown)}` };
  }
}
