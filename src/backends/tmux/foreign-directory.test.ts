/** Another user makes a directory of the name that the one of a tmux server had, with a server in it. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { messageOf } from "../../kernel/index.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { panesBench, text, until } from "./panes.fixture.js";

vi.setConfig({ testTimeout: 60_000 });

const OTHER_USER = 65_534;

withPrograms("a tmux server whose directory was replaced", ["tmux", "bash"], () => {
  const { open, closing } = panesBench();

  it.each(["opened to others", "a symlink", ...(process.getuid?.() === 0 ? ["of another user"] : [])])(
    "by one that is %s: nothing there is used, and the next call has a new server",
    async (kind) => {
      const { run, server, place } = open();
      const { socket, tmux } = await server();
      const directory = dirname(socket);
      tmux("kill-server");
      await until(() => spawnSync("tmux", ["-S", socket, "list-sessions"]).status !== 0);
      renameSync(directory, join(place.directory, "moved"));
      const made = kind === "a symlink" ? join(place.directory, "elsewhere") : directory;
      mkdirSync(made, { mode: 0o700 });
      if (made !== directory) symlinkSync(made, directory);
      const foreign = (...args: string[]) =>
        execFileSync("tmux", ["-f", "/dev/null", "-S", `${directory}/s`, ...args], { encoding: "utf8" });
      foreign("new-session", "-d", "-s", "haft", "-n", "shared", "sh");
      closing.push(() => {
        foreign("kill-server");
        rmSync(directory, { recursive: true });
      });
      const precious = join(place.directory, "precious");
      writeFileSync(precious, "text");
      symlinkSync(precious, join(made, "o"));
      if (kind === "opened to others") chmodSync(made, 0o755);
      if (kind === "of another user") chownSync(made, OTHER_USER, OTHER_USER);
      // The end of its client may not be noticed yet.
      let refused = "";
      await until(async () => {
        refused = await run("echo x").then(() => "ran", messageOf);
        return refused === "ran" || refused.includes("Did not use tmux");
      });
      expect(refused).toContain("was replaced or opened to other users");
      expect(readFileSync(precious, "utf8")).toBe("text");
      expect(text((await run("echo next")).stdout.head)).toBe("next\n");
      expect(foreign("list-clients")).toBe("");
    },
  );
});
