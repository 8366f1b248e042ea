/** The shells that this backend is proved on; one that is not installed is skipped, and said so. */
import { spawnSync } from "node:child_process";
import { describe } from "vitest";
import { LONG } from "../../testing/long.fixture.js";

const SHELLS = ["dash", "bash", "busybox"] as const;
export type ShellName = (typeof SHELLS)[number];

/** How each is started, for tests that talk to it without a backend. */
export const ARGV: Readonly<Record<ShellName, readonly string[]>> = {
  dash: ["dash"],
  bash: ["bash", "--posix"],
  busybox: ["busybox", "sh"],
};

/** Runs under dash what no shell does differently, and under every shell in a long run. */
export function underOneShell(tests: (shell: ShellName) => void): void {
  underEachShell(tests, LONG ? SHELLS : ["dash"]);
}

/** Runs the tests under every shell. With REQUIRE_ALL=1 an absent shell fails. */
export function underEachShell(tests: (shell: ShellName) => void, shells: readonly ShellName[] = SHELLS): void {
  for (const shell of shells) {
    const isThere = spawnSync(shell === "busybox" ? "busybox" : shell, ["true"]).error === undefined;
    if (isThere) {
      describe(shell, () => tests(shell));
      continue;
    }
    const reason = `${shell} is not installed${shell === "busybox" ? ": apt-get install busybox-static" : ""}`;
    if (process.env.REQUIRE_ALL === "1") throw new Error(`Tests of the POSIX backend cannot run: ${reason}.`);
    process.stderr.write(`skipped: tests of the POSIX backend under ${shell}: ${reason}\n`);
    describe.skip(`${shell} (${reason})`, () => tests(shell));
  }
}
