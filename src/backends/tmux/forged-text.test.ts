/** What a program prints in a pane, and what a user's configuration sets, imitates nothing that Haft reads. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withPrograms } from "../../testing/programs.fixture.js";
import { panesBench, text } from "./panes.fixture.js";

const ESCAPE = "\u001b";
const MARK = `${ESCAPE}]7473;`;

/** Printed by a command, each followed by a newline. */
const FORGED: readonly string[] = [
  `${MARK}0000000000000000;end\u0007`,
  `${MARK};end\u0007`,
  `${MARK}x;begin\u0007${MARK}x;end\u0007`,
  `${MARK}${"0".repeat(32)};ready\u0007`,
  `${MARK}`,
  `${ESCAPE}]7473`,
  `before${ESCAPE}`,
  "%begin 1 1 1",
  "%end 1 1 1",
  "%error 1 1 1",
  "%exit",
  "%exit detached",
  "%output %0 forged",
  "%session-changed $9 forged",
  "%window-close @0",
  "%pane-mode-changed %0",
  "%extended-output %0 0 : forged",
  "%pause %0",
  "\\033]7473;x;end\\007 \\134 \\012",
  `${ESCAPE}P=1s${ESCAPE}\\`,
  `${ESCAPE}Ptmux;${ESCAPE}${ESCAPE}]0;forged\u0007${ESCAPE}\\`,
  `${ESCAPE}k%end 1 1 1${ESCAPE}\\`,
  `${ESCAPE}[?1049h${ESCAPE}[?1049l`,
  `${ESCAPE}[2J${ESCAPE}[H0123456789abcdef exit 0 .`,
  `${ESCAPE}[?2004h${ESCAPE}[201~echo forged`,
  `${ESCAPE}(0qqq${ESCAPE}(B\u000e\u000f`,
  "\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u000b\u000c",
  `${ESCAPE}]52;c;Zm9yZ2Vk\u0007`,
  "\u009b31m\u009d0;forged\u009c",
];

/** What a user may have set, or another program for that user. */
const CONFIGURATION = [
  "set -g base-index 5",
  "set -g pane-base-index 3",
  "set -g renumber-windows on",
  "set -g remain-on-exit on",
  "set -g allow-rename on",
  "set -g automatic-rename on",
  "set -g automatic-rename-format '%end 1 1 1'",
  "set -g set-titles on",
  "set -g history-limit 0",
  "set -g mouse on",
  "set -g alternate-screen off",
  "set -g destroy-unattached off",
  "set -g default-command 'exec cat'",
  "set -g default-terminal forged",
  "set -g mode-keys vi",
  "set -g synchronize-panes on",
  "set -g monitor-bell on",
  "set -g monitor-activity on",
  "set -g @haft forged",
  "set -s buffer-limit 1",
  "set -s escape-time 5000",
  "set -s command-alias[1] 'capture-pane=kill-server'",
  "set -g update-environment ''",
  "set-hook -g after-new-window 'rename-window forged'",
  "set-hook -g after-set-buffer 'display-message forged'",
  "bind -n C-u kill-server",
];

withPrograms("forged text in a pane", ["tmux", "bash"], () => {
  const { open } = panesBench();

  it("takes what a command prints as its output, whatever it imitates", async () => {
    const { run, place } = open();
    for (const [index, one] of FORGED.entries()) {
      writeFileSync(join(place.directory, "forged"), `${one}\n`);
      const { exit, ended, stdout } = await run(`cat forged; echo "last ${index}"; exit 7`);
      expect([ended, exit, text(stdout.head)]).toEqual(["itself", { by: "code", code: 7 }, `${one}\nlast ${index}\n`]);
    }
    writeFileSync(join(place.directory, "forged"), FORGED.join("\n").repeat(2_000));
    const { exit, stdout } = await run("cat forged; printf '\\nlast\\n'; exit 8", 60_000);
    expect([exit, text(stdout.tail).endsWith("\nlast\n")]).toEqual([{ by: "code", code: 8 }, true]);
  });

  it("types no answer of the terminal into the next command", async () => {
    const { run } = open();
    for (let times = 0; times < 3; times += 1) {
      const { exit, stdout } = await run("printf '\\033[6n\\033[c\\033[>c\\033[5n'; exit 7");
      expect([exit, text(stdout.head)]).toEqual([{ by: "code", code: 7 }, expect.stringMatching(/^\u001b\[6n/)]);
      expect(text((await run("echo next")).stdout.head)).toBe("next\n");
    }
  });

  it.each(CONFIGURATION)("runs commands under the user's `%s`", async (line) => {
    const { run, terminal, backend } = open((place) => {
      writeFileSync(join(place.home, ".tmux.conf"), `${line}\n`);
      return { session: "made" };
    });
    const first = await run("echo one; exit 3");
    const { pane } = await terminal().open({});
    const other = await run("echo two; exit 4", 30_000, pane);
    expect([first, other].map(({ exit, stdout }) => [exit, text(stdout.head)])).toEqual([
      [{ by: "code", code: 3 }, "one\n"],
      [{ by: "code", code: 4 }, "two\n"],
    ]);
    expect((await terminal().list()).map((state) => [state.pane, state.owned])).toEqual([
      [first.pane, true],
      [pane, true],
    ]);
    expect((await backend.close()).left).toEqual([]);
  });
});
