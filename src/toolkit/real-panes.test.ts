/** The tools on real tmux, through the toolkit: commands that run where an operator sees them, and panes beside a busy one. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pause, until } from "../backends/posix/machine.fixture.js";
import { createToolkit, type Toolkit } from "../index.js";
import { withPrograms } from "../testing/programs.fixture.js";
import { service, withServices } from "../testing/services.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

interface Place {
  /** Without its terminal. */
  readonly target: string;
  readonly options: object;
}

/** A user at a terminal who has typed this command. */
function operator(command: string): { readonly seen: () => string; readonly process: ChildProcess } {
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, TERM: "xterm" },
  });
  let text = "";
  child.stdout.on("data", (bytes) => {
    text += bytes;
  });
  return { process: child, seen: () => text };
}

function toolsOverPanes(open: () => Place): void {
  let directory: string;
  let toolkit: Toolkit;
  let place: Place;
  const ends: (() => void)[] = [];
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-panes-")));
    place = open();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) end();
    await toolkit.close();
    vi.unstubAllEnvs();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = async (suffix: string) => {
    const { target, options } = place;
    const workspace = target === "local" ? { workspace: directory } : {};
    toolkit = await createToolkit({
      on: [{ target: `${target}${suffix}`, ...options }],
      persist: false,
      autonomy: "full",
      ...workspace,
    });
    const { runner } = toolkit.box();
    return async (name: string, input: object, signal?: AbortSignal) => {
      const outcome = await runner.run({ id: "c", name, input }, signal === undefined ? {} : { signal });
      return { ...outcome, text: String(outcome.output) };
    };
  };

  verifies(["BD-070", "W12"], "commands run in a pane, where an operator who has attached sees them", async () => {
    const call = await start("+tmux,shell=pane");
    const command = (await toolkit.startTerminal()).attachCommand ?? "";
    const attached = operator(command);
    ends.push(() => void attached.process.kill());
    await call("bash", { command: "echo fir''st" });
    await until(() => attached.seen().includes("first"));
    const failed = await call("bash", { command: "echo vis''ible; exit 3" });
    expect([failed.isError, failed.text]).toEqual([
      true,
      expect.stringMatching(/^stdout:\nvisible\n[\s\S]*exit code 3/),
    ]);
    await until(() => attached.seen().includes("visible"));
    expect(attached.seen()).toContain("echo vis''ible; exit 3");
    const late = await call("bash", { command: "echo before; sleep 600", timeoutMs: 1_500 });
    expect([late.status, late.text]).toEqual(["timed-out", expect.stringContaining("before")]);
    expect(late.text).toContain("timed out after 1500 ms");
    // It was ended, and the answer names the pane where it ran.
    expect(late.structured).toMatchObject({ ended: "deadline", endedBy: "TERM", pane: "%0" });
    const stop = new AbortController();
    const running = call("bash", { command: "echo st''ill; sleep 600" }, stop.signal);
    await until(() => attached.seen().includes("still"));
    stop.abort();
    expect((await running).status).toBe("cancelled");
    expect((await call("bash", { command: "echo after" })).text).toMatch(/^stdout:\nafter\n/);
    const { text: panes } = await call("panes", { action: "list" });
    expect(panes.split("\n")).toEqual([
      expect.stringMatching(/^%0 "shared" in haft, .*the shell waits/),
      `the user can watch: ${command}`,
    ]);
  });

  it("a command says that a user typed in its pane, and the next one that its pane was closed", async () => {
    const call = await start("+tmux,shell=pane");
    const user = operator((await toolkit.startTerminal()).attachCommand ?? "");
    ends.push(() => void user.process.kill());
    const { text, structured } = await call("bash", { command: "echo fir''st" });
    expect(text).toMatch(/status: exit code 0$/);
    expect(structured).toMatchObject({ pane: "%0" });
    await until(() => user.seen().includes("first"));
    const asked = call("bash", { command: 'echo be""gun; read -r line; echo "got $line"' });
    await until(() => user.seen().includes("begun"));
    await pause(1_100); // tmux counts the activity of users in seconds
    user.process.stdin?.write("it\r");
    expect((await asked).text).toMatch(/got it\n[\s\S]*exit code 0\nA user typed in the pane %0 while it ran\.$/);
    await call("panes", { action: "open" }); // without any other pane the server would end
    const killed = call("bash", { command: 'echo ag""ain; exec sleep 600' });
    await until(() => user.seen().includes("again"));
    // `C-b x` and `y` close the pane that the user looks at.
    user.process.stdin?.write("\u0002x");
    await until(() => /kill-pane .*y\/n/.test(user.seen()));
    user.process.stdin?.write("y");
    expect((await killed).text).toContain("connection lost: the pane %0 was closed.");
    const notice = /The default pane %0 was gone; a new one was opened, (%\d)\.$/;
    const next = await call("bash", { command: "echo next" });
    expect([next.text, next.structured]).toEqual([
      expect.stringMatching(notice),
      expect.objectContaining({ notice: expect.stringMatching(notice) }),
    ]);
    const [, pane = ""] = notice.exec(next.text) ?? [];
    await call("panes", { action: "close", pane });
    expect((await call("capture_pane", {})).text.split("\n")[0]).toMatch(
      new RegExp(
        `: the shell waits for a command\\. The default pane ${pane} was gone; a new one was opened, %\\d\\.$`,
      ),
    );
  });

  verifies(
    ["BD-059", "BD-063", "BD-072"],
    "a background command goes to the pane, and to another one while that is busy; panes are opened and closed",
    async () => {
      const call = await start("+tmux");
      const background = async (command: string) => {
        const { text } = await call("bash", { command, background: true });
        return /^status: started in the pane (%\d+) of the session haft\n/.exec(text)?.[1] ?? text;
      };
      const first = await background("sleep 600");
      const second = await background("echo se''cond; sleep 600");
      expect([first, second]).toEqual(["%0", "%1"]);
      const opened = await call("panes", { action: "open", name: "mine" });
      expect(opened.text).toMatch(/^opened %2 "mine" in haft, 200x50: the shell waits for a command/);
      await until(async () => (await call("capture_pane", { pane: second })).text.includes("\nsecond"));
      // One that is free again is used again.
      await call("send_keys", { keys: ["C-c"] });
      await until(async () => /^%0 .*the shell waits/m.test((await call("panes", { action: "list" })).text));
      expect(await background("sleep 601")).toBe("%0");
      expect((await call("panes", { action: "close", pane: "%2" })).text).toBe("closed %2");
      const { text } = await call("panes", { action: "list" });
      expect(text.split("\n").map((line) => line.split(" ")[0])).toEqual(["%0", "%1", "the"]);
    },
  );
}

withPrograms("panes of this machine, by the tools", ["tmux", "script"], () => {
  toolsOverPanes(() => ({ target: "local", options: {} }));
});

withServices(["ssh"], "panes over ssh, by the tools", () => {
  toolsOverPanes(() => {
    const { config, hosts } = service("ssh");
    return {
      target: `ssh:${hosts.box}`,
      options: { ssh: { config } },
    };
  });
});

withServices(["podman"], "panes in a container, by the tools", () => {
  toolsOverPanes(() => {
    const { container, env } = service("podman");
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    return {
      target: `podman:${container}`,
      options: {},
    };
  });
});
