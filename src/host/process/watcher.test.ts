import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createLocalBackend } from "../../backends/local/local-backend.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { underLoad } from "../../testing/under-load.fixture.js";
import { allProcesses, processEntry, processStart } from "../index.js";
import { PipePool } from "./pipe-pool.js";
import { Watcher } from "./watcher.js";
import { WATCHER_SCRIPT } from "./watcher-script.js";

const NAMES = ["deaf", "in-flight", "in-session", "job", "kept", "no-environment", "survivor", "twice-removed"];

let built: string;
let script: string;
let directory: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "haft-watched-"));
  script = await bundleForProcess(new URL("./watched-host.fixture.ts", import.meta.url), built);
});
afterAll(() => rmSync(built, { recursive: true, force: true }));
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-watcher-"));
  mkdirSync(join(directory, "work"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const work = () => join(directory, "work");
const pidOf = (name: string) => Number(readFileSync(join(work(), name), "utf8"));
const isAlive = (pid: number) => processStart(pid) !== undefined;

/** Starts a host and waits until all its commands have said their numbers. */
async function startHost(): Promise<ChildProcess> {
  const host = spawn(process.execPath, [script, join(directory, "state"), work()], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    host.stdout?.once("data", () => resolve());
    host.once("exit", (code) => reject(new Error(`the host ended with ${code}`)));
  });
  await until(() => NAMES.every((name) => existsSync(join(work(), name)) && pidOf(name) > 0));
  return host;
}

async function until(holds: () => boolean, limitMs = 25_000): Promise<void> {
  for (const end = Date.now() + limitMs; !holds(); ) {
    if (Date.now() > end) throw new Error(`not so within ${limitMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it("ends within 5 s all that ran when the host was killed, and reports it at the next start", async () => {
  const host = await startHost();
  const pids = NAMES.filter((name) => name !== "kept").map(pidOf);
  expect(pids.filter(isAlive)).toEqual(pids);
  host.kill("SIGKILL");
  await until(() => !pids.some(isAlive), underLoad(5_000));
  expect(isAlive(pidOf("kept"))).toBe(true);
  process.kill(pidOf("kept"), "SIGKILL");

  const next = createLocalBackend({ stateDir: join(directory, "state") });
  await until(() => readdirSync(join(directory, "state", "watcher")).length > 0);
  await until(() => !allProcesses().some((one) => isWatcherOf(one.pid)));
  const [report, ...others] = next.takeReports();
  expect(others).toEqual([]);
  expect(report?.processes.map((one) => one.pid)).toEqual(expect.arrayContaining(pids));
  expect(report?.processes.find((one) => one.pid === pidOf("job"))?.name).toBe("sleep");
  expect(next.takeReports()).toEqual([]);
  await next.close();
});

it("goes with its host when that closes, and reports nothing", async () => {
  const backend = createLocalBackend({ stateDir: join(directory, "state") });
  await backend.root.shell.exec("true", { cwd: directory });
  const watchers = allProcesses().filter((one) => isWatcherOf(one.pid));
  expect(watchers).toHaveLength(1);
  await backend.close();
  await until(() => !watchers.some((one) => isAlive(one.pid)));
  expect(backend.takeReports()).toEqual([]);
});

it("comes back when it was ended, and knows what runs", async () => {
  const backend = createLocalBackend({ stateDir: join(directory, "state") });
  await backend.root.shell.spawn("sleep 617", { cwd: directory, lifetime: "session" });
  const [first] = allProcesses().filter((one) => isWatcherOf(one.pid));
  process.kill(first!.pid, "SIGKILL");
  await until(() => !isAlive(first!.pid));
  // The event of its end comes to this process a moment later than /proc shows it.
  await new Promise((resolve) => setTimeout(resolve, 20));
  await backend.root.shell.exec("true", { cwd: directory });
  expect(allProcesses().filter((one) => isWatcherOf(one.pid))).toHaveLength(1);
  await backend.close();
});

it("is reported in the end what came while its pipe was full, and nothing that runs is ended meanwhile", async () => {
  const pool = new PipePool();
  const watcher = new Watcher(pool, join(directory, "state"));
  watcher.begin();
  await until(() => allProcesses().some((one) => isWatcherOf(one.pid)));
  const own = allProcesses().find((one) => isWatcherOf(one.pid))!.pid;
  const commands = ["watched", "ended-again", "of-before"].map(() => {
    const child = spawn("sleep", ["618"], { detached: true, stdio: "ignore" });
    return { child, pid: child.pid!, start: processStart(child.pid!) };
  });
  const [watched, endedAgain, ofBefore] = commands as [Command, Command, Command];
  try {
    watcher.add(ofBefore.pid, ofBefore.start);
    process.kill(own, "SIGSTOP");
    fill(`/proc/${own}/fd/0`);
    watcher.add(endedAgain.pid, endedAgain.start);
    watcher.add(watched.pid, watched.start);
    watcher.remove(endedAgain.pid);
    watcher.remove(ofBefore.pid);
    expect(watcher.unsent).toBe(2);
    for (let round = 0; round < 1_000; round += 1) {
      watcher.add(endedAgain.pid, endedAgain.start);
      watcher.remove(endedAgain.pid);
    }
    expect(watcher.unsent).toBe(2);
    process.kill(own, "SIGCONT");
    await until(() => watcher.unsent === 0);
    expect([isAlive(own), ...commands.map(({ pid }) => isAlive(pid))]).toEqual([true, true, true, true]);
    watcher.close();
    await until(() => !isAlive(watched.pid) && !isAlive(own));
    expect([isAlive(endedAgain.pid), isAlive(ofBefore.pid)]).toEqual([true, true]);
  } finally {
    for (const { child } of commands) child.kill("SIGKILL");
    pool.close();
  }
});

/** Writes lines that mean nothing until the pipe takes no more. */
function fill(pipe: string): void {
  const descriptor = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  const line = `${"x".repeat(4_095)}\n`;
  expect(() => {
    for (;;) writeSync(descriptor, line);
  }).toThrow("EAGAIN");
  closeSync(descriptor);
}

type Command = { readonly child: ChildProcess; readonly pid: number; readonly start: number | undefined };

/** Whether the process is a watcher that reports into the directory of this test. */
function isWatcherOf(pid: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, "latin1");
    return line.includes("\0haft-watcher\0") && line.includes(join(directory, "state")) && isAlive(pid);
  } catch {
    return false;
  }
}

it("never signals init, even as a member of a session that it watches", () => {
  const { session, start } = processEntry(1) ?? {};
  // Its `kill` only writes down what it was given, and ends the script.
  const script = `kill() { echo "$@" >"$HAFT_TEST_SIGNALS"; exit; }\n${WATCHER_SCRIPT}`;
  const signals = join(directory, "signals");
  const { status } = spawnSync("sh", ["-c", script, "sh", `HAFT_TEST_TAG=none-${process.pid}`, ""], {
    input: `+${session}:${start}\n`,
    env: { PATH: process.env.PATH, HAFT_TEST_SIGNALS: signals },
  });
  expect([status, session]).toEqual([0, expect.any(Number)]);
  expect((existsSync(signals) ? readFileSync(signals, "utf8") : "").split(/\s+/)).not.toContain("1");
});
