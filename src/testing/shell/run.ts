/** Helpers of the shell cases: run commands, end what they leave running. */

import type { BoundCall, GrantedCommand, ShellOptions, ShellResult } from "../../kernel/index.js";
import { concatBytes } from "../../text/index.js";
import { shown } from "../case-setup.js";
import { expectEqual, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";

/** Starts a sleeping child and prints its pid. */
export const CHILD_THEN_SLEEP = "sleep 600 & echo $!; sleep 600";

/** More than any case prints, so that the whole stream is in `head`. */
const KEEP = { head: 4 * 1024 * 1024, tail: 0 };

type RunOptions = Partial<ShellOptions> & { readonly call?: Partial<BoundCall> };

/** Runs one command in the fixture's directory, claimed as it starts, all of its output kept unless `keep` says otherwise. */
export function run(fixture: Fixture, command: string, options: RunOptions = {}): Promise<ShellResult> {
  const { call, ...rest } = options;
  const whole = { cwd: fixture.directory, keep: KEEP, ...rest };
  const claim: GrantedCommand = {
    command,
    cwd: whole.cwd,
    ...(rest.env === undefined ? {} : { env: rest.env }),
    ...(rest.input === undefined ? {} : { input: shown(rest.input) }),
    ...(rest.detach === undefined ? {} : { background: "session" }),
  };
  const running = bindAll(fixture, { files: [], commands: [claim] }, call).shell.exec(command, whole);
  // A case may do something else before it awaits this: until then a rejection is not an unhandled one.
  running.catch(() => {});
  return running;
}

export function stdoutOf(result: ShellResult): string {
  return shown(concatBytes([result.stdout.head, result.stdout.tail]));
}

export function stderrOf(result: ShellResult): string {
  return shown(concatBytes([result.stderr.head, result.stderr.tail]));
}

/** Fails unless the command ended by itself with this exit code. */
export function expectExit(result: ShellResult, code: number, what: string): void {
  expectEqual(
    [result.began, result.ended, result.exit],
    ["yes", "itself", { by: "code", code }],
    `${what} (stderr: ${stderrOf(result)})`,
  );
}

/** Fails unless every produced byte is kept or counted as dropped. */
export function expectCounted(result: ShellResult): void {
  for (const stream of [result.stdout, result.stderr]) {
    expectEqual(
      stream.head.length + stream.tail.length + stream.omittedBytes,
      stream.produced,
      "kept and dropped bytes",
    );
  }
}

/** Fails if a process with this pid still runs, seen from the backend's shell. A zombie counts as dead. */
export async function expectEnded(fixture: Fixture, pid: string): Promise<void> {
  expectThat(/^\d+$/.test(pid), `"${pid}" is the number of a process`);
  const { shell } = fixture.backend.root;
  const isThere = async (): Promise<boolean> => {
    const probe = await shell.exec(`kill -0 ${pid}`, { cwd: fixture.directory });
    return probe.exit.by === "code" && probe.exit.code === 0;
  };
  if (!(await isThere())) return;
  const status = await shell.exec(`cat /proc/${pid}/status`, { cwd: fixture.directory });
  if (/^State:\s+Z/m.test(stdoutOf(status))) return;
  // A zombie may be reaped between the two checks.
  if (!(await isThere())) return;
  await shell.exec(`kill -9 ${pid}`, { cwd: fixture.directory });
  throw new Error(`Process ${pid} still runs.`);
}

/** Ends what a command left running. */
export async function endSurvivors(fixture: Fixture, result: ShellResult): Promise<void> {
  for (const { pid } of result.tree.survivors) {
    await fixture.backend.root.shell.exec(`kill -9 ${pid}`, { cwd: fixture.directory });
  }
}

/** Resolves after `ms` on the fixture's clock. */
export function pause(fixture: Fixture, ms: number): Promise<void> {
  return new Promise((resolve) => {
    fixture.clock.timer(ms, resolve);
  });
}

/** Resolves when `holds` returns true, polled every 10 ms; fails after `limitMs`. */
export async function until(
  fixture: Fixture,
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const end = fixture.clock.now() + limitMs;
  while (!(await holds())) {
    expectThat(fixture.clock.now() < end, `${what} within ${limitMs} ms`);
    await pause(fixture, 10);
  }
}
