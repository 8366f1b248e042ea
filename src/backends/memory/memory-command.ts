/** What a command of the memory shell is: a function over its streams and the backend's files. */
import { type Fs, HaftError, messageOf } from "../../kernel/index.js";
import { concatBytes, resolvePath } from "../../text/index.js";
import type { MemoryProcess, ProcessTable } from "./process-table.js";

/** What a command gets. Every wait in here ends at once, by a throw that is not to be caught, when a signal ends the process. */
export interface MemoryCommandContext {
  readonly name: string;
  /** The words behind the name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The backend's files, unguarded: a command is judged as a command. */
  readonly fs: Fs;
  readonly pid: number;
  /** Fires when the process has ended; what it still does then has no effect on its streams. */
  readonly signal: AbortSignal;
  /** An argument as an absolute path. */
  resolve(path: string): string;
  /** The next bytes of standard input, or null at its end. */
  read(): Promise<Uint8Array | null>;
  /** Writes to standard output. Waits while a pipe is full. */
  out(data: string | Uint8Array): Promise<void>;
  /** Writes to standard error. */
  err(data: string | Uint8Array): Promise<void>;
  /** A pause on the backend's clock. */
  sleep(ms: number): Promise<void>;
  /** Calls `listener` instead of ending by that signal ("TERM"). */
  trap(signal: string, listener: () => void): void;
  /** Sends a signal to a process, or with a negative number to a group; an empty signal only asks. False: there is none. */
  send(pid: number, signal: string): boolean;
}

/** Returns, or resolves to, the exit code; nothing means 0. A throw is exit code 1 with its message on standard error. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement is a command, too.
export type MemoryCommand = (context: MemoryCommandContext) => number | void | Promise<number | void>;

export function contextOf(
  process: MemoryProcess,
  table: ProcessTable,
  about: {
    readonly name: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly fs: Fs;
  },
): MemoryCommandContext {
  const bytesOf = (data: string | Uint8Array) => (typeof data === "string" ? new TextEncoder().encode(data) : data);
  return {
    ...about,
    pid: process.pid,
    signal: process.signal,
    resolve: (path) => resolvePath(about.cwd, path, about.env.HOME),
    read: () => process.read(),
    out: (data) => process.write("stdout", bytesOf(data)),
    err: (data) => process.write("stderr", bytesOf(data)),
    sleep: (ms) => process.pause(ms),
    trap: (signal, listener) => process.trap(signal, listener),
    send(pid, signal) {
      const targets = pid < 0 ? table.ofGroup(-pid) : [table.find(pid)].filter((one) => one !== undefined);
      if (signal !== "") for (const target of targets) target.send(signal);
      return targets.length > 0;
    },
  };
}

const TEXTS: Readonly<Record<string, string>> = {
  FS_NOT_FOUND: "No such file or directory",
  FS_EXISTS: "File exists",
  FS_NOT_A_DIRECTORY: "Not a directory",
  FS_NOT_EMPTY: "Directory not empty",
  FS_LINK_LOOP: "Too many levels of symbolic links",
  FS_BAD_PATH: "Invalid argument",
};

/** What a POSIX program would print about a file that it could not use. */
export function systemText(thrown: unknown): string {
  if (!HaftError.is(thrown)) return messageOf(thrown);
  if (thrown.code === "FS_NOT_A_FILE")
    return thrown.details.kind === "directory" ? "Is a directory" : "Not a regular file";
  return TEXTS[thrown.code] ?? thrown.message;
}

/** All of standard input. */
export async function readAll(context: MemoryCommandContext): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let piece = await context.read(); piece !== null; piece = await context.read()) pieces.push(piece);
  return concatBytes(pieces);
}

/** Letters of leading options, and the words behind them. "-" alone and what follows "--" are words. */
export function splitOptions(args: readonly string[]): { readonly letters: string; readonly words: readonly string[] } {
  let letters = "";
  for (const [index, word] of args.entries()) {
    if (word === "--") return { letters, words: args.slice(index + 1) };
    if (!word.startsWith("-") || word === "-") return { letters, words: args.slice(index) };
    letters += word.slice(1);
  }
  return { letters, words: [] };
}
