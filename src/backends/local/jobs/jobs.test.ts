import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ownHostIdentity, processStart } from "../../../host/index.js";
import type { ShellHandle } from "../../../kernel/index.js";
import { bundleForProcess } from "../../../testing/bundle.fixture.js";
import { underLoad } from "../../../testing/under-load.fixture.js";
import type { Launcher } from "../launcher.js";
import { createLocalBackend, type LocalBackend } from "../local-backend.js";
import { JobDirectory } from "./job-directory.js";
import { readJobRecord } from "./job-record.js";
import { JobStore } from "./job-store.js";

let built: string;
let script: string;
let base: string;
let directory: string;
let state: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "haft-jobs-host-"));
  script = await bundleForProcess(new URL("./jobs-host.fixture.ts", import.meta.url), built);
});
afterAll(() => rmSync(built, { recursive: true, force: true }));
const open: LocalBackend[] = [];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-jobs-")));
  directory = join(base, "work");
  state = join(base, "state");
  mkdirSync(directory);
});
afterEach(async () => {
  for (const backend of open.splice(0)) await backend.close();
  await until(() => isRemoved(base));
});

function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

function backendOn(options: { readonly watcher?: boolean } = {}): LocalBackend {
  const backend = createLocalBackend({ stateDir: state, cwd: directory, ...options });
  open.push(backend);
  return backend;
}

async function startHost(): Promise<{ readonly host: ChildProcess; readonly ids: readonly string[] }> {
  const host = spawn(process.execPath, [script, state, directory], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise<string>((resolve, reject) => {
    host.stdout?.once("data", (bytes: Uint8Array) => resolve(String(bytes)));
    host.once("exit", (code) => reject(new Error(`the host ended with ${code}`)));
  });
  const names = Array.from({ length: 10 }, (_, number) => [`pid-${number}`, `child-${number}`]).flat();
  await until(() => [...names, "kept"].every((name) => existsSync(join(directory, name)) && pidOf(name) > 0));
  return { host, ids: JSON.parse(line) as string[] };
}

async function until(holds: () => boolean | Promise<boolean>, limitMs = 25_000): Promise<void> {
  for (const end = Date.now() + limitMs; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`not so within ${limitMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const pidOf = (name: string) => Number(readFileSync(join(directory, name), "utf8"));
const isAlive = (pid: number) => processStart(pid) !== undefined;

async function textOf(job: ShellHandle, stream: "stdout" | "stderr" = "stdout", from = 0): Promise<string> {
  return new TextDecoder().decode((await job.output(stream, from, 1_000_000)).bytes);
}

describe("jobs of a host that is killed", () => {
  it("end within 5 s with all their children; the next start reports each once and has all their output [PROC-07]", async () => {
    const { host, ids } = await startHost();
    const pids = ids.slice(0, 10).flatMap((_, number) => [pidOf(`pid-${number}`), pidOf(`child-${number}`)]);
    expect(pids.every(isAlive)).toBe(true);
    const onDisk = () => ids.slice(0, 10).map((id) => readFileSync(join(state, "jobs", id, "stdout.0"), "utf8"));
    const errors = (id: string) => join(state, "jobs", id, "stderr.0");
    await until(() => ids.slice(0, 10).every((id) => existsSync(errors(id)) && readFileSync(errors(id)).length > 0));
    const before = onDisk();
    host.kill("SIGKILL");
    await until(() => !pids.some(isAlive), underLoad(5_000));

    const next = backendOn();
    const { shell } = next.root;
    const infos = await shell.jobs();
    expect(infos.map(({ id, status, endedBy }) => [id, status, endedBy])).toEqual([
      ...ids.slice(0, 10).map((id) => [id, "ended", "host"]),
      [ids[10], "running", undefined],
    ]);
    expect(onDisk()).toEqual(before);
    for (const [number, id] of ids.slice(0, 10).entries()) {
      const job = (await shell.attach(id))!;
      expect([await textOf(job), await textOf(job, "stderr")]).toEqual([`out ${number}\n`, `err ${number}\n`]);
      expect((await job.result).ended).toBe("cancelled");
    }
    await until(() => existsSync(join(state, "watcher")) && readdirSync(join(state, "watcher")).length > 0);
    const reported = next.takeReports().flatMap(({ jobs = [] }) => jobs.map(({ id }) => id));
    expect(reported).toEqual(ids.slice(0, 10));
    expect(next.takeReports().flatMap(({ jobs = [] }) => jobs)).toEqual([]);
    writeFileSync(join(directory, "stop"), "");
    await (await shell.attach(ids[10]!))!.result;
  });

  it("continues where it is to be kept: output without a gap, its exit, and a stop by the next host [PROC-07]", async () => {
    const { host, ids } = await startHost();
    const id = ids[10]!;
    const file = join(state, "jobs", id, "stdout.0");
    await until(() => existsSync(file) && readFileSync(file, "utf8").includes("\n"));
    host.kill("SIGKILL");
    await new Promise((resolve) => host.once("exit", resolve));
    const onDisk = readFileSync(file, "utf8");
    const next = backendOn();
    const job = (await next.root.shell.attach(id))!;
    const before = (await job.output("stdout", 0, 1_000_000)).next;
    await until(async () => (await job.output("stdout", 0, 1_000_000)).next > before + 200);
    const [info] = await next.root.shell.jobs({ id });
    expect(info).toMatchObject({ status: "running", adopted: "host", lifetime: "keep" });
    await expect(job.write(new Uint8Array(1))).rejects.toMatchObject({ code: "JOB_INPUT_CLOSED" });
    writeFileSync(join(directory, "stop"), "");
    const result = await job.result;
    expect([result.ended, result.exit]).toEqual(["itself", { by: "code", code: 7 }]);
    // Its pump takes the last of it a moment after its end.
    await until(async () => (await textOf(job)).endsWith("\n"));
    const text = await textOf(job);
    expect(text.startsWith(onDisk)).toBe(true);
    const lines = text.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(20);
    // All but what the host had read and not written at that very moment.
    const jumps = lines.filter((line, index) => index > 0 && line !== following(lines[index - 1]));
    expect(jumps.length).toBeLessThanOrEqual(1);
  });
});

function cmdlineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

const following = (line = "") => `line ${Number(line.slice(5)) + 1}`;

describe("jobs of a host that closes", () => {
  it("leave no pump behind when their directory is removed and they have ended", async () => {
    const first = backendOn();
    // It ends by itself when the test fails before it stops the command.
    const command = `echo begun; until [ -e stop ] || [ ! -d '${directory}' ]; do sleep 0.02; done; echo more`;
    const kept = await first.root.shell.spawn(command, { cwd: directory, lifetime: "keep" });
    await until(async () => (await textOf(kept)) !== "");
    await first.close();
    const pumps = () =>
      readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && cmdlineOf(pid).includes(join(state, "jobs")));
    expect(pumps().length).toBeGreaterThan(0);
    // The pump has just begun to write there.
    await until(() => isRemoved(state));
    writeFileSync(join(directory, "stop"), "");
    await until(async () => pumps().length === 0);
  });

  it("end with it and report that; one to be kept continues, and the next host stops it", async () => {
    const first = backendOn();
    const at = { cwd: directory } as const;
    const ending = await first.root.shell.spawn("echo here; exec sleep 600", { ...at, lifetime: "host" });
    const counting = "n=0; while [ $n -lt 6000 ]; do n=$((n + 1)); echo line $n; sleep 0.01; done";
    const kept = await first.root.shell.spawn(counting, { ...at, lifetime: "keep" });
    await until(async () => (await textOf(kept)) !== "" && (await textOf(ending)) !== "");
    await first.close();
    const next = backendOn();
    const { shell } = next.root;
    const infos = await shell.jobs();
    expect(infos.map(({ id, status, endedBy }) => [id, status, endedBy])).toEqual([
      [ending.id, "ended", "host"],
      [kept.id, "running", undefined],
    ]);
    expect(next.takeReports()).toEqual([]);
    const again = (await shell.attach(kept.id))!;
    const seen = (await again.output("stdout", 0, 1_000_000)).next;
    await until(async () => (await again.output("stdout", 0, 1_000_000)).next > seen + 100);
    expect((await again.kill("TERM")).state).toBe("gone");
    const lines = (await textOf(again)).split("\n").slice(0, -1);
    expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`));
    expect((await shell.jobs({ id: kept.id }))[0]).toMatchObject({ status: "ended" });
    await again.forget?.();
    expect(await shell.jobs({ id: kept.id })).toEqual([]);
    expect(existsSync(join(state, "jobs", kept.id))).toBe(false);
  });
});

describe("the directory of a job", () => {
  it("a stranger that has the number of a job's process is not stopped with it [PROC-03]", async () => {
    const stranger = spawn("sleep", ["600"], { stdio: "ignore" });
    try {
      const store = new JobStore(state);
      const job = store.open({ command: "sleep 1", cwd: directory, lifetime: "keep" })!;
      const start = processStart(stranger.pid!)!;
      job.update({ leader: { pid: stranger.pid!, start: start - 1_000 }, tag: "HAFT_TAG=none.", isReleased: true });
      const next = backendOn();
      const found = (await next.root.shell.attach(job.id))!;
      expect(found.pid).toBe(null);
      expect((await found.kill("KILL")).state).toBe("gone");
      expect(isAlive(stranger.pid!)).toBe(true);
    } finally {
      stranger.kill("SIGKILL");
    }
  });

  it("is as it was when it cannot be written, and is written once that is possible", async () => {
    const store = new JobStore(state);
    const job = store.open({ command: "true", cwd: directory, lifetime: "session" })!;
    const before = readFileSync(join(job.path, "job.json"), "utf8");
    // What stands in the way of the new record, as a full disk would.
    mkdirSync(join(job.path, "job.json.new", "in-the-way"), { recursive: true });
    job.update({ ended: { atMs: 5, by: "itself", produced: { stdout: 1, stderr: 0 } } });
    expect(readFileSync(join(job.path, "job.json"), "utf8")).toBe(before);
    expect(store.find(job.id)?.record.ended).toBeUndefined();
    rmSync(join(job.path, "job.json.new"), { recursive: true });
    await until(() => readJobRecord(job.path)?.ended !== undefined);
  });

  it("has a number that no other job of the state directory has, whatever host made it", async () => {
    const stores = [new JobStore(state), new JobStore(state)] as const;
    const ids = stores.flatMap((store) =>
      [1, 2, 3].map(() => store.open({ command: "true", cwd: directory, lifetime: "host" })?.id),
    );
    expect(new Set(ids).size).toBe(6);
    expect(ids.slice(0, 3)).toEqual(["job-1", "job-2", "job-3"]);
  });

  it("goes after seven days, and a job that runs never does", async () => {
    const store = new JobStore(state);
    const [old, fresh, running] = [1, 2, 3].map(
      () => store.open({ command: "true", cwd: directory, lifetime: "keep" })!,
    );
    const day = 24 * 60 * 60 * 1_000;
    const nowMs = 100 * day;
    const ended = (atMs: number) => ({ atMs, by: "itself", produced: { stdout: 0, stderr: 0 } }) as const;
    writeFileSync(old!.prefixOf("stdout").concat(".0"), "12345");
    old!.update({ ended: ended(nowMs - 8 * day) });
    fresh!.update({ ended: ended(nowMs - 6 * day) });
    mkdirSync(join(store.path, "job-77"));
    utimesSync(join(store.path, "job-77"), 0, 0);
    expect(store.clean({ nowMs })).toEqual({ jobs: 1, bytes: 5 });
    expect(store.ids()).toEqual([fresh!.id, running!.id]);
    expect(store.clean({ nowMs, all: true })).toEqual({ jobs: 1, bytes: 0 });
    expect(store.ids()).toEqual([running!.id]);
  });

  it("distinguishes a record of a newer version or a broken one from a job, and changes neither", async () => {
    const identity = ownHostIdentity();
    expect(identity?.pid).toBe(process.pid);
    const store = new JobStore(state);
    const job = store.open({ command: "true", cwd: directory, lifetime: "host" })!;
    const path = join(job.path, "job.json");
    for (const text of [`{"version":2}`, "", "{", "null"]) {
      writeFileSync(path, text);
      expect(store.find(job.id)).toBeUndefined();
      expect(store.clean({ all: true })).toEqual({ jobs: 0, bytes: 0 });
      expect(readFileSync(path, "utf8")).toBe(text);
    }
    expect(new JobDirectory(job.path, job.record).keptBytes()).toBe(0);
  });
});

describe("a full disk", () => {
  it("costs the output that it has no room for, and neither the job nor the table of jobs", async (context) => {
    mkdirSync(state);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", state], { stdio: "ignore" });
    if (mounted.status !== 0) context.skip("no small file system can be mounted here");
    try {
      const backend = backendOn({ watcher: false });
      const { shell } = backend.root;
      const before = await shell.spawn("echo before", { cwd: directory, lifetime: "host" });
      await before.result;
      const printing =
        "head -c 3000000 /dev/zero | tr '\\0' x; while [ ! -e go ]; do sleep 0.02; done; echo last; exit 4";
      const job = await shell.spawn(printing, { cwd: directory, lifetime: "host" });
      await until(async () => (await shell.jobs({ id: job.id }))[0]?.outputBytes === 3_000_000);
      const unkept = await shell.spawn("echo unkept", { cwd: directory, lifetime: "host" });
      expect((await unkept.result).exit).toEqual({ by: "code", code: 0 });
      expect(await textOf(unkept)).toBe("unkept\n");
      const first = await job.output("stdout", 0, 10_000_000);
      expect(first.droppedBytes).toBe(0);
      expect(first.bytes.length).toBeGreaterThan(500_000);
      const gap = await job.output("stdout", first.next, 10_000_000);
      expect(gap.droppedBytes).toBeGreaterThan(1_000_000);
      expect(gap.next).toBe(3_000_000);
      expect(new Set((await shell.jobs()).map(({ id }) => id)).size).toBe(3);
      expect(new JobStore(state).find(before.id)?.record.ended?.exit).toEqual({ by: "code", code: 0 });
      // With free space again, the end of the job is recorded, too.
      for (const name of readdirSync(join(state, "jobs", job.id)).filter((one) => one.startsWith("stdout.")))
        rmSync(join(state, "jobs", job.id, name));
      writeFileSync(join(directory, "go"), "");
      expect((await job.result).exit).toEqual({ by: "code", code: 4 });
      await until(() => new JobStore(state).find(job.id)?.record.ended?.exit?.by === "code");
    } finally {
      for (const backend of open.splice(0)) await backend.close();
      spawnSync("umount", [state], { stdio: "ignore" });
    }
  });
});

/** What a sandbox does before the command begins, prolonged. */
const SLOW_LAUNCHER: Launcher = {
  flags: {},
  scripts: tmpdir(),
  refusal: () => undefined,
  hidden: [],
  wrap: (argv, { env }) => ({ argv: ["/bin/sh", "-c", 'sleep 600; exec "$@"', "sh", ...argv], env }),
};

it("a kept job whose launcher still prepares is running for a next host", async () => {
  const first = createLocalBackend({ stateDir: state, cwd: directory, launcher: SLOW_LAUNCHER });
  const { id } = await first.root.shell.spawn("true", { cwd: directory, lifetime: "keep" });
  await first.close();
  const job = await backendOn().root.shell.attach(id);
  expect((await job?.info?.())?.status).toBe("running");
  expect((await job?.kill("KILL"))?.state).toBe("gone");
});
