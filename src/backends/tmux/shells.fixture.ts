/** The shells that panes are tested with, and where a test of tmux works. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Without start-up files, which take long and print things. */
export const PANE_SHELLS = {
  bash: ["bash", "--noprofile", "--norc"],
  posix: ["bash", "--posix", "--noprofile", "--norc"],
  dash: ["dash"],
  ash: ["busybox", "ash"],
  zsh: ["zsh", "-f"],
} as const;
export type PaneShellName = keyof typeof PANE_SHELLS;

/** A directory for a test, with an empty home. */
export function testPlace(): { readonly directory: string; readonly home: string; remove(): void } {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-t-")));
  const home = join(directory, "home");
  mkdirSync(home);
  return { directory, home, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
