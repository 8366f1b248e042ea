import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Backend, HaftError, type Shell } from "../../kernel/index.js";
import { conform, realClock } from "../../testing/conform.fixture.js";
import { type Fixture, fsSuite, type Plan, type Plant } from "../../testing/index.js";
import { openLocalPosix } from "./index.js";
import { isSmoke } from "./smoke.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** All that must be on the remote side: no stat, no sha256sum, no setsid, no sleep, no readlink, no chmod; "kill" is the shell's. */
const REQUIRED = ["sh", "cat", "dd", "mkdir", "mv", "rm", "ls"];

describe("a remote side with nothing but what is required", () => {
  const bin = mkdtempSync(join(tmpdir(), "haft-bin-"));
  let backend: Backend;
  beforeAll(async () => {
    for (const tool of REQUIRED) symlinkSync(pathOf(tool), join(bin, tool));
    backend = await openLocalPosix({ shell: [join(bin, "sh")], setEnv: { PATH: bin } });
  });
  afterAll(async () => {
    await backend.close();
    rmSync(bin, { recursive: true, force: true });
  });

  const plan: Plan<Fixture> = {
    name: "posix:minimal",
    async create() {
      const dir = realpathSync(mkdtempSync(join(tmpdir(), "haft-minimal-")));
      return {
        backend,
        directory: dir,
        clock: realClock,
        plant: async (what) => plantHere(what),
        dispose: async () => rmSync(dir, { recursive: true, force: true }),
      };
    },
    cannot: {
      "fs:replace:mode-of-a-new-file": "without chmod a new file cannot be made executable",
      "fs:stream:mode-of-a-new-file": "without chmod a new file cannot be made executable",
    },
    knownFailures: {},
  };
  conform(plan, [fsSuite], isSmoke);

  it("says that its guard checks first and acts then", () => {
    expect(backend.guard).toBe("checked");
  });

  it("runs commands, reports their output and status, and states what it cannot see", async () => {
    const dir = mkdtempSync(join(tmpdir(), "haft-minimal-"));
    const result = await backend.root.shell.exec("echo out; echo err >&2; cat; exit 3", {
      cwd: dir,
      input: Buffer.from("in"),
    });
    expect(result.exit).toEqual({ by: "code", code: 3 });
    expect([result.stdout.head, result.stderr.head].map((bytes) => Buffer.from(bytes).toString())).toEqual([
      "out\nin",
      "err\n",
    ]);
    const job = await backend.root.shell.spawn("cat", { cwd: dir, lifetime: "session" });
    const refused = await job.write(Buffer.from("x")).catch((thrown: unknown) => thrown);
    expect(HaftError.is(refused, "BACKEND_UNSUPPORTED")).toBe(true);
    expect((await job.result).exit).toEqual({ by: "code", code: 0 });
    rmSync(dir, { recursive: true, force: true });
  });

  /** Runs `test` with a directory where `dd` does something else first. */
  async function withSlowDd(first: (dir: string) => string, test: (shell: Shell, dir: string) => Promise<void>) {
    const dir = mkdtempSync(join(tmpdir(), "haft-bin-"));
    for (const tool of REQUIRED) if (tool !== "dd") symlinkSync(pathOf(tool), join(dir, tool));
    writeFileSync(join(dir, "dd"), `#!${pathOf("sh")}\n${first(dir)}\nexec "${pathOf("dd")}" "$@"\n`, { mode: 0o755 });
    const slow = await openLocalPosix({ shell: [join(dir, "sh")], setEnv: { PATH: dir } });
    try {
      await test(slow.root.shell, dir);
    } finally {
      await slow.close();
      rmSync(dir, { recursive: true, force: true });
    }
  }

  it("waits for output that the remote side copies after the command has exited", async () => {
    // Only the copies of streams have these arguments.
    const first = () => `case "$*" in "bs=65536 count="*) "${pathOf("sleep")}" 0.5 ;; esac`;
    await withSlowDd(first, async (shell, cwd) => {
      const reported: Uint8Array[] = [];
      const onOutput = (_stream: string, chunk: Uint8Array) => void reported.push(chunk);
      const results = [
        await shell.exec("echo whole", { cwd }),
        await shell.exec("echo whole", { cwd, onOutput }),
        await (await shell.spawn("echo whole", { cwd, lifetime: "session" })).result,
      ];
      expect(results.map(({ ended, stdout }) => [ended, Buffer.from(stdout.head).toString(), stdout.final])).toEqual(
        results.map(() => ["itself", "whole\n", true]),
      );
      expect(Buffer.concat(reported).toString()).toBe("whole\n");
    });
  });

  it("keeps the output of a command until its remote shell has answered, which may be after its result", async () => {
    // The remote shell that ran the command is slow; another one reports the result.
    const first = (dir: string) =>
      `case "$*" in *.e.0*) [ -e "${dir}/once" ] || { : >"${dir}/once"; "${pathOf("sleep")}" 2; } ;; esac`;
    await withSlowDd(first, async (shell, cwd) => {
      const other = shell.exec("until [ -e end ]; do :; done", { cwd });
      const command = "echo out; i=0; while [ $i -lt 300 ]; do echo 123456789 >&2; i=$((i + 1)); done";
      const result = await shell.exec(command, { cwd, keep: { head: 100, tail: 100 } });
      expect([result.ended, result.stdout.produced, result.stderr.produced]).toEqual(["itself", 4, 3_000]);
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      writeFileSync(join(cwd, "end"), "");
      expect((await other).ended).toBe("itself");
    });
  });

  it("delivers every byte to a slow listener, and ends in time beside one that is stuck", async () => {
    const dir = mkdtempSync(join(tmpdir(), "haft-minimal-"));
    const bytes = randomBytes(12 * 1024 * 1024);
    writeFileSync(join(dir, "large"), bytes);
    const reported: Uint8Array[] = [];
    const { shell } = backend.root;
    await shell.exec("cat large", {
      cwd: dir,
      async onOutput(_stream, chunk) {
        reported.push(chunk);
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
    });
    expect(Buffer.concat(reported).equals(bytes)).toBe(true);
    const stuck = await shell.exec("while cat large; do :; done", {
      cwd: dir,
      timeoutMs: 500,
      graceMs: 500,
      onOutput: () => new Promise<void>(() => {}),
    });
    expect(stuck.ended).toBe("deadline");
    rmSync(dir, { recursive: true, force: true });
  });
});

function pathOf(tool: string): string {
  const dir = ["/usr/bin", "/bin"].find((one) => existsSync(join(one, tool)));
  if (dir === undefined) throw new Error(`This machine has no ${tool}.`);
  return join(dir, tool);
}

/** What the remote side has no tools for is made from here: it is the same machine. */
function plantHere(what: Plant): void {
  if (what.kind === "mode") {
    chmodSync(what.path, what.mode);
    return;
  }
  const program = {
    link: () => ["ln", "-sfnT", (what as { target: string }).target, `${what.path}.planting`],
    "hard-link": () => ["ln", (what as { of: string }).of, what.path],
    fifo: () => ["mkfifo", what.path],
  }[what.kind]();
  run(program);
  if (what.kind === "link") run(["mv", "-fT", `${what.path}.planting`, what.path]);
}

function run([program = "", ...args]: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args);
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

it("a directory for state that is missing is made, and only its owner may enter what is put there", async () => {
  const dir = mkdtempSync(join(tmpdir(), "haft-state-"));
  mkdirSync(join(dir, "home"));
  const stateDir = join(dir, "not/there yet");
  const backend = await openLocalPosix({ shell: "sh", stateDir });
  const { stdout } = await backend.root.shell.exec("ls -A", { cwd: stateDir });
  const spool = join(stateDir, Buffer.from(stdout.head).toString().trim());
  expect(statSync(spool).mode & 0o777).toBe(0o700);
  await backend.close();
  expect(existsSync(spool)).toBe(false);
  rmSync(dir, { recursive: true, force: true });
});
