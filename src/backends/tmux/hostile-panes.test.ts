import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { processStart, sendSignal, systemClock } from "../../host/index.js";
import { DEFAULT_PANE, type HaftError, PANE_ACTIONS } from "../../kernel/index.js";
import { expectFault } from "../../testing/faults.fixture.js";
import { bindAll } from "../../testing/index.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { createLocalBackend } from "../local/index.js";
import { runsBelow } from "./own-terminal.js";
import { PLAIN, panesBench, text, until } from "./panes.fixture.js";
import { PANE_SHELLS, testPlace } from "./shells.fixture.js";
import { withTmux } from "./with-tmux.js";

const WAIT_MS = 30_000;

withPrograms("tmux, when things go wrong", ["tmux", "bash"], () => {
  const { open, closing, userTmux } = panesBench();
  /** A user at a terminal, attached to the session of a private server. */
  const attachUser = async ({ socket, tmux }: { socket: string; tmux(...args: string[]): string }) => {
    const attach = `TERM=xterm tmux -S '${socket}' attach-session`;
    const user = spawn("script", ["-qec", attach, "/dev/null"], { stdio: ["pipe", "ignore", "ignore"] });
    closing.push(() => sendSignal(user, "SIGTERM"));
    await until(() => tmux("list-clients", "-F", "#{client_control_mode}").includes("0"));
    return user;
  };

  it("ends with the pane when a user closes it, and opens another one for the next command", async () => {
    const { run, server } = open();
    const { tmux } = await server();
    tmux("new-window", "-d");
    const running = run("echo before; sleep 600");
    await until(() => tmux("capture-pane", "-p", "-t", "%0").includes("\nbefore"));
    tmux("kill-pane", "-t", "%0");
    const result = await running;
    expect([result.began, result.ended, result.exit]).toEqual(["yes", "channel-lost", { by: "none" }]);
    expectFault("tmux: pane killed", result);
    expect(text(result.stdout.head)).toBe("before\n");
    const next = await run("echo next");
    expect([text(next.stdout.head), next.notice]).toEqual(["next\n", expect.stringContaining("%0 was gone")]);
  });

  verifies("BD-076", "reports a server that ended during a command, and starts another one", async () => {
    const { run, server, terminal } = open();
    const { tmux, socket } = await server();
    await terminal().open({});
    const running = run("echo before; sleep 600");
    await until(() => tmux("capture-pane", "-p", "-t", "%0").includes("\nbefore"));
    tmux("kill-server");
    const result = await running;
    expect([result.began, result.ended]).toEqual(["yes", "channel-lost"]);
    expectFault("tmux: server killed", result);
    const [listed] = await terminal().list();
    expect(listed).toMatchObject({ pane: "%2", shell: "prompt", notice: expect.stringContaining("%0 was gone") });
    for (const old of ["%0", "%1"])
      await expect(terminal().send(old, [{ text: "y" }])).rejects.toMatchObject({ code: "TERMINAL_PANE_GONE" });
    const next = await run("echo next");
    expect([text(next.stdout.head), next.pane]).toEqual(["next\n", "%2"]);
    expect(existsSync(socket)).toBe(false);
  });

  it("connects again when its client is killed, and returns the exit code of the command that ran meanwhile", async () => {
    const { run, server, place } = open();
    const { tmux } = await server();
    const running = run("echo before; until [ -e go ]; do sleep 0.05; done; exit 9");
    await until(() => tmux("capture-pane", "-p", "-t", "%0").includes("\nbefore"));
    const pid = Number(tmux("list-clients", "-F", "#{client_pid}"));
    const start = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19]);
    expect(sendSignal({ pid, start }, "SIGKILL")).toBe(true);
    await until(() => tmux("list-clients", "-F", "#{client_pid}").trim() !== String(pid));
    execFileSync("touch", [`${place.directory}/go`]);
    const result = await running;
    expect([result.ended, result.exit]).toEqual(["itself", { by: "code", code: 9 }]);
    expectFault("tmux: client killed", result);
    expect(text(result.stdout.head)).toContain("before\n");
    expect([result.stdout.final, result.notice]).toEqual([false, expect.stringContaining("output may be missing")]);
    const next = await run("echo next");
    expect([text(next.stdout.head), next.stdout.final, next.notice]).toEqual(["next\n", true, undefined]);
  });

  it("says of each command that ran while its client was killed that output may be missing", async () => {
    const { run, server, terminal, place } = open();
    const { tmux } = await server();
    const { pane } = await terminal().open({});
    // Both print until they end, so that their last output and their ends arrive.
    const command = (name: string) =>
      `touch ${name}; until [ -e go ]; do echo line; sleep 0.005; done; sleep 0.2; echo end; exit 9`;
    const running = [run(command("one")), run(command("two"), 30_000, pane)];
    await until(() => ["one", "two"].every((name) => existsSync(`${place.directory}/${name}`)));
    const pid = Number(tmux("list-clients", "-F", "#{client_pid}"));
    expect(sendSignal({ pid, start: processStart(pid) ?? 0 }, "SIGKILL")).toBe(true);
    await until(() => !["", String(pid)].includes(tmux("list-clients", "-F", "#{client_pid}").trim()));
    execFileSync("touch", [`${place.directory}/go`]);
    for (const { exit, stdout, notice } of await Promise.all(running)) {
      expect([exit, stdout.final]).toEqual([{ by: "code", code: 9 }, false]);
      expect(text(stdout.tail.length > 0 ? stdout.tail : stdout.head)).toMatch(/line\nend\n$/);
      expect(notice).toContain("output may be missing");
    }
  });

  it("says that text may have been typed when the client is lost before it answers", async () => {
    const { server, terminal } = open();
    const { tmux, pid: serverPid } = await server();
    const pid = Number(tmux("list-clients", "-F", "#{client_pid}"));
    const startOf = (one: number) => Number(readFileSync(`/proc/${one}/stat`, "utf8").split(") ")[1]?.split(" ")[19]);
    const of = { pid: serverPid, start: startOf(serverPid) };
    const client = { pid, start: startOf(pid) };
    sendSignal(of, "SIGSTOP");
    const sending = terminal().send(DEFAULT_PANE, [{ text: "#typed" }]);
    const failed = sending.catch((thrown: unknown) => thrown);
    sendSignal(client, "SIGKILL");
    expect(await failed).toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringMatching(
        /^Lost the connection to tmux on "local" before it answered: .*may have been typed/,
      ),
      details: { began: "unknown" },
    });
    sendSignal(of, "SIGCONT");
  });

  it("continues when a user renames the session, the window and the title, and changes the size", async () => {
    const { run, server, terminal } = open();
    const { tmux } = await server();
    const running = run("echo before; until [ -e go ]; do sleep 0.05; done; echo after");
    await until(() => tmux("capture-pane", "-p", "-t", "%0").includes("\nbefore"));
    tmux("rename-session", "%end 1 1 1");
    tmux("rename-window", "-t", "%0", "%exit");
    tmux("select-pane", "-t", "%0", "-T", "%output %0 x");
    tmux("resize-window", "-t", "%0", "-x", "30", "-y", "8");
    expect((await terminal().list())[0]).toMatchObject({
      pane: "%0",
      size: [30, 8],
      owned: true,
      title: "%output %0 x",
    });
    await terminal("touch go").dispatch((await terminal().open({})).pane, "touch go", {});
    const result = await running;
    expect([result.ended, text(result.stdout.head)]).toEqual(["itself", "before\nafter\n"]);
  });

  verifies(["BD-081", "W8"], "is not affected by the history limit", async () => {
    const { run } = open({ historyLines: 10 });
    const { stdout } = await run("seq 1 3000");
    expect(text(stdout.head)).toMatch(/^1\n2\n/);
    expect(text(stdout.tail)).toMatch(/\n2999\n3000\n$/);
  });

  it("keeps little of much output", async () => {
    const { run } = open();
    const before = process.memoryUsage().rss;
    const { stdout, exit } = await run("head -c 20000000 /dev/zero | tr '\\0' 'x' | fold -w 100", 120_000);
    expect([exit, stdout.produced > 20_000_000]).toEqual([{ by: "code", code: 0 }, true]);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  }, 120_000);

  verifies("BD-073", "does not run commands in panes of others, nor close them, but types and captures", async () => {
    const { run, server, terminal } = open();
    const { tmux } = await server();
    const foreign = tmux("new-window", "-d", "-P", "-F", "#{pane_id}").trim();
    await expect(run("true", WAIT_MS, foreign)).rejects.toMatchObject({ code: "TERMINAL_NOT_OWNED" });
    await expect(terminal().close(foreign)).rejects.toMatchObject({ code: "TERMINAL_NOT_OWNED" });
    expect((await terminal().send(foreign, [{ text: "#typed" }])).shell).toBe("unknown");
    await until(() => tmux("capture-pane", "-p", "-t", foreign).includes("#typed"));
    expect((await terminal().capture(foreign, PLAIN)).text).toContain("#typed");
    // A mark alone does not make a pane ours.
    tmux("set-option", "-p", "-t", foreign, "@haft", "1");
    await expect(run("true", WAIT_MS, foreign)).rejects.toMatchObject({ code: "TERMINAL_NOT_OWNED" });
  });

  it("does not type a command into what a user runs, nor execute what a user has begun to type", async () => {
    const { run, server, place, terminal } = open();
    const { tmux } = await server();
    tmux("send-keys", "-t", "%0", "touch begun; #");
    expect(text((await run("echo ran")).stdout.head)).toBe("ran\n");
    expect(existsSync(`${place.directory}/begun`)).toBe(false);
    tmux("send-keys", "-t", "%0", "cat > typed", "Enter");
    await until(() => existsSync(`${place.directory}/typed`));
    await expect(run("echo ran", WAIT_MS, "%0")).rejects.toMatchObject({ code: "TERMINAL_BUSY" });
    expect((await terminal().list())[0]?.shell).toBe("busy");
    tmux("send-keys", "-t", "%0", "C-d");
    await until(async () => (await terminal().list())[0]?.shell === "prompt");
    expect(readFileSync(`${place.directory}/typed`, "utf8")).toBe("");
    tmux("send-keys", "-t", "%0", "exec cat", "Enter");
    await until(() => tmux("list-panes", "-t", "%0", "-F", "#{pane_current_command}").includes("cat"));
    await expect(run("echo ran", WAIT_MS, "%0")).rejects.toMatchObject({ code: "TERMINAL_BUSY" });
  });

  it("types also while a user looks at the history of the pane", async () => {
    const { run, server, terminal } = open();
    const { tmux } = await server();
    tmux("copy-mode", "-t", "%0");
    expect(text((await run("echo ran")).stdout.head)).toBe("ran\n");
    tmux("copy-mode", "-t", "%0");
    await terminal().send("%0", [{ text: "echo ty''ped" }, { key: "Enter" }]);
    await until(() => tmux("capture-pane", "-p", "-t", "%0").includes("\ntyped"));
  });

  it("says that a user typed in the pane who attached while the command ran", async () => {
    const { run, server } = open();
    const at = await server();
    const { tmux } = at;
    const running = run('echo begun; read -r line; echo "got $line"');
    await until(() => tmux("capture-pane", "-p", "-t", "%0").includes("\nbegun"));
    const user = await attachUser(at);
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // tmux counts activity in seconds
    user.stdin.write("late\r");
    const typed = await running;
    expect([text(typed.stdout.head), typed.userTyped]).toEqual([expect.stringContaining("got late\n"), true]);
  });

  it("does not take attaching for typing", async () => {
    const { run, server } = open();
    const at = await server();
    const { tmux } = at;
    const running = run("echo begun; sleep 3");
    await until(() => tmux("capture-pane", "-p", "-t", "%0").includes("\nbegun"));
    await attachUser(at);
    expect((await running).userTyped).toBe(false);
  });

  it("says that a user was active in the pane", async () => {
    const { run, server } = open();
    const at = await server();
    const { tmux } = at;
    const user = await attachUser(at);
    tmux("select-window", "-t", "%0");
    const quiet = await run("echo quiet");
    const running = run('echo begun; read -r line; echo "got $line"');
    await until(() => tmux("capture-pane", "-p", "-t", "%0").includes("\nbegun"));
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // tmux counts activity in seconds
    user.stdin.write("from the user\r");
    const result = await running;
    expect([quiet.userTyped, result.userTyped]).toEqual([false, true]);
    expect(text(result.stdout.head)).toContain("got from the user\n");
  });

  it("leaves nothing behind: no process, no socket, no directory", async () => {
    const { run, server, backend, terminal, place } = open();
    const { socket, pid } = await server();
    const tag = `haft-left-${process.pid}-${Date.now()}`;
    const { pane } = await terminal().open({});
    const command = `(trap '' HUP TERM; exec -a ${tag} sleep 600) & nohup bash -c 'exec -a ${tag} sleep 600' >/dev/null 2>&1 & exec -a ${tag} sleep 600`;
    await terminal(command).dispatch(pane, command, { cwd: place.directory });
    const tagged = () => readdirSync("/proc").filter((one) => /^\d+$/.test(one) && commandLine(one).includes(tag));
    await until(() => tagged().filter((one) => commandLine(one).startsWith(tag)).length === 3);
    const unfinished = run(`sleep 600; : ${tag}`);
    const before = terminal();
    expect((await backend.close()).left).toEqual([]);
    expect((await unfinished).ended).toBe("cancelled");
    await until(() => tagged().length === 0);
    await until(() => commandLine(String(pid)) === "");
    expect(existsSync(socket.replace(/\/s$/, ""))).toBe(false);
    await expect(before.list()).rejects.toMatchObject({ code: "BACKEND_UNAVAILABLE" });
  }, 60_000);

  it("uses a named session of the user's server, and leaves what is not its own", async () => {
    const { env, tmux } = userTmux();
    const { run, terminal, backend } = open({ session: "work", env });
    expect(backend.name).toBe("local+tmux=work");
    expect((await terminal().list()).map(({ owned, shell }) => [owned, shell])).toEqual([[false, "unknown"]]);
    const result = await run("echo hi");
    expect([result.pane, text(result.stdout.head)]).toEqual(["%1", "hi\n"]);
    expect(tmux("list-windows", "-t", "work", "-F", "#{window_width}").split("\n")[0]).toBe("80");
    await backend.close();
    expect(tmux("list-panes", "-a", "-F", "#{pane_id}")).toBe("%0\n");
  });

  it("creates a named session that does not exist, says so once, and ends it alone, whether it was used or not", async () => {
    const { env, tmux } = userTmux();
    const sessions = () => tmux("list-sessions", "-F", "#{session_name}");
    const notice = 'There was no tmux session "made": it was created. The user can watch it: tmux attach -t made';
    const used = open({ session: "made", env });
    expect((await used.run("true")).notice).toBe(notice);
    expect((await used.run("true")).notice).toBeUndefined();
    expect(sessions()).toBe("made\nwork\n");
    await used.backend.close();
    expect(sessions()).toBe("work\n");
    const listed = open({ session: "made", env });
    expect((await listed.terminal().list()).map((one) => [one.owned, one.shell, one.notice])).toEqual([
      [true, "prompt", notice],
    ]);
    await listed.backend.close();
    const opened = open({ session: "made", env });
    expect((await opened.terminal().open({})).notice).toBe(notice);
    await opened.backend.close();
    expect(sessions()).toBe("work\n");
    const attached = open({ session: "made", env });
    expect(await attached.backend.startTerminal?.()).toEqual({
      attachCommand: "tmux attach -t made",
      createdSession: "made",
    });
    expect(sessions()).toBe("made\nwork\n");
    await attached.backend.close();
    expect(sessions()).toBe("work\n");
    const existing = open({ session: "work", env });
    expect(await existing.backend.startTerminal?.()).toEqual({ attachCommand: "tmux attach -t work" });
    expect((await existing.run("true")).notice).toBeUndefined();
  });

  it("takes a directory and a title as they are, and expands nothing in them", async () => {
    const { terminal, place } = open();
    const name = "#(touch pwned) #{pid} %H";
    mkdirSync(`${place.directory}/${name}`);
    const { pane, title } = await terminal().open({ cwd: `${place.directory}/${name}`, name });
    expect(title).toBe(name);
    await terminal().send(pane, [{ text: "touch here" }, { key: "Enter" }]);
    await until(() => existsSync(`${place.directory}/${name}/here`));
    expect(readdirSync(place.directory, { recursive: true }).sort()).toEqual([name, `${name}/here`, "home"]);
  });

  verifies("BD-076", "does not type into the pane that this process runs in, by whichever name", async () => {
    const { env, tmux } = userTmux();
    const { TMUX, TMUX_PANE } = process.env;
    closing.push(() => {
      for (const [name, value] of Object.entries({ TMUX, TMUX_PANE }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    process.env.TMUX = `${tmux("display-message", "-p", "-t", "work", "#{socket_path}").trim()},1,0`;
    process.env.TMUX_PANE = "%0";
    for (const [options, pane] of [
      [{ current: true }, DEFAULT_PANE],
      [{ current: true }, "%0"],
      [{ session: "work" }, "%0"],
    ] as const) {
      const { terminal, backend } = open({ ...options, env });
      const error = await terminal()
        .send(pane, [{ text: "y" }])
        .catch((thrown: HaftError) => thrown);
      expect(error).toMatchObject({
        code: "TERMINAL_NOT_OWNED",
        message: expect.stringContaining("answer its questions"),
      });
      expect((await terminal().capture("%0", PLAIN)).text).not.toContain("y");
      const opened = await terminal().open({});
      expect((await terminal().send(opened.pane, [{ text: "y" }])).pane).toBe(opened.pane);
      await backend.close();
    }
    expect([runsBelow(process.pid), runsBelow(process.ppid)]).toEqual([true, true]);
    expect(runsBelow(Number(tmux("list-panes", "-t", "work", "-F", "#{pane_pid}")))).toBe(false);
  });

  it("starts in a directory whose name is a format of tmux, and executes nothing", async () => {
    const place = testPlace();
    closing.push(place.remove);
    const cwd = `${place.directory}/#(touch ${place.directory}/marked)/x`;
    mkdirSync(cwd, { recursive: true });
    const backend = withTmux(createLocalBackend({ cwd, home: place.home }), {
      run: (argv) => argv,
      paneShell: PANE_SHELLS.bash,
    });
    closing.push(() => backend.close());
    const panes = [{ id: "*", actions: PANE_ACTIONS }];
    const terminal = bindAll({ backend, clock: systemClock }, { panes }).terminal!;
    await terminal.send(DEFAULT_PANE, [{ text: `pwd > '${place.directory}/was'\n` }]);
    await until(() => existsSync(`${place.directory}/was`) && readFileSync(`${place.directory}/was`, "utf8") !== "");
    expect(readFileSync(`${place.directory}/was`, "utf8")).toBe(`${cwd}\n`);
    expect(existsSync(`${place.directory}/marked`)).toBe(false);
  });

  it("says what is missing", async () => {
    const noTmux = open({ run: (argv) => ["env", "PATH=/nonexistent", "/bin/sh", ...argv.slice(1)] });
    await expect(noTmux.terminal().list()).rejects.toMatchObject({ code: "BACKEND_UNSUPPORTED" });
    const local = createLocalBackend();
    const sandboxed = { ...local, flags: { ...local.flags, sandbox: true } };
    expect(() => withTmux(sandboxed, { run: (argv) => argv })).toThrow("outside of the sandbox");
    expect(() => withTmux(local, { run: (argv) => argv, session: "-t:x" })).toThrow("is not a session name");
    const { TMUX_PANE } = process.env;
    delete process.env.TMUX_PANE;
    try {
      expect(() => withTmux(local, { run: (argv) => argv, current: true })).toThrow("$TMUX_PANE is not set");
    } finally {
      if (TMUX_PANE !== undefined) process.env.TMUX_PANE = TMUX_PANE;
    }
  });
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
