import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

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
