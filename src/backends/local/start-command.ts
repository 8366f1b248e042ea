/** Starting a command: its process, its streams, and why it could not be started. */
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, closeSync, constants, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cwdProblem, messageOf } from "../../kernel/index.js";
import { inputFile } from "./command-input.js";
import { systemCode } from "./fs-faults.js";
import { KEEP_SCRIPT } from "./jobs/keep-scripts.js";
import type { Pipe, PipePool } from "./pipe-pool.js";

/** The shell that commands are handed to, by path: a command's own PATH has no part in finding it. */
export const SHELL = "/bin/sh";
/** A longer command is run from a file, since the system takes no single argument over 128 KiB. */
const MAX_ARGUMENT_BYTES = 100 * 1024;

export interface StartOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Bytes: all of it; "open": a stream that is written to later; "none": at its end from the start. */
  readonly stdin: Uint8Array | "open" | "none";
  /** A file for the status of the command, which is then run by a shell that writes it down. */
  readonly exitPath?: string;
  /** A second read end of each stream is wanted. */
  readonly wantsSpare?: boolean;
}

/** A started command. `out` and `err` are pipes of ours, or sockets of Node's where there are none. */
export interface Started {
  readonly child: ChildProcess & { readonly pid: number };
  readonly out: Pipe | Socket;
  readonly err: Pipe | Socket;
  /** A descriptor of ours, not blocking, or Node's socket; undefined when standard input is at its end. */
  readonly input: number | Socket | undefined;
  /** How `/proc` shows standard input, where it stays open. */
  readonly inputShownAs: string | undefined;
  /** Second read ends, blocking; whoever wanted them closes them. */
  readonly spare: { readonly out: number; readonly err: number } | undefined;
  /** Removes what was made for the command's start. */
  cleanUp(): void;
}

/** Why a command cannot be run in this folder, as a clause; undefined when it can. */
function folderProblem(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return cwdProblem(cwd, "file");
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (thrown) {
    const code = systemCode(thrown);
    return cwdProblem(cwd, code === "ENOENT" || code === "ENOTDIR" ? "absent" : "closed");
  }
}

/** Starts the command in a session of its own. @returns Why it could not be started, as a clause. */
export function startCommand(options: StartOptions, pool: PipePool): Started | { readonly problem: string } {
  const problem = folderProblem(options.cwd);
  if (problem !== undefined) return { problem };
  const script = scriptOf(options.command);
  if ("problem" in script) return script;
  const given = options.stdin instanceof Uint8Array ? inputFile(options.stdin) : undefined;
  const wantsInput = options.stdin !== "none" && given === undefined;
  const pipes = takePipes(pool, wantsInput);
  const ends = childEnds(pipes, given);
  let child: ChildProcess;
  try {
    const run = script.path === undefined ? ["-c", "--", options.command] : [script.path];
    const args = options.exitPath === undefined ? run : ["-c", KEEP_SCRIPT, "sh", options.exitPath, ...run];
    child = spawn(SHELL, args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: [ends.input ?? (wantsInput ? "pipe" : "ignore"), ends.out ?? "pipe", ends.err ?? "pipe"],
    });
  } catch (thrown) {
    ends.close();
    return failed(pipes, script, thrown);
  }
  const spare = options.wantsSpare === true && child.pid !== undefined ? spareEnds(pipes) : undefined;
  ends.close();
  if (child.pid === undefined) {
    // Told again by an event that nobody needs.
    child.once("error", () => {});
    return failed(
      pipes,
      script,
      new Error(`${SHELL} could not be started; the machine may have no room for a process`),
    );
  }
  return {
    child: child as Started["child"],
    out: pipes.out ?? (child.stdout as Socket),
    err: pipes.err ?? (child.stderr as Socket),
    input: pipes.inputWriter ?? (wantsInput ? (child.stdin as Socket) : undefined),
    inputShownAs: pipes.input?.shownAs,
    spare,
    cleanUp: script.remove,
  };
}

/** While the write ends are open here: without a writer it would wait for one. */
function spareEnds({ out, err }: TakenPipes): Started["spare"] {
  return out === undefined || err === undefined ? undefined : { out: out.openReadEnd(), err: err.openReadEnd() };
}

/** Everything that was opened before the start failed. */
function failed(pipes: TakenPipes, script: Script, thrown: unknown): { readonly problem: string } {
  for (const pipe of [pipes.out, pipes.err]) if (pipe !== undefined) closeSync(pipe.readEnd);
  if (pipes.inputWriter !== undefined) closeSync(pipes.inputWriter);
  script.remove();
  const code = systemCode(thrown);
  const tooBig = code === "E2BIG" ? ", for its environment is too large" : "";
  return { problem: `the shell could not be started${tooBig} (${messageOf(thrown)})` };
}

interface TakenPipes {
  readonly out: Pipe | undefined;
  readonly err: Pipe | undefined;
  readonly input: Pipe | undefined;
  readonly inputWriter: number | undefined;
}

function takePipes(pool: PipePool, wantsInput: boolean): TakenPipes {
  const input = wantsInput ? pool.take() : undefined;
  return { out: pool.take(), err: pool.take(), input, inputWriter: input?.openWriteEnd("non-blocking") };
}

/** The child's ends of the pipes, which are closed here once the child has them. */
function childEnds(pipes: TakenPipes, given: number | undefined) {
  const out = pipes.out?.openWriteEnd("blocking");
  const err = pipes.err?.openWriteEnd("blocking");
  const input = given ?? pipes.input?.openReadEnd();
  const ours = [out, err, input, pipes.input?.readEnd].filter((one) => one !== undefined);
  return { out, err, input, close: () => ours.forEach((one) => void closeSync(one)) };
}

interface Script {
  readonly path: string | undefined;
  remove(): void;
}

function scriptOf(command: string): Script | { readonly problem: string } {
  const sizeBytes = Buffer.byteLength(command);
  if (sizeBytes <= MAX_ARGUMENT_BYTES) return { path: undefined, remove: () => {} };
  try {
    const folder = mkdtempSync(join(tmpdir(), "haft-command-"));
    const path = join(folder, "command");
    writeFileSync(path, command, { mode: 0o600 });
    return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
  } catch (thrown) {
    const over = `the command has ${sizeBytes} bytes, over the limit of ${MAX_ARGUMENT_BYTES} for an argument`;
    return { problem: `${over}, and could not be put into a file (${messageOf(thrown)})` };
  }
}
