/** Panes that a user or a program of a call opens beside those of Haft. */
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { DEFAULT_PANE } from "../../kernel/index.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { panesBench, text, until } from "./panes.fixture.js";
import { PANE_SHELLS } from "./shells.fixture.js";

withPrograms("panes of others", ["tmux", "bash"], () => {
  const { open, userTmux } = panesBench();

  it("leaves what a user has opened in the session that it created", async () => {
    const { env, tmux } = userTmux();
    const { backend, run, place } = open({ session: "made", env });
    const { pane } = await run("true");
    const opened = (...words: string[]) =>
      tmux(...words, "-d", "-P", "-F", "#{pane_id}", "env", ...PANE_SHELLS.bash).trim();
    const users = [opened("new-window", "-t", "made:"), opened("split-window", "-t", pane!)];
    for (const one of users) {
      tmux("send-keys", "-t", one, `touch ${place.directory}/${one}; sleep 600`, "Enter");
      await until(() => existsSync(`${place.directory}/${one}`));
    }
    expect((await backend.close()).left).toEqual([]);
    const left = tmux("list-panes", "-s", "-t", "made", "-F", "#{pane_id} #{pane_current_command}").trim().split("\n");
    for (const one of users) tmux("send-keys", "-t", one, "C-c");
    expect(left.sort()).toEqual(users.map((one) => `${one} sleep`).sort());
  });

  it("types nothing into what a user has opened in the session before its first use", async () => {
    const { env, tmux } = userTmux();
    const { backend, run } = open({ session: "made", env });
    await backend.startTerminal?.();
    const own = tmux("list-panes", "-t", "made", "-F", "#{pane_id}").trim();
    tmux("new-window", "-t", "made:", "-d", "cat");
    tmux("swap-window", "-s", "made:0", "-t", "made:1");
    expect([(await run("echo ran")).pane, own]).toEqual([own, own]);
  });

  it("takes no line of a program's name for the name of another pane's program", async () => {
    const { run, server, terminal } = open();
    const { tmux } = await server();
    const window = (name: string) =>
      tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "bash", "-c", `exec -a ${name} sleep 600`).trim();
    const hostile = window("$'a\\nb\\n%2 c'");
    const other = window("other");
    const listed = async () => (await terminal().list()).map(({ pane, command }) => [pane, command]);
    await until(async () => (await listed()).some(([, command]) => command === "other"));
    expect(await listed()).toEqual([
      ["%0", "bash"],
      [hostile, "a"],
      [other, "other"],
    ]);
    expect(text((await run("echo ran", 30_000, DEFAULT_PANE)).stdout.head)).toBe("ran\n");
  });
});
