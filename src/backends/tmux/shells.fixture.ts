/** The shells that panes are tested with, and what a test of tmux needs. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";

/** Without start-up files, which take long and print things. */
export const PANE_SHELLS = {
  bash: ["bash", "--noprofile", "--norc"],
  posix: ["bash", "--posix", "--noprofile", "--norc"],
  dash: ["dash"],
  ash: ["busybox", "ash"],
  zsh: ["zsh", "-f"],
} as const;
export type PaneShellName = keyof typeof PANE_SHELLS;

/** Runs the tests if these programs are installed. With REQUIRE_ALL=1 an absent one fails. */
export function withPrograms(title: string, programs: readonly string[], tests: () => void): void {
  const missing = programs.filter((one) => spawnSync("sh", ["-c", `command -v ${one}`]).status !== 0);
  if (missing.length === 0) return void describe(title, tests);
  const reason = `cannot: ${missing.join(", ")} is not installed`;
  if (process.env.REQUIRE_ALL === "1") throw new Error(`Tests of tmux cannot run: ${reason}.`);
  describe.skip(`${title} (${reason})`, tests);
}

/** A directory for a test, with an empty home. */
export function testPlace(): { readonly directory: string; readonly home: string; remove(): void } {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-t-")));
  const home = join(directory, "home");
  mkdirSync(home);
  return { directory, home, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
