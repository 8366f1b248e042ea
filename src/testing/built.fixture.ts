import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";

let staleness: string | undefined;

/**
 * A file of the build. Checks once per test file that the build is up to date, except under `npm test`, which has just built.
 *
 * @throws when there is no build, or when it is older than a source, unless STALE_BUILD is set.
 */
export function built(path: string): string {
  const file = fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`There is no dist/${path}: run \`npm run build\` before these tests.`);
  staleness ??= whyStale();
  if (staleness !== "") throw new Error(staleness);
  return file;
}

/** The message of the set-up script; empty if the build is up to date or is not checked. */
function whyStale(): string {
  const { HAFT_TEST_RUN, STALE_BUILD } = process.env;
  if (HAFT_TEST_RUN !== undefined || (STALE_BUILD ?? "") !== "") return "";
  const script = fileURLToPath(new URL("../../scripts/prepare.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  if (status === 0) return "";
  const reason = stderr.trim().replace(/^prepare: /, "");
  return `These tests run what was built. ${reason}, or set STALE_BUILD=1 to test the old build.`;
}

export interface Finished {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunBuiltOptions {
  readonly cwd: string;
  /** Merged over an environment without state, color or session of the machine's user. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** The environment of a user with an empty home. */
export function cleanEnv(home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", TMPDIR, HAFT_TEST_RUN } = process.env;
  return {
    PATH,
    HOME: home,
    LANG: "C.UTF-8",
    HAFT_AUTONOMY: "full", // what is asked has tests of its own
    NODE_DISABLE_COMPILE_CACHE: "1", // Node.js 22 would write it into the home, which tests look into
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    ...(HAFT_TEST_RUN === undefined ? {} : { HAFT_TEST_RUN }),
    ...more,
  };
}

/** Runs the built `haft` command until it exits. */
export function runHaft(args: readonly string[], options: RunBuiltOptions): Promise<Finished> {
  const child = spawn(process.execPath, [built("surfaces/cli/main.js"), ...args], {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // A command that exits without reading its input closes the pipe.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => {
      resolve({ status, signal, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
    });
  });
}

interface RunInProcessOptions extends RunBuiltOptions {
  /** stdout is a terminal, as far as the command can see. */
  readonly isTerminal?: boolean;
}

let lastInProcess: Promise<unknown> = Promise.resolve();
let runsInProcess = 0;

/**
 * Runs the built `haft` in this process, which costs a tenth of a start, for tests of what a command prints and writes. What is
 * about the process itself (signals, terminals, servers, what outlives it) uses `runHaft`. One command runs at a time.
 */
export function runHaftInProcess(args: readonly string[], options: RunInProcessOptions): Promise<Finished> {
  const finished = lastInProcess.then(() => runHere(args, options));
  lastInProcess = finished.catch(() => {});
  return finished;
}

async function runHere(
  args: readonly string[],
  { cwd, env = {}, input = "", isTerminal = false }: RunInProcessOptions,
): Promise<Finished> {
  const main = built("surfaces/cli/main.js");
  const own = { cwd: process.cwd(), env: { ...process.env }, argv: process.argv, exitCode: process.exitCode };
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin")!;
  const { isTTY } = process.stdout;
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)];
  replaceEnv(env);
  try {
    process.chdir(cwd);
    process.argv = [process.execPath, main, ...args];
    process.exitCode = undefined;
    process.stdout.isTTY = isTerminal;
    Object.defineProperty(process, "stdin", { ...stdin, get: () => Readable.from([Buffer.from(input)]) });
    // Each URL is evaluated once: the program is run again, and what it imports is shared.
    await import(/* @vite-ignore */ `${pathToFileURL(main).href}?run=${runsInProcess++}`);
    return { status: Number(process.exitCode ?? 0), signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    stdout.restore();
    stderr.restore();
    Object.defineProperty(process, "stdin", stdin);
    process.stdout.isTTY = isTTY;
    process.exitCode = own.exitCode;
    process.argv = own.argv;
    replaceEnv(own.env);
    process.chdir(own.cwd);
  }
}

/** Takes what is written to a stream, like a pipe. */
function captured(stream: NodeJS.WriteStream) {
  const chunks: Buffer[] = [];
  const { write } = stream;
  const listeners = stream.listeners("error");
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    chunks.push(Buffer.from(chunk as Uint8Array));
    const written = rest.at(-1);
    if (typeof written === "function") process.nextTick(written as () => void);
    return true;
  };
  return {
    text: () => Buffer.concat(chunks).toString(),
    restore() {
      stream.write = write;
      for (const one of stream.listeners("error"))
        if (!listeners.includes(one)) stream.off("error", one as (error: Error) => void);
    },
  };
}

function replaceEnv(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}
