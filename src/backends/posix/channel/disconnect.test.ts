import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Backend, HaftError, type ShellResult } from "../../../kernel/index.js";
import { isAlive, PosixMachine, pause, until } from "../machine.fixture.js";
import { underOneShell } from "../shells.fixture.js";

/** In what steps Linux counts the start of a process (proc(5): USER_HZ is 100 a second). */
const TICK_MS = 10;

/** Milliseconds that the remote side waits where it is to be found again: on a busy machine a new channel takes seconds. */
const TAKEN_OVER_MS = 20_000;

/** Field 22 of /proc/PID/stat, of a process whose name has no space. */
const startOf = (pid = 0) => readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[21];

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

// Hundreds of processes: on a machine that is busy with other things that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

underOneShell((shell) => {
  let machine: PosixMachine;
  beforeEach(() => {
    machine = new PosixMachine(shell);
  });
  afterEach(() => machine.dispose());

  const marker = (name: string) => join(machine.work, name);
  const linesOf = (name: string) =>
    existsSync(marker(name)) ? readFileSync(marker(name), "utf8").split("\n").length - 1 : 0;

  it("a command that continues is waited for, and gives its result once", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS });
    const heard: string[] = [];
    const running = backend.root.shell.exec(
      "echo x >> runs; echo out; until [ -e go ]; do sleep 0.05; done; echo end; exit 4",
      {
        cwd: machine.work,
        onOutput: (_, bytes) => void heard.push(text(bytes)),
      },
    );
    await until(() => linesOf("runs") === 1);
    const before = machine.opened;
    machine.cut();
    await until(() => machine.opened > before && backend.state() === "open");
    // Also a second time.
    machine.cut();
    await until(() => machine.opened > before + 1 && backend.state() === "open");
    writeFileSync(marker("go"), "");
    const result = await running;
    expect([result.began, result.ended, result.exit]).toEqual(["yes", "itself", { by: "code", code: 4 }]);
    expect([text(result.stdout.head), heard.join(""), linesOf("runs")]).toEqual(["out\nend\n", "out\nend\n", 1]);
    expect(result.tree.state).toBe("gone");
    await backend.close();
  });

  it("a deadline ends a command that continues without its channel", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS });
    const controller = new AbortController();
    const { signal } = controller;
    const running = backend.root.shell.exec("echo out; echo $$ > pid; exec sleep 600", { cwd: machine.work, signal });
    await until(() => linesOf("pid") === 1);
    const before = machine.opened;
    machine.cut();
    await until(() => machine.opened > before && backend.state() === "open");
    controller.abort();
    const result = await running;
    expect([result.began, result.ended, result.tree.state]).toEqual(["yes", "cancelled", "gone"]);
    expect(text(result.stdout.head)).toBe("out\n");
    expect(isAlive(Number(readFileSync(marker("pid"), "utf8")))).toBe(false);
    await backend.close();
  });

  it("a deadline ends a call whose command has exited and whose output is asked for on a silent line", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS });
    const controller = new AbortController();
    const command = "sleep 600 & echo $! > pid; until [ -e go ]; do sleep 0.02; done";
    const options = { cwd: machine.work, signal: controller.signal, graceMs: 100 };
    const running = backend.root.shell.exec(command, options);
    await until(() => linesOf("pid") === 1);
    machine.hold();
    writeFileSync(marker("go"), "");
    // The exit of the leader arrives; the question for its output does not leave.
    await until(() => / \d+,exit,0 /.test(machine.heard));
    await pause(1_000);
    controller.abort();
    expect((await running).ended).toBe("cancelled");
    machine.release();
    await backend.close();
  });

  it("a deadline does not wait for a line that is silent", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS });
    const command = { cwd: machine.work, graceMs: 60_000 };
    const controller = new AbortController();
    const running = backend.root.shell.exec("echo $$ > pid; exec sleep 600", { ...command, signal: controller.signal });
    await until(() => linesOf("pid") === 1);
    machine.isMute = true;
    const before = machine.opened;
    controller.abort();
    const result = await running;
    expect([result.began, result.ended, result.tree.state]).toEqual(["unknown", "cancelled", "unseen"]);
    // It did not wait for the end of the channel.
    expect([machine.opened, backend.state()]).toEqual([before, "open"]);
    machine.isMute = false;
    machine.cut();
    await backend.root.shell.exec("true", { cwd: machine.work });
    await backend.close();
  });

  it("a deadline on a silent line is answered before the channel counts as lost, for a command and for a read", async () => {
    // Nothing else ends the wait: the channel counts as lost after a minute of silence.
    const backend = await machine.open({ leaseMs: 120_000 });
    const { shell, fs } = backend.root;
    await fs.writeFile(marker("file"), "text");
    const limit = { timeoutMs: 1_000 };
    machine.isMute = true;
    const [command, read] = await Promise.all([
      shell.exec("exec sleep 600", { ...limit, cwd: machine.work }),
      fs.readText(marker("file"), limit).catch((thrown: unknown) => thrown),
    ]);
    expect([command.ended, command.tree.state]).toEqual(["deadline", "unseen"]);
    expect(read).toMatchObject({ code: expect.any(String), message: expect.stringContaining("1000 ms") });
    machine.isMute = false;
    machine.cut();
    await backend.close();
  });

  it("a caller that stops waiting on a silent line costs other callers nothing", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS, maxBulkChannels: 1 });
    const { fs } = backend.root;
    await fs.writeFile(marker("file"), "old");
    machine.hold();
    const read = fs.readText(marker("file"), { timeoutMs: 200 }).catch((thrown: unknown) => thrown);
    const write = fs.writeFile(marker("file"), "new");
    expect(HaftError.is(await read)).toBe(true);
    // Longer than a channel is given that hangs.
    await pause(4_000);
    machine.release();
    await write;
    expect(await fs.readText(marker("file"))).toBe("new");
    await backend.close();
  });

  /** A command that has printed "out", which has arrived, on a line that is silent from now on. */
  const silenced = async (backend: Backend, signal?: AbortSignal) => {
    let heard = "";
    const onOutput = (_: string, bytes: Uint8Array) => {
      heard += text(bytes);
    };
    const options = { cwd: machine.work, onOutput, ...(signal === undefined ? {} : { signal }) };
    const running = backend.root.shell.exec("echo out; exec sleep 600", options);
    await until(() => heard === "out\n");
    machine.isMute = true;
    return { running };
  };

  it("the reason of a silent line is that it was silent, and what had arrived is in the result", async () => {
    const backend = await machine.open({ leaseMs: 2_000 });
    const { running } = await silenced(backend);
    machine.delay = "never";
    const { began, problem, stdout } = await running;
    expect([began, problem]).toEqual(["yes", "no data arrived for 1 s"]);
    expect([text(stdout.head), stdout.produced, stdout.final]).toEqual(["out\n", 4, false]);
    await until(() => machine.processes().length === 0);
    await backend.close();
  });

  it("what is cancelled on a silent line has the output that had arrived", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS });
    const controller = new AbortController();
    const { running } = await silenced(backend, controller.signal);
    controller.abort();
    const { began, ended, stdout, tree } = await running;
    expect([began, ended, tree.state, text(stdout.head)]).toEqual(["yes", "cancelled", "unseen", "out\n"]);
    machine.isMute = false;
    machine.cut();
    await backend.root.shell.exec("true", { cwd: machine.work });
    await backend.close();
  });

  it("closing after a cut leaves no shells that wait for a new channel", async () => {
    const backend = await machine.open({ orphanMs: 3_600_000 });
    machine.cut();
    await backend.root.shell.exec("true", { cwd: machine.work });
    await backend.close();
    await until(() => machine.processes().length === 0);
    expect(machine.leftovers()).toEqual([]);
  });

  it("a job whose shell was killed with it is lost, and does not run for ever", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS });
    const job = await backend.root.shell.spawn("echo out; echo $PPID $$ > pids; exec sleep 600", {
      cwd: machine.work,
      lifetime: "host",
    });
    await until(() => linesOf("pids") === 1);
    for (const pid of readFileSync(marker("pids"), "utf8").trim().split(" ")) process.kill(Number(pid), "SIGKILL");
    const result = await job.result;
    expect([result.ended, result.exit, result.tree.state]).toEqual(["channel-lost", { by: "none" }, "gone"]);
    expect(text(result.stdout.head)).toBe("out\n");
    expect((await backend.root.shell.jobs({ id: job.id })).map((one) => one.status)).toEqual(["lost"]);
    await backend.close();
  });

  it("a command that ends before the new channel is there gives its result", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS });
    const running = backend.root.shell.exec("echo begun > pid; sleep 0.2; echo out; echo err >&2; exit 4", {
      cwd: machine.work,
    });
    await until(() => linesOf("pid") === 1);
    machine.delay = 700;
    machine.cut();
    const result = await running;
    expect([result.began, result.ended, result.exit]).toEqual(["yes", "itself", { by: "code", code: 4 }]);
    expect([text(result.stdout.head), text(result.stderr.head)]).toEqual(["out\n", "err\n"]);
    await backend.close();
  });

  it("a command is never run twice, wherever the line is cut", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS });
    for (let round = 0; round < 12; round += 1) {
      const name = `runs-${round}`;
      const running = backend.root.shell.exec(`echo x >> ${name}`, { cwd: machine.work });
      // Nowhere in particular: before it leaves, on its way, while it runs, on the way back.
      await pause(round * 1.5);
      machine.cut();
      const { began, ended } = await running;
      await until(() => machine.processes().length > 0);
      const runs = linesOf(name);
      if (ended === "itself") expect([began, runs]).toEqual(["yes", 1]);
      else if (began === "no") expect(runs).toBe(0);
      else expect(runs).toBeLessThanOrEqual(1);
    }
    expect((await backend.root.shell.exec("echo alive", { cwd: machine.work })).ended).toBe("itself");
    await backend.close();
  });

  it("a command that could not leave is reported as not begun, with the reason", async () => {
    const backend = await machine.open();
    machine.cut();
    machine.delay = "never";
    await until(() => backend.state() === "reconnecting");
    const failed = await backend.root.shell
      .exec("echo x > ran", { cwd: machine.work })
      .catch((thrown: unknown) => thrown);
    expect(HaftError.is(failed, "BACKEND_UNAVAILABLE")).toBe(true);
    expect(existsSync(marker("ran"))).toBe(false);
    machine.delay = 0;
    expect((await backend.root.shell.exec("true", { cwd: machine.work })).ended).toBe("itself");
    await backend.close();
  });

  it("reads survive disconnects, and a write is whole, refused, or reported as uncertain", async () => {
    const backend = await machine.open({ orphanMs: TAKEN_OVER_MS });
    const { fs } = backend.root;
    const file = marker("file");
    const versions = ["old", "new"].map((word) => word.repeat(40_000));
    await fs.writeFile(file, versions[0]!);
    for (let round = 0; round < 8; round += 1) {
      const read = fs.readText(file);
      const write = fs.writeFile(file, versions[round % 2]!).then(
        () => "done",
        (thrown: unknown) => (HaftError.is(thrown) ? thrown.code : thrown),
      );
      await pause(round * 2);
      machine.cut();
      expect(versions).toContain(await read);
      expect(["done", "BACKEND_UNAVAILABLE"]).toContain(await write);
      expect(versions).toContain(await fs.readText(file));
    }
    await backend.close();
  });

  it("a command that is not taken over ends by itself, also when it ignores TERM, and leaves nothing", async () => {
    const backend = await machine.open();
    const commands = [
      "trap '' TERM; echo $$ > deaf; while :; do sleep 0.1; done",
      "setsid sh -c 'echo $$ > apart; exec sleep 600' & exec sleep 600",
      "env -i sh -c 'echo $$ > bare; exec sleep 600' & exec sleep 600",
    ];
    const running = commands.map((command) => backend.root.shell.exec(command, { cwd: machine.work }));
    const survivor: ShellResult = await backend.root.shell.exec("(echo $$ > left; exec sleep 600) >/dev/null 2>&1 &", {
      cwd: machine.work,
    });
    expect(survivor.tree.state).toBe("alive");
    await until(() => ["deaf", "apart", "bare", "left"].every((name) => linesOf(name) === 1));
    machine.delay = "never";
    machine.cut();
    for (const result of await Promise.all(running)) {
      expect([result.ended, result.began, result.tree.state]).toEqual(["channel-lost", "unknown", "unseen"]);
    }
    await until(() => machine.processes().length === 0);
    await until(() => machine.leftovers().length === 0);
    expect(machine.leftovers()).toEqual([]);
    await backend.close();
  });

  it("a number that a stranger was given meanwhile ends the command, and not the stranger", async () => {
    const backend = await machine.open();
    const running = backend.root.shell.exec("echo $$ > pid; exec sleep 600", { cwd: machine.work });
    await until(() => linesOf("pid") === 1);
    const files = readdirSync(machine.state, { recursive: true, encoding: "utf8" });
    const records = files.filter((name) => name.endsWith(".r")).map((name) => join(machine.state, name));
    const leader = /^p (\d+) (\d+)$/m;
    const path = records.find((record) => leader.test(readFileSync(record, "utf8"))) ?? "";
    const [, pid, start] = leader.exec(readFileSync(path, "utf8")) ?? [];
    expect([pid, start]).toEqual([readFileSync(marker("pid"), "utf8").trim(), expect.stringMatching(/^\d+$/)]);
    // A number comes round again only after all the others: never within the tick in which the command began.
    await pause(2 * TICK_MS);
    const stranger = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    expect(Number(startOf(stranger.pid))).toBeGreaterThan(Number(start));
    writeFileSync(path, readFileSync(path, "utf8").replace(leader, `p ${stranger.pid} ${start}`));
    machine.delay = "never";
    machine.cut();
    expect((await running).ended).toBe("channel-lost");
    await until(() => machine.processes().length === 0);
    await until(() => machine.leftovers().length === 0);
    expect([isAlive(Number(pid)), stranger.signalCode]).toEqual([false, null]);
    stranger.kill("SIGKILL");
    await backend.close();
  });

  it("a line that is silent for the lease counts as cut on the remote side", async () => {
    const backend = await machine.open({ leaseMs: 3_000 });
    const running = backend.root.shell.exec("echo $$ > pid; exec sleep 600", { cwd: machine.work });
    await until(() => linesOf("pid") === 1);
    machine.isMute = true;
    machine.delay = "never";
    await until(() => !isAlive(Number(readFileSync(marker("pid"), "utf8"))), 15_000);
    await until(() => machine.processes().length === 0);
    await until(() => machine.leftovers().length === 0);
    expect(machine.leftovers()).toEqual([]);
    machine.isMute = false;
    machine.delay = 0;
    machine.cut();
    // What the remote side said of its end may still have come.
    expect(["itself", "channel-lost"]).toContain((await running).ended);
    expect((await backend.root.shell.exec("true", { cwd: machine.work })).ended).toBe("itself");
    await backend.close();
  });
});
