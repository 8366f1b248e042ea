import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Backend, HaftError, type ShellOptions, type ShellResult } from "../../../kernel/index.js";
import { skipTest } from "../../../testing/services.fixture.js";
import { mountSmallDisk } from "../fs/small-disk.fixture.js";
import { createPosixBackend, openLocalPosix } from "../index.js";
import { isAlive, PosixMachine, pause, until } from "../machine.fixture.js";
import { ARGV, underOneShell } from "../shells.fixture.js";

const out = (result: ShellResult) => Buffer.from(result.stdout.head).toString();

// Hundreds of processes: on a machine that is busy with other things that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

underOneShell((shell) => {
  let machine: PosixMachine;
  let backend: Backend;
  beforeEach(() => {
    machine = new PosixMachine(shell);
  });
  afterEach(async () => {
    await backend?.close();
    machine.dispose();
  });
  const run = (command: string, options: Partial<ShellOptions> = {}) =>
    backend.root.shell.exec(command, { cwd: machine.work, ...options });
  const isLeftAlone = async () => {
    await backend.close();
    await until(() => machine.processes().length === 0);
    await until(() => machine.leftovers().length === 0);
  };

  it("a command that writes over what the remote side has noted costs at most that channel", async () => {
    backend = await machine.open();
    const spool = `${machine.state}/haft-*`;
    const attacks = [
      `: > $(echo ${spool}/gen)`,
      `echo 999999 > $(echo ${spool}/gen)`,
      `for f in ${spool}/*; do [ ! -f $f ] || : > $f; done`,
      `rm -rf ${spool}`,
    ];
    for (const attack of attacks) {
      await run(attack, { timeoutMs: 10_000 });
      // Then the next command goes to the same remote shell.
      await pause(100);
      const next = await run("echo ok", { timeoutMs: 10_000 });
      expect([attack, next.ended, out(next)]).toEqual([attack, "itself", "ok\n"]);
    }
  });

  it("a command whose remote shell was killed or stopped settles without a deadline", async () => {
    backend = await machine.open({ leaseMs: 3_000 });
    const killed = await run("kill -9 $PPID; echo x");
    expect([killed.began, killed.ended, out(killed)]).toEqual(["yes", "channel-lost", "x\n"]);
    const left = await run("kill -9 $PPID; echo $$; exec sleep 600");
    expect([left.ended, left.tree.state]).toEqual(["channel-lost", "alive"]);
    const job = await backend.root.shell.attach(left.job ?? "");
    expect((await job?.kill("KILL"))?.state).toBe("gone");
    expect(isAlive(Number(out(left)))).toBe(false);
    const stopped = await run("kill -STOP $PPID; echo x");
    expect([stopped.ended, stopped.exit, out(stopped)]).toEqual(["itself", { by: "code", code: 0 }, "x\n"]);
    await isLeftAlone();
  });

  it("more remote shells may be killed than there may ever be at once", async () => {
    backend = await machine.open({ leaseMs: 1_500, maxCommands: 5 });
    for (let round = 0; round < 11; round += 1) {
      const killed = await run("kill -9 $PPID; echo x", { timeoutMs: 20_000 });
      expect([round, killed.began, killed.ended]).toEqual([round, "yes", "channel-lost"]);
    }
    expect(out(await run("echo ok", { timeoutMs: 20_000 }))).toBe("ok\n");
    await isLeftAlone();
  });

  it("a command can be ended also when all remote shells but its own were killed", async () => {
    backend = await machine.open({ leaseMs: 1_500, maxCommands: 5 });
    const controller = new AbortController();
    const long = run("exec sleep 600", { signal: controller.signal, graceMs: 500 });
    await Promise.all(Array.from({ length: 9 }, () => run("kill -9 $PPID", { timeoutMs: 20_000 })));
    controller.abort();
    expect([(await long).ended, (await long).tree.state]).toEqual(["cancelled", "gone"]);
    await isLeftAlone();
  });

  it("commands are ended at their deadline also when as many run as may", async () => {
    backend = await machine.open({ maxCommands: 5 });
    const results = await Promise.all(
      Array.from({ length: 7 }, () => run("exec sleep 600", { timeoutMs: 1_500, graceMs: 500 })),
    );
    expect(results.map(({ ended, tree }) => [ended, tree.state])).toEqual(results.map(() => ["deadline", "gone"]));
    expect(results.filter(({ began }) => began === "no").length).toBe(2);
    expect(out(await run("echo ok"))).toBe("ok\n");
  });

  it("a command that has no time left, or is ended while a channel is opened, never begins", async () => {
    backend = await machine.open();
    const late = await run("echo x > ran", { timeoutMs: 0 });
    expect([late.began, late.ended]).toEqual(["no", "deadline"]);
    machine.delay = 800;
    machine.cut();
    await until(() => backend.state() !== "open");
    const ended = await run("echo x > ran", { timeoutMs: 100, graceMs: 100 });
    expect([ended.began, ended.ended]).toEqual(["no", "deadline"]);
    machine.delay = 0;
    expect(out(await run("ls"))).toBe("");
  });

  it("a job whose directory is gone ends, as lost", async () => {
    backend = await machine.open({ orphanMs: 200 });
    const job = await backend.root.shell.spawn("sleep 600", { cwd: machine.work, lifetime: "session" });
    machine.delay = "never";
    machine.cut();
    await until(() => machine.leftovers().length === 0);
    machine.delay = 0;
    await run("true");
    const result = await job.result;
    expect([result.ended, result.tree.state, result.problem]).toEqual([
      "channel-lost",
      "unseen",
      "the remote side has no record of it",
    ]);
    expect((await job.output("stdout", 0, 10)).ended).toBe(true);
  });

  it("what others leave of ended jobs takes no place from that of its own", async () => {
    backend = await machine.open();
    const own = await backend.root.shell.spawn("exit 7", { cwd: machine.work, lifetime: "session" });
    await own.result;
    const other = await machine.open();
    const keep = { cwd: machine.work, lifetime: "keep" } as const;
    await Promise.all(Array.from({ length: 104 }, async () => (await other.root.shell.spawn("true", keep)).result));
    const [first, ...others] = await backend.root.shell.jobs();
    expect([first?.id, others.length]).toEqual([own.id, 104]);
    // The files of what is forgotten are removed a moment later.
    await pause(500);
    expect((await (await backend.root.shell.attach(own.id))?.result)?.exit).toEqual({ by: "code", code: 7 });
    expect((await backend.root.shell.jobs()).length).toBe(105);
    await other.close();
  });

  it("a kept job is found whatever its command contains", async () => {
    backend = await machine.open();
    const command = "true '\u2028 \u2029 \r \n \u0085'";
    const { id } = await backend.root.shell.spawn(command, { cwd: machine.work, lifetime: "keep" });
    const other = await machine.open();
    expect((await other.root.shell.jobs()).map((job) => [job.id, job.command])).toEqual([[id, command]]);
    await other.close();
  });

  it("a command may take the permissions of its output from itself", async () => {
    const user = 65_534;
    const asUser = process.getuid?.() === 0 ? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"] : [];
    if (asUser.length > 0) for (const path of [machine.work, machine.directory]) chownSync(path, user, user);
    backend = await createPosixBackend({
      name: "test",
      open: [...asUser, ...ARGV[shell]],
      stateDir: join(machine.work, "state"),
      orphanMs: 1_000,
    });
    await run("true");
    expect((await run("exec chmod 400 /dev/stdout /dev/stderr")).exit).toEqual({ by: "code", code: 0 });
    // One of them has the shell of that command.
    for (let turn = 0; turn < 8; turn += 1) {
      const next = await run("echo next", { timeoutMs: 10_000 });
      expect([turn, next.ended, out(next)]).toEqual([turn, "itself", "next\n"]);
    }
  });

  it("numbers that no shell can count with are taken as whole ones", async () => {
    backend = await machine.open();
    const kept = async (head: number, tail: number) => {
      const result = await run("printf 0123456789", { keep: { head, tail }, timeoutMs: 10_000 });
      return [result.ended, out(result), Buffer.from(result.stdout.tail).toString(), result.stdout.omittedBytes];
    };
    expect(await kept(1.5, 2.5)).toEqual(["itself", "0", "89", 7]);
    expect(await kept(Number.NaN, -1)).toEqual(["itself", "", "", 10]);
    expect(await kept(Number.POSITIVE_INFINITY, 0)).toEqual(["itself", "0123456789", "", 0]);
    const job = await backend.root.shell.spawn("printf 0123456789", { cwd: machine.work, lifetime: "session" });
    await job.result;
    const output = async (from: number, max: number) => {
      const { bytes, next, droppedBytes } = await job.output("stdout", from, max);
      return [Buffer.from(bytes).toString(), next, droppedBytes];
    };
    expect(await output(1.5, 2.5)).toEqual(["12", 3, 0]);
    expect(await output(-5, 2)).toEqual(["01", 2, 0]);
    expect(await output(Number.NaN, Number.NaN)).toEqual(["", 0, 0]);
    expect(await output(8, Number.POSITIVE_INFINITY)).toEqual(["89", 10, 0]);
  });

  it("sees who holds a stream also where the directory for state is a symlink", async () => {
    mkdirSync(join(machine.directory, "real"));
    symlinkSync("real", join(machine.directory, "link"));
    backend = await machine.open({ stateDir: join(machine.directory, "link") });
    const result = await run("(env -i setsid sh -c 'exec sleep 600' &); echo ok");
    expect(result.tree.survivors.map(({ name, holds }) => [name, holds])).toEqual([["sleep", "stdout"]]);
    const [survivor] = result.tree.survivors;
    await backend.close();
    expect(isAlive(survivor!.pid)).toBe(false);
    expect(readdirSync(join(machine.directory, "real"))).toEqual([]);
  });

  it("what a start-up file puts in the place of tools, and its options, change nothing", async () => {
    const rc = join(machine.directory, "rc");
    const lines = ["set -eufC", "IFS=:", "alias ls='ls -F'", "alias cat='cat -n'", "alias printf=echo"];
    const tools = ["mv() { echo mv; }", "rm() { echo rm; }", "stat() { echo 99; }", 'cd() { command cd "$@" && ls; }'];
    writeFileSync(rc, `${[...lines, ...tools].join("\n")}\n`);
    backend = await createPosixBackend({
      name: "test",
      open: ["env", `ENV=${rc}`, ...ARGV[shell], "-i"],
      stateDir: machine.state,
      orphanMs: 1_000,
    });
    const { fs } = backend.root;
    const file = join(machine.work, "file");
    for (const text of ["abc", "abcd"]) await fs.writeFile(file, text);
    expect([await fs.readText(file), (await fs.stat(file)).size]).toEqual(["abcd", 4]);
    expect((await fs.readDir(machine.work)).children.map(({ name }) => name)).toEqual(["file"]);
    const result = await run("echo $0; exit 3");
    expect([result.exit, result.stderr.produced]).toEqual([{ by: "code", code: 3 }, 0]);
  });

  it("on a full disk a command is reported as not begun, or whole, or counted; and nothing hangs", async (context) => {
    const disk = mountSmallDisk(1_200);
    if (disk === undefined) return skipTest(context, "a small disk cannot be mounted here: that takes root");
    try {
      backend = await openLocalPosix({ shell, stateDir: disk.path });
      const limits = { timeoutMs: 20_000 };
      disk.fill();
      const filled = await run("echo ok", limits);
      if (filled.began === "no") expect(filled.problem).toMatch(/disk may be full/);
      else expect(filled.ended).toBe("itself");
      const refused = await backend.root.fs
        .writeFile(join(disk.path, "new"), "x".repeat(100_000))
        .catch((thrown) => thrown);
      expect(HaftError.is(refused, "FS_NO_SPACE")).toBe(true);
      rmSync(join(disk.path, "filler"));
      expect(out(await run("echo ok", limits))).toBe("ok\n");
      const much = await run("head -c 3000000 /dev/zero; exit 3", limits);
      expect([much.ended, much.exit]).toEqual(["itself", { by: "code", code: 3 }]);
      const { produced, omittedBytes: dropped, head, tail } = much.stdout;
      expect(head.length + tail.length + dropped).toBe(produced);
      const input = await run("cat > copy; wc -c < copy", { ...limits, input: new Uint8Array(3_000_000) });
      expect([input.began, input.ended]).toEqual(["no", "spawn-error"]);
      expect(existsSync(join(machine.work, "copy"))).toBe(false);
      // What the commands before have left there is removed a moment later.
      await until(async () => out(await run("echo ok", limits)) === "ok\n");
      await backend.close();
      expect(readdirSync(disk.path)).toEqual([]);
    } finally {
      disk.dispose();
    }
  });
});
