import {
  chownSync,
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
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { allProcesses, isDead, processStart } from "../../host/index.js";
import { withBubblewrap } from "../../testing/programs.fixture.js";
import { createSandboxBackend } from "./index.js";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-kept-")));
  for (const name of ["home", "ws", "tmp", "other-tmp"]) mkdirSync(join(base, name));
  vi.stubEnv("TMPDIR", join(base, "tmp"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

const cwd = () => join(base, "ws");
const open = (state: string) =>
  createSandboxBackend({ cwd: cwd(), home: join(base, "home"), stateDir: join(base, state) });

/** A job that continues after its host has ended: the private directory, which names a process that is no more, and what ends the job. */
async function keptJob(command: string): Promise<{ readonly root: string; end(): Promise<void> }> {
  const host = await open("state");
  await host.root.shell.spawn(`touch started; ${command}`, { cwd: cwd(), lifetime: "keep" });
  await vi.waitFor(() => expect(existsSync(join(cwd(), "started"))).toBe(true), { timeout: 20_000 });
  await host.close();
  const [name = ""] = readdirSync(join(base, "tmp"));
  const root = join(base, "tmp", name);
  writeFileSync(join(root, "owner"), `2147483647 1\n${cwd()}\n`);
  return {
    root,
    async end() {
      const next = await open("state");
      for (const { id } of await next.root.shell.jobs())
        await next.root.shell.attach(id).then((job) => job?.kill("KILL"));
      await next.close();
    },
  };
}

function isOf(pid: number, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(directory);
  } catch {
    return false;
  }
}

withBubblewrap("a kept job of an ended host", () => {
  it.each([
    ["of another state directory", "tmp"],
    ["of another directory of temporary files", "other-tmp"],
  ])(
    "keeps what git obeys read-only when a sandbox %s closes",
    async (_, tmp) => {
      mkdirSync(join(cwd(), ".git/refs"), { recursive: true });
      mkdirSync(join(cwd(), ".git/objects"));
      writeFileSync(join(cwd(), ".git/HEAD"), "ref: refs/heads/main\n");
      const job = await keptJob("until echo .. > .git/commondir; do sleep 0.02; done; echo out > out");
      vi.stubEnv("TMPDIR", join(base, tmp));
      const second = await open("second-state");
      await second.close();
      expect(readFileSync(join(cwd(), ".git/commondir"), "utf8")).toBe(".\n");
      await job.end();
      expect(existsSync(join(cwd(), "out"))).toBe(false);
    },
    60_000,
  );

  it("leaves a sandbox that is closed meanwhile nothing of its private directory", async () => {
    const job = await keptJob("exec sleep 600");
    const second = await open("state");
    await second.close();
    expect(readdirSync(join(base, "tmp")).map((name) => join(base, "tmp", name))).toEqual([job.root]);
    await job.end();
  }, 60_000);

  // The turns of the event queue that a start takes, and more.
  it.each([0, 1, 2, 3, 4, 8])(
    "does not run without its private directory when the sandbox closes meanwhile, %i turns after its start",
    async (turns) => {
      const host = await open("state");
      const spawned = host.root.shell.spawn("exec sleep 600", { cwd: cwd(), lifetime: "keep" }).catch(() => {});
      for (let turn = 0; turn < turns; turn++) await undefined;
      await host.close();
      await spawned;
      const hasDirectory = readdirSync(join(base, "tmp")).length > 0;
      const running = allProcesses().filter((entry) => !isDead(entry) && isOf(entry.pid, join(base, "state/jobs")));
      for (const { pid } of running) process.kill(pid, "SIGKILL");
      const next = await open("state");
      for (const { id } of await next.root.shell.jobs())
        await next.root.shell.attach(id).then((job) => job?.kill("KILL"));
      await next.close();
      expect(hasDirectory).toBe(running.length > 0);
    },
  );

  it("has its private directory as long as it runs, and not after", async () => {
    const job = await keptJob("exec sleep 600");
    const old = Date.now() / 1_000 - 30 * 24 * 3_600;
    utimesSync(job.root, old, old);
    await (await open("state")).close();
    expect(existsSync(join(job.root, "home"))).toBe(true);
    await job.end();
    utimesSync(job.root, old, old);
    await (await open("state")).close();
    expect(existsSync(job.root)).toBe(false);
  }, 60_000);
});

withBubblewrap("what another user puts beside a private directory", () => {
  it.runIf(process.getuid?.() === 0)(
    "does not count as a sandbox, and is not read",
    async () => {
      const claim = join(base, "tmp/haft-sandbox-claim");
      mkdirSync(claim);
      writeFileSync(join(claim, "owner"), `${process.pid} ${processStart(process.pid)}\n${cwd()}\n`);
      const sandbox = await open("state");
      expect(readdirSync(cwd())).toEqual([".git"]);
      chownSync(claim, 54_321, 54_321);
      await sandbox.close();
      expect(readdirSync(cwd())).toEqual([]);
    },
    60_000,
  );
});
