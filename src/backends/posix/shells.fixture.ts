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

const NO_SIGNALS = "a remote shell cannot distinguish death by a signal from a status over 128";

const NO_DETACH = "a running command cannot become a job: it holds the channel of its call";
const NO_LOOK = "a plain shell does not report what its processes wait for";

/** What cannot hold on a machine that is only a shell, by shell. */
export const POSIX_CANNOT: Readonly<Record<ShellName, Readonly<Record<string, string>>>> = {
  dash: {
    "shell:exit:137-is-a-code": NO_SIGNALS,
    "shell:exit:signal": NO_SIGNALS,
    "shell:exec:detach": NO_DETACH,
    "shell:spawn:waiting": NO_LOOK,
  },
  bash: {
    "shell:exit:137-is-a-code": NO_SIGNALS,
    "shell:exit:signal": NO_SIGNALS,
    "shell:exec:detach": NO_DETACH,
    "shell:spawn:waiting": NO_LOOK,
  },
  busybox: {
    "shell:exit:137-is-a-code": NO_SIGNALS,
    "shell:exit:signal": NO_SIGNALS,
    "shell:exec:detach": NO_DETACH,
    "shell:spawn:waiting": NO_LOOK,
    "shell:process:default-signals": "busybox's own `sh -c` starts its last command with QUIT ignored",
  },
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
