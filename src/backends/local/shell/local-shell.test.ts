import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processStart } from "../../../host/index.js";
import { EMPTY_GRANT, type ShellResult } from "../../../kernel/index.js";
import { bundleForProcess } from "../../../testing/bundle.fixture.js";
import { verifies } from "../../../testing/verifies.fixture.js";
import { createLocalBackend, type LocalBackend } from "../local-backend.js";

let directory: string;
let backend: LocalBackend;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-shell-"));
  backend = createLocalBackend({ watcher: false });
});
afterEach(async () => {
  await backend.close();
  rmSync(directory, { recursive: true, force: true });
});

const exec = (command: string, options: object = {}) =>
  backend.root.shell.exec(command, { cwd: directory, ...options });
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const out = (result: ShellResult) => textOf(result.stdout.head);
const isAlive = (pid: number) => processStart(pid) !== undefined;

async function until(holds: () => boolean | Promise<boolean>, limitMs = 25_000): Promise<void> {
  for (const end = Date.now() + limitMs; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`not so within ${limitMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Runs until a number is printed, then cancels. */
async function cancelAfterOutput(command: string, graceMs: number): Promise<ShellResult> {
  const control = new AbortController();
  return exec(command, { signal: control.signal, graceMs, onOutput: () => control.abort() });
}

describe("streams", () => {
  it("are pipes that can be opened again by name", async () => {
    const result = await exec(
      "echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr; sleep 0.05; cat /dev/stdin",
      {
        input: new TextEncoder().encode("four\n"),
      },
    );
    expect(out(result)).toBe("one\nthree\nfour\n");
    expect(textOf(result.stderr.head)).toBe("two\nthree\n");
  });

  it("take 1 GiB in bounded memory, every byte counted", async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    const result = await exec("head -c 1073741824 /dev/zero", {
      onOutput: () => {
        most = Math.max(most, process.memoryUsage.rss());
      },
    });
    expect([result.stdout.produced, result.stdout.omittedBytes]).toEqual([1024 ** 3, 1024 ** 3 - 8_192 - 24_576]);
    expect(most - before).toBeLessThan(100 * 1024 * 1024);
  });

  it("wait for a listener: of an endless printer no more is read than a pipe holds", async () => {
    let chunks = 0;
    let bytes = 0;
    let take = () => {};
    const control = new AbortController();
    const running = exec("exec yes", {
      signal: control.signal,
      onOutput: (_stream: string, chunk: Uint8Array) => {
        chunks += 1;
        bytes += chunk.length;
        return new Promise<void>((resolve) => {
          take = resolve;
        });
      },
    });
    for (let taken = 1; taken <= 5; taken += 1) {
      await until(() => chunks === taken);
      take();
    }
    await until(() => chunks === 6);
    // Long enough for a gigabyte to have been read.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([chunks, bytes <= 6 * 65_536]).toEqual([6, true]);
    control.abort();
    const { ended, stdout } = await running;
    expect([ended, stdout.produced]).toEqual(["cancelled", bytes]);
  });

  it("leave no file behind, whatever the length of the command", async () => {
    const marker = join(directory, "names");
    await exec(`: ${"x".repeat(150_000)}; printf %s "$0" > ${marker}; cat < "$0" | wc -c`);
    const script = readFileSync(marker, "utf8");
    expect(script.startsWith(tmpdir())).toBe(true);
    expect(existsSync(script)).toBe(false);
  });
});

describe("environment", () => {
  it("passes on what programs need and nothing else, and asks no questions", async () => {
    process.env.HAFT_TEST_SECRET = "k-123";
    const own = createLocalBackend({ watcher: false, env: { GIVEN: "1" }, passEnv: ["HAFT_TEST_NAMED"] });
    process.env.HAFT_TEST_NAMED = "set too late";
    const result = await own.root.shell.exec("env", { cwd: directory, env: { CALL: "2" } });
    const lines = out(result).split("\n");
    expect(lines).toEqual(
      expect.arrayContaining(["TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIVEN=1", "CALL=2"]),
    );
    expect(lines.some((line) => line.startsWith("PATH="))).toBe(true);
    expect(out(result)).not.toContain("k-123");
    expect(out(result)).not.toContain("HAFT_TEST_NAMED");
    const all = createLocalBackend({ watcher: false, passEnv: "all" });
    expect(out(await all.root.shell.exec("env", { cwd: directory }))).toContain("HAFT_TEST_SECRET=k-123");
    await Promise.all([own.close(), all.close()]);
    delete process.env.HAFT_TEST_SECRET;
    delete process.env.HAFT_TEST_NAMED;
  });
});

describe("the tree", () => {
  verifies(
    "IP-021",
    "ends with its children in sessions of their own, twice removed and without environment",
    async () => {
      const hidden = "env -i setsid sh -c 'echo $$; exec sleep 620'";
      const removed = "(setsid sh -c 'sh -c \"echo \\$\\$; exec sleep 621\" &' &)";
      const own = "setsid sh -c 'echo $$; exec sleep 622' &";
      const control = new AbortController();
      let printed = "";
      const result = await exec(`${hidden} & ${removed}; ${own} sleep 623`, {
        signal: control.signal,
        graceMs: 1_000,
        onOutput: (_stream: string, bytes: Uint8Array) => {
          printed += textOf(bytes);
          if (printed.trim().split("\n").length === 3) control.abort();
        },
      });
      const pids = printed.trim().split("\n").map(Number);
      expect(result.tree).toEqual({ state: "gone", survivors: [], endedBy: "TERM" });
      expect(pids.filter(isAlive)).toEqual([]);
    },
  );

  it("ends with KILL where TERM is ignored by all of it", async () => {
    const result = await cancelAfterOutput(
      "trap '' TERM; setsid sh -c 'while :; do sleep 0.05; done' & echo $!; while :; do sleep 0.05; done",
      200,
    );
    expect(result.tree).toMatchObject({ state: "gone", endedBy: "KILL" });
    // A killed process is visible for a moment after its memory and files are released.
    await until(() => !isAlive(Number(out(result))), 2_000);
  });

  it("ends when it has been stopped", async () => {
    const result = await cancelAfterOutput("sh -c 'echo $$; kill -STOP $$'; sleep 1", 2_000);
    expect(result.tree).toMatchObject({ state: "gone", endedBy: "TERM" });
  });

  it("does not count zombies", async () => {
    // The shell becomes a program that never waits for the child it inherits.
    const result = await cancelAfterOutput("sleep 0.02 & exec sh -c 'sleep 0.1; echo $$; exec sleep 624'", 1_000);
    expect(result.tree).toMatchObject({ state: "gone", survivors: [] });
  });

  it("settles soon after the leader, however many children hold its streams, and names them", async () => {
    const result = await exec("sleep 630 & setsid sleep 631 & (while :; do echo tick; sleep 0.02; done) & echo done");
    expect(result.ended).toBe("itself");
    expect(result.tree.state).toBe("alive");
    const names = result.tree.survivors.map((one) => one.name).sort();
    expect(names.filter((name) => name === "sleep").length).toBeGreaterThanOrEqual(2);
    expect(names).toContain("sh");
    expect(result.job).toMatch(/^job-\d+$/);
    // The short sleep of the loop may be about to end.
    expect(result.tree.survivors.filter((one) => one.holds !== "none").length).toBeGreaterThanOrEqual(3);
  });

  it("keeps a survivor drained and counted, as a job that can be read and ended", async () => {
    const result = await exec("yes & echo $! >&2");
    const job = await backend.root.shell.attach(result.job!);
    const produced = async () => (await job!.output("stdout", 0, 1)).droppedBytes;
    const first = await produced();
    await until(async () => (await produced()) > first + 1_000_000);
    const tail = await job!.output("stdout", Number.MAX_SAFE_INTEGER, 10);
    const last = await job!.output("stdout", tail.next - 4, 4);
    expect([textOf(last.bytes).length, last.ended]).toEqual([4, false]);
    expect((await job!.kill("TERM")).state).toBe("gone");
    expect(isAlive(Number(textOf(result.stderr.head)))).toBe(false);
    const ended = await job!.result;
    expect(ended.stdout.final).toBe(true);
    expect(ended.stdout.head.length + ended.stdout.tail.length + ended.stdout.omittedBytes).toBe(ended.stdout.produced);
  });

  it("keeps a survivor drained whose listener was stuck", async () => {
    const result = await exec("yes & echo $! >&2", { onOutput: () => new Promise<void>(() => {}) });
    const job = await backend.root.shell.attach(result.job!);
    await until(async () => (await job!.output("stdout", 20_000_000, 1)).next > 20_000_000);
    expect((await job!.kill("TERM")).state).toBe("gone");
    const ended = await job!.result;
    expect([ended.stdout.final, ended.stdout.produced > result.stdout.produced]).toEqual([true, true]);
  });

  it("ends with the backend, jobs that are kept left alone", async () => {
    const survivor = await exec("sleep 632 >/dev/null 2>&1 & echo $!");
    const job = await backend.root.shell.spawn("exec sleep 633", { cwd: directory, lifetime: "session" });
    const kept = await backend.root.shell.spawn("exec sleep 634", { cwd: directory, lifetime: "keep" });
    const running = exec("exec sleep 635");
    const { pid } = job;
    expect(await backend.close()).toEqual({ left: [] });
    expect((await running).ended).toBe("cancelled");
    expect([Number(out(survivor)), pid!].filter(isAlive)).toEqual([]);
    expect(isAlive(kept.pid!)).toBe(true);
    process.kill(kept.pid!, "SIGKILL");
    expect(backend.state()).toBe("closed");
    await expect(exec("true")).rejects.toMatchObject({ code: "BACKEND_UNAVAILABLE" });
  });

  it("is reported as gone when its background work ends in time", async () => {
    // On a busy machine the background work may take longer than the call waits for it.
    let result = await exec("(sleep 0.03; echo late) & echo done");
    for (let more = 20; result.tree.state !== "gone" && more > 0; more--)
      result = await exec("(sleep 0.03; echo late) & echo done");
    expect(result.tree.state).toBe("gone");
    expect([...out(result).trim().split("\n")].sort()).toEqual(["done", "late"]);
    expect(result.job).toBeUndefined();
  });
});

describe("jobs", () => {
  it("refuse a call that did not claim them, and a signal that is none", async () => {
    const { id } = await backend.root.shell.spawn("echo ready; exec sleep 636", {
      cwd: directory,
      lifetime: "session",
    });
    const call = {
      id: "c",
      sessionId: "s",
      signal: new AbortController().signal,
      deadline: Date.now() + 60_000,
      authorizeRealPath: async () => {
        throw new Error("not asked");
      },
      authorizeDirectory: async () => {
        throw new Error("not asked");
      },
    };
    const { shell } = backend.bind(EMPTY_GRANT, call);
    await expect(shell.attach(id)).rejects.toMatchObject({ code: "CALL_UNCLAIMED" });
    const handle = await backend.root.shell.attach(id);
    // A shell that has not begun may drop an INT.
    await until(async () => (await handle!.output("stdout", 0, 9)).bytes.length > 0);
    await expect(handle!.kill("NONSENSE")).rejects.toMatchObject({ code: "CALL_INVALID" });
    expect((await handle!.kill("int")).state).toBe("alive");
    await handle!.result;
    expect((await handle!.kill("TERM")).state).toBe("gone");
  });

  it("keep no output where the directory that they name really is and may not be written", async () => {
    const command = "true";
    const outside = join(realpathSync(directory), "out");
    const cwd = join(directory, "way");
    mkdirSync(outside);
    symlinkSync("out", cwd);
    const place = { path: join(cwd, "jobs"), access: ["write"], scope: "tree" } as const;
    const verdict = { rule: "test", risk: "low", reason: "No." } as const;
    const { shell } = backend.bind(
      { ...EMPTY_GRANT, files: [place], commands: [{ command, cwd, background: "keep" as const }] },
      {
        id: "c",
        sessionId: "s",
        signal: new AbortController().signal,
        deadline: Date.now() + 60_000,
        authorizeRealPath: async () => ({ effect: "deny", ...verdict }),
        authorizeDirectory: async () => ({ effect: "allow", ...verdict, grant: EMPTY_GRANT }),
      },
    );
    const spawned = shell.spawn(command, { cwd, lifetime: "session", outputDirectory: place.path });
    await expect(spawned).rejects.toMatchObject({ code: "POLICY_DENIED", details: { real: join(outside, "jobs") } });
    expect(readdirSync(outside)).toEqual([]);
  });

  it("are no longer reached through a handle whose call has ended", async () => {
    const control = new AbortController();
    const command = "cat";
    const grant = { ...EMPTY_GRANT, commands: [{ command, cwd: directory, background: "keep" as const }] };
    const { shell } = backend.bind(grant, {
      id: "c",
      sessionId: "s",
      signal: control.signal,
      deadline: Date.now() + 60_000,
      authorizeRealPath: async () => {
        throw new Error("not asked");
      },
      authorizeDirectory: async () => {
        throw new Error("not asked");
      },
    });
    const handle = await shell.spawn(command, { cwd: directory, lifetime: "session" });
    control.abort();
    await expect(handle.write(new Uint8Array([65]))).rejects.toMatchObject({ code: "CALL_REVOKED" });
    await expect(handle.output("stdout", 0, 1)).rejects.toMatchObject({ code: "CALL_REVOKED" });
    await expect(handle.kill("KILL")).rejects.toMatchObject({ code: "CALL_REVOKED" });
    expect(handle.pid !== null && isAlive(handle.pid)).toBe(true);
  });

  it("take much input without losing any, buffer little of what is not read, and refuse input once it cannot be read", async () => {
    const { shell } = backend.root;
    const copy = join(directory, "copy");
    const reader = await shell.spawn(`cat > ${copy}`, { cwd: directory, lifetime: "session" });
    const block = new Uint8Array(300_000).map((_, index) => index % 251);
    for (let round = 0; round < 5; round++) await reader.write(block);
    await reader.closeInput();
    await reader.result;
    expect(statSync(copy).size).toBe(1_500_000);
    const asleep = await shell.spawn("exec sleep 600", { cwd: directory, lifetime: "session" });
    const large = new Uint8Array(20_000_000);
    let kept = 0;
    for (let round = 0; round < 8; round++) kept += (await asleep.write(large, { waitMs: 5 })).acceptedBytes;
    // What the pipe holds, and one block.
    expect(kept).toBeLessThan(2_000_000);
    const deaf = await shell.spawn("exec true", { cwd: directory, lifetime: "session" });
    await deaf.result;
    await expect(deaf.write(block)).rejects.toMatchObject({ code: "JOB_INPUT_CLOSED" });
    await deaf.closeInput();
  });
});

describe("a start that fails", () => {
  it("names the problem and says that nothing began", async () => {
    writeFileSync(join(directory, "file"), "");
    const missing = await exec("true", { cwd: join(directory, "gone") });
    expect([missing.began, missing.ended]).toEqual(["no", "spawn-error"]);
    expect(missing.problem).toBe(`the directory "${join(directory, "gone")}" does not exist`);
    expect((await exec("true", { cwd: join(directory, "file") })).problem).toBe(
      `"${join(directory, "file")}" is not a directory`,
    );
    expect((await exec("true", { env: { "A=B": "1" } })).problem).toContain('"A=B"');
    await expect(
      backend.root.shell.spawn("true", { cwd: join(directory, "gone"), lifetime: "session" }),
    ).rejects.toMatchObject({
      code: "SHELL_SPAWN",
      message: `Did not start the command: the directory "${join(directory, "gone")}" does not exist. Fix that and start it again.`,
    });
    const large = await exec("true", { env: { BIG: "x".repeat(200_000) } });
    expect([large.began, large.ended]).toEqual(["no", "spawn-error"]);
  });
});

describe("this process", () => {
  it("is not kept alive by a survivor, and what waits for a command is", async () => {
    const built = mkdtempSync(join(tmpdir(), "haft-leaving-"));
    try {
      const script = await bundleForProcess(new URL("../jobs/leaving-host.fixture.ts", import.meta.url), built);
      const ran = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 20_000 });
      const [survivor, job] = ran.stdout.trim().split("\n");
      expect([ran.signal, ran.status, job]).toEqual([null, 0, "job ended with 3"]);
      await until(() => !isAlive(Number(survivor)));
    } finally {
      rmSync(built, { recursive: true, force: true });
    }
  });
});
