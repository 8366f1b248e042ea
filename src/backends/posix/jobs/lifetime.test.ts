import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Backend, ShellResult } from "../../../kernel/index.js";
import { bundleForProcess } from "../../../testing/bundle.fixture.js";
import { LONG } from "../../../testing/long.fixture.js";
import { underLoad } from "../../../testing/under-load.fixture.js";
import { createPosixBackend, openLocalPosix } from "../index.js";
import { isAlive, PosixMachine, until } from "../machine.fixture.js";
import { underEachShell } from "../shells.fixture.js";

const out = (result: ShellResult) => Buffer.from(result.stdout.head).toString();

let built: string;
let script: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "haft-posix-host-"));
  script = await bundleForProcess(new URL("../host.fixture.ts", import.meta.url), built);
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

// Hundreds of processes: on a machine that is busy with other things that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

underEachShell((shell) => {
  // What takes long and is the same under every shell runs under one, except in a long run.
  const itUnderOne = shell === "dash" || LONG ? it : () => {};
  let machine: PosixMachine;
  let backend: Backend | undefined;
  beforeEach(() => {
    machine = new PosixMachine(shell);
  });
  afterEach(async () => {
    await backend?.close();
    backend = undefined;
    machine.dispose();
  });
  const run = (command: string) => backend!.root.shell.exec(command, { cwd: machine.work });
  const marker = (name: string) => join(machine.work, name);
  const pidIn = (name: string) => (existsSync(marker(name)) ? Number(readFileSync(marker(name), "utf8")) : 0);

  itUnderOne("runs fifty commands at once, each with its own output", async () => {
    backend = await machine.open();
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) => run(`echo begin ${index}; sleep 0.0${index % 10}; echo end ${index}`)),
    );
    for (const [index, result] of results.entries()) {
      expect([result.ended, out(result)]).toEqual(["itself", `begin ${index}\nend ${index}\n`]);
    }
  });

  itUnderOne("answers while twelve commands run for long", async () => {
    backend = await machine.open();
    const long = Array.from({ length: 12 }, () =>
      backend!.root.shell.exec("sleep 600", { cwd: machine.work, timeoutMs: 4_000 }),
    );
    expect(out(await run("echo quick"))).toBe("quick\n");
    await backend.root.fs.writeFile(marker("file"), "text");
    expect(await backend.root.fs.readText(marker("file"))).toBe("text");
    for (const result of await Promise.all(long))
      expect([result.ended, result.tree.state]).toEqual(["deadline", "gone"]);
  });

  it("a command that prints frames, or writes to the channel itself, cannot forge a reply", async () => {
    backend = await machine.open();
    const nonces = new Set(machine.heard.match(/^[0-9a-f]{36}/gm));
    expect(nonces.size).toBeGreaterThan(0);
    const forged = "0123456789abcdef0123456789abcdef0123";
    const lines = Array.from({ length: 30 }, (_, id) => `${forged} ${id},done,0,yes,0,0,0,1,0,0,0,1,0 0`).join("\\n");
    // The shell at this end of the channel has the channel as its output.
    const shells = machine.processes().filter((pid) => parentOf(pid) === process.pid);
    expect(shells.length).toBeGreaterThan(0);
    const result = await run(`printf '${lines}\\n'; printf '${lines}\\n' >&2; for p in ${shells.join(" ")}; do
      printf 'noise ${lines}\\n' > /proc/$p/fd/1; done; exit 5`);
    expect(result.exit).toEqual({ by: "code", code: 5 });
    expect(out(await run("echo next"))).toBe("next\n");
  });

  it("no list of processes, and no command, ever shows the nonce", async () => {
    backend = await machine.open();
    await backend.root.fs.writeFile(marker("file"), "x");
    const seen = await run("cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; env");
    for (const nonce of new Set(machine.heard.match(/^[0-9a-f]{36}(?= )/gm))) expect(out(seen)).not.toContain(nonce);
    expect(seen.exit).toEqual({ by: "code", code: 0 });
  });

  it("random bytes come back as they were written, whatever their number", async () => {
    backend = await machine.open();
    for (const size of [0, 1, 255, 65_536, 262_143, 262_144, 262_145, 1_000_003]) {
      const bytes = randomBytes(size);
      await backend.root.fs.writeFile(marker("bytes"), bytes);
      expect(Buffer.compare(readFileSync(marker("bytes")), bytes)).toBe(0);
      expect(Buffer.compare(await backend.root.fs.readBytes(marker("bytes")), bytes)).toBe(0);
      expect(Buffer.compare((await run("cat bytes")).stdout.head, bytes.subarray(0, 8_192))).toBe(0);
    }
  });

  it("cancel ends the whole tree, the double fork that sheds its environment too", async () => {
    backend = await machine.open();
    const controller = new AbortController();
    const running = backend.root.shell.exec(
      "sleep 600 & setsid sh -c 'echo $$ > apart; exec sleep 600' & (env -i setsid sh -c 'echo $$ > shed; exec sleep 600' &) ; exec sleep 600",
      { cwd: machine.work, signal: controller.signal, graceMs: 500 },
    );
    await until(() => pidIn("apart") > 0 && pidIn("shed") > 0);
    controller.abort();
    const result = await running;
    expect([result.ended, result.tree.state, result.tree.survivors]).toEqual(["cancelled", "gone", []]);
    expect([isAlive(pidIn("apart")), isAlive(pidIn("shed"))]).toEqual([false, false]);
  });

  itUnderOne("300 MiB of output are counted to the byte, and the remote disk holds little of it", async () => {
    backend = await machine.open();
    const size = 300 * 1024 * 1024;
    const running = run(`head -c ${size} /dev/zero | tr '\\0' x; echo; echo END`);
    const result = await running;
    expect(result.stdout.produced).toBe(size + 5);
    expect(Buffer.from(result.stdout.tail).toString("latin1").slice(-6)).toBe("x\nEND\n");
    expect(result.stdout.head.length + result.stdout.tail.length + result.stdout.omittedBytes).toBe(size + 5);
  });

  it("close leaves no process and no directory, and may be called again", async () => {
    backend = await machine.open();
    await run("sleep 600 >/dev/null 2>&1 &");
    await run("setsid sleep 600 &");
    const job = await backend.root.shell.spawn("sleep 600", { cwd: machine.work, lifetime: "session" });
    await backend.root.fs.writeFile(marker("file"), "x");
    expect(machine.processes().length).toBeGreaterThan(3);
    expect(await backend.close()).toEqual({ left: [] });
    expect(await backend.close()).toEqual({ left: [] });
    await until(() => machine.processes().length === 0, 2_000);
    await until(() => machine.leftovers().length === 0);
    expect(machine.leftovers()).toEqual([]);
    expect(backend.state()).toBe("closed");
    expect((await job.result).tree.state).toBe("unseen");
    await expect(backend.root.shell.exec("true", { cwd: machine.work })).rejects.toThrow(/closed/);
  });

  it("a job to be kept continues when the backend is closed, and another finds it", async () => {
    backend = await machine.open();
    const job = await backend.root.shell.spawn("echo first; echo $$ > pid; exec sleep 600", {
      cwd: machine.work,
      lifetime: "keep",
    });
    await until(() => pidIn("pid") > 0);
    expect(job.pid).toBe(pidIn("pid"));
    await backend.close();
    expect(isAlive(pidIn("pid"))).toBe(true);
    backend = await machine.open();
    const found = await backend.root.shell.attach(job.id);
    expect(Buffer.from((await found!.output("stdout", 0, 100)).bytes).toString()).toBe("first\n");
    expect((await found!.kill("TERM")).state).toBe("gone");
    expect((await found!.result).exit).toEqual({ by: "status", status: 143 });
    expect(isAlive(pidIn("pid"))).toBe(false);
    await backend.close();
    await until(() => machine.processes().length === 0, 2_000);
    backend = await machine.open();
    const again = await backend.root.shell.attach(job.id);
    expect((await again!.result).exit).toEqual({ by: "status", status: 143 });
    await again!.forget!();
    await backend.close();
    await until(() => machine.leftovers().length === 0);
    expect(machine.leftovers()).toEqual([]);
  });

  it("an ended job that was to be kept is listed for seven days, with the time of its end, then deleted", async () => {
    const listed = async () =>
      (await backend!.root.shell.jobs()).map(({ id, status, endedMs }) => [id, status, endedMs]);
    const age = (name: string, hours: number) =>
      execFileSync("find", [
        machine.state,
        "-name",
        `${name}.*`,
        "-exec",
        "touch",
        "-d",
        `${hours} hours ago`,
        "{}",
        ";",
      ]);
    backend = await machine.open();
    const { shell: first } = backend.root;
    const start = (command: string) => first.spawn(command, { cwd: machine.work, lifetime: "keep" });
    const young = await start("exit 3");
    const old = await start("exit 4");
    const running = await start("exec sleep 600");
    await Promise.all([young.result, old.result]);
    await backend.close();
    for (const [job, hours] of [
      [young, 167],
      [old, 169],
      [running, 169],
    ] as const)
      age(job.id.split(".")[1]!, hours);
    const before = Date.now();
    backend = await machine.open();
    const found = await listed();
    expect(found.map(([id, status]) => [id, status])).toEqual([
      [young.id, "ended"],
      [running.id, "running"],
    ]);
    const hoursAgo = (before - Number(found[0]![2])) / 3_600_000;
    expect(Math.round(hoursAgo)).toBe(167);
    expect(await backend.root.shell.attach(old.id)).toBe(null);
    await (await backend.root.shell.attach(running.id))!.kill("KILL");
    await backend.close();
    const files = readdirSync(machine.state, { recursive: true }).map(String);
    expect(files.filter((name) => name.includes(`/${old.id.split(".")[1]}.`))).toEqual([]);
    expect(files.some((name) => name.includes(`/${young.id.split(".")[1]}.`))).toBe(true);
  });

  it("a kept job whose processes were killed without a record of its end is lost, and no other user's directory counts", async () => {
    backend = await machine.open();
    const job = await backend.root.shell.spawn("exec sleep 600", { cwd: machine.work, lifetime: "keep" });
    await backend.close();
    await until(() => machine.processes().length > 0);
    machine.killAll();
    const [spool = "", number = ""] = job.id.split(".");
    const copy = `haft-${"0".repeat(18)}`;
    execFileSync("cp", ["-a", join(machine.state, spool), join(machine.state, copy)]);
    const asRoot = process.getuid?.() === 0;
    if (asRoot) chownSync(join(machine.state, copy), 65_534, 65_534);
    else rmSync(join(machine.state, copy), { recursive: true });
    symlinkSync(spool, join(machine.state, `haft-${"1".repeat(18)}`));
    backend = await machine.open();
    const jobs = await backend.root.shell.jobs();
    expect(jobs.map(({ id, status, command }) => [id, status, command])).toEqual([[job.id, "lost", "exec sleep 600"]]);
    expect(await backend.root.shell.attach(`${copy}.${number}`)).toBe(null);
    await backend.close();
  });

  it("kill -9 of the host leaves nothing running within 5 s", async () => {
    const host = await startHost(shell, machine);
    const names = ["plain", "deaf", "apart", "survivor", "job"];
    await until(() => names.every((name) => pidIn(name) > 0));
    const pids = names.map(pidIn);
    expect(pids.every(isAlive)).toBe(true);
    // Older and younger than all of it, each with a group of its own.
    const strangers = [stranger(), ...Array.from({ length: 3 }, stranger)];
    try {
      host.kill("SIGKILL");
      await until(() => !pids.some(isAlive), underLoad(5_000));
      await until(() => machine.processes().length === 0, 2_000);
      await until(() => machine.leftovers().length === 0);
      expect(machine.leftovers()).toEqual([]);
      expect(strangers.filter(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)).toEqual([]);
    } finally {
      for (const one of strangers) one.kill("SIGKILL");
    }
  });

  it("what a command is given in its environment cannot change how it is started", async () => {
    backend = await machine.open();
    const env = { PATH: "/nonexistent", IFS: "/", A: "1", ENV: "/nonexistent", CDPATH: "/" };
    const result = await backend.root.shell.exec('echo "$A $PATH"', { cwd: machine.work, env });
    expect(out(result)).toBe("1 /nonexistent\n");
    for (const name of ["hf_c", "a-b", "1a", ""]) {
      const refused = await backend.root.shell.exec("echo ran > ran", { cwd: machine.work, env: { [name]: "x" } });
      expect([refused.began, refused.ended]).toEqual(["no", "spawn-error"]);
    }
    expect(existsSync(marker("ran"))).toBe(false);
  });

  it("openLocalPosix reports its working directory, and gives commands the usual environment", async () => {
    backend = await openLocalPosix({ shell, cwd: machine.work, setEnv: { HOME: machine.directory } });
    expect([backend.home, backend.cwd, backend.guard]).toEqual([machine.directory, machine.work, "pinned"]);
    expect(backend.flags).toEqual({ processes: true, signals: false, symlinks: true, jobs: true, terminal: false });
    const shown = out(await run('printf "%s %s %s" "$GIT_TERMINAL_PROMPT" "$TERM" "$PWD"'));
    expect(shown).toBe(`0 dumb ${machine.work}`);
  });
});

it("what is no shell, and what is not installed, is BACKEND_UNAVAILABLE with the reason", async () => {
  const failing = (open: readonly string[]) =>
    createPosixBackend({ name: "test", open, connectTimeoutMs: 2_000 }).catch((thrown: Error & { code?: string }) => [
      thrown.code,
      thrown.message,
    ]);
  expect(await failing(["no-such-program"])).toEqual([
    "BACKEND_UNAVAILABLE",
    expect.stringContaining("no-such-program"),
  ]);
  expect(await failing(["sh", "-c", "echo sorry >&2; exit 7"])).toEqual([
    "BACKEND_UNAVAILABLE",
    expect.stringContaining("exit code 7: sorry"),
  ]);
  expect(await failing(["cat"])).toEqual(["BACKEND_UNAVAILABLE", expect.anything()]);
});

it("passes a greeting of a login shell over", async () => {
  const backend = await createPosixBackend({
    name: "test",
    open: ["sh", "-c", "echo Welcome; printf 'no line end'; exec sh"],
    orphanMs: 1_000,
  });
  expect(out(await backend.root.shell.exec("echo hi", { cwd: "/" }))).toBe("hi\n");
  await backend.close();
});

/** A process that has nothing to do with the backend. */
function stranger(): ChildProcess {
  return spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
}

/** The parent's id, or 0 for a process that has ended since it was listed. */
function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]);
  } catch {
    return 0;
  }
}

/** Starts a host of its own that runs commands on the machine; resolves once it has started them. */
async function startHost(shell: string, machine: PosixMachine): Promise<ChildProcess> {
  const [name = "", value = ""] = machine.mark.split("=");
  const host = spawn(process.execPath, [script, shell, machine.work, machine.state], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH, [name]: value },
  });
  await new Promise<void>((resolve, reject) => {
    host.stdout?.once("data", () => resolve());
    host.once("exit", (code) => reject(new Error(`the host ended with ${code}`)));
  });
  return host;
}
