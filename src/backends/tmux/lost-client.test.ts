/** A client that is lost at a chosen moment: between two commands of one step. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_PANE } from "../../kernel/index.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { createLocalBackend } from "../local/index.js";
import { PaneEvents } from "./pane-events.js";
import { panesBench, text, until } from "./panes.fixture.js";
import { TmuxServer } from "./tmux-server.js";

/** Passes lines on to the client, and ends its input at the first one with the text that the file "cut" has. It ends with the client. */
const CUT = `while IFS= read -r line; do
  [ ! -e "$0/cut" ] || case $line in *"$(cat "$0/cut")"*) exit 0 ;; esac
  printf '%s\\n' "$line"
done | { "$@"; kill $$; }`;

withPrograms("a tmux client that is lost", ["tmux", "bash"], () => {
  const { open } = panesBench();
  const openCut = () => {
    const opened = open(({ directory }) => ({ run: (argv) => ["sh", "-c", CUT, directory, ...argv] }));
    const file = join(opened.place.directory, "cut");
    const cutAt = (command: string) => writeFileSync(file, command);
    return { ...opened, cutAt, mend: () => rmSync(file) };
  };
  const lost = { code: "BACKEND_UNAVAILABLE" };

  it("while the prompt of a pane is looked for: the next command uses that pane", async () => {
    const { run, terminal, cutAt, mend } = openCut();
    await terminal("true").dispatch(DEFAULT_PANE, "true", {});
    await until(async () => (await terminal().list())[0]?.shell === "prompt");
    cutAt("load-buffer");
    await expect(run("echo lost")).rejects.toMatchObject(lost);
    mend();
    expect((await terminal().list()).map(({ pane, shell }) => [pane, shell])).toEqual([["%0", "prompt"]]);
    const next = await run("echo next");
    expect([text(next.stdout.head), next.pane]).toEqual(["next\n", "%0"]);
  });

  it("while the shell of a new pane is asked whether it is ready: reported as lost, and the next command gets a pane", async () => {
    const { run, cutAt, mend } = openCut();
    cutAt("save-buffer");
    await expect(run("echo lost")).rejects.toMatchObject(lost);
    mend();
    expect(text((await run("echo next")).stdout.head)).toBe("next\n");
  });

  it("before a new server was set to end without a client: the next client sets it", async () => {
    const { run, server, cutAt, mend } = openCut();
    cutAt("set-hook");
    await expect(run("echo lost")).rejects.toMatchObject(lost);
    mend();
    expect((await run("echo next")).pane).toBe("%0");
    expect((await server()).tmux("show-hooks", "-g", "client-detached")).toContain("kill-server");
  });

  it("with a backend that is closed: nothing connects again, and the error does not promise it", async () => {
    const server = new TmuxServer(createLocalBackend(), { run: (argv) => argv }, new PaneEvents());
    await server.close();
    await expect(server.open()).rejects.toThrow('Did not use the backend "local+tmux": it is closed. Open a new one.');
  });
});

withPrograms("a command whose begin was not seen", ["tmux", "zsh"], () => {
  const { open } = panesBench();
  /** A hook of the user delays each command while the file "slow" exists. */
  const openSlow = async () => {
    const opened = open(({ directory }) => {
      writeFileSync(join(directory, ".zshrc"), `preexec() { [ ! -e ${directory}/slow ] || sleep 600; }\n`);
      return { paneShell: [`ZDOTDIR=${directory}`, "zsh", "-d"] };
    });
    const { tmux } = await opened.server();
    tmux("new-window", "-d");
    writeFileSync(join(opened.place.directory, "slow"), "");
    const isDelayed = () => tmux("list-panes", "-t", "%0", "-F", "#{pane_current_command}").includes("sleep");
    return { ...opened, tmux, isDelayed };
  };

  it("may or may not have started when its pane is closed", async () => {
    const { run, tmux, isDelayed } = await openSlow();
    const running = run("echo begun");
    await until(isDelayed);
    tmux("kill-pane", "-t", "%0");
    const { began, ended } = await running;
    expect([began, ended]).toEqual(["unknown", "channel-lost"]);
  });

  it("may or may not have started when it was only dispatched and the client is lost", async () => {
    const { terminal, tmux, isDelayed } = await openSlow();
    const command = "echo begun";
    const dispatched = terminal(command).dispatch(DEFAULT_PANE, command, {});
    dispatched.catch(() => {});
    await until(isDelayed);
    tmux("detach-client", "-s", "haft");
    await expect(dispatched).rejects.toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringContaining("What was sent may have been typed."),
      details: { began: "unknown" },
    });
  });

  it("may or may not have started when it is stopped at its deadline", async () => {
    const { run, isDelayed } = await openSlow();
    const running = run("echo begun", 3_000);
    await until(isDelayed);
    const { began, ended, exit } = await running;
    expect([began, ended, exit]).toEqual(["unknown", "deadline", { by: "none" }]);
  });
});
