import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Backend } from "../../kernel/index.js";
import { conform, realClock } from "../../testing/conform.fixture.js";
import {
  backendSuite,
  type Fixture,
  fsSuite,
  type Plan,
  plantByShell,
  type RunnableCase,
  searchSuite,
  shellSuite,
} from "../../testing/index.js";
import { isSampled } from "../../testing/long.fixture.js";
import { PosixMachine, until } from "./machine.fixture.js";
import { POSIX_CANNOT, underEachShell } from "./shells.fixture.js";
import { isSmoke } from "./smoke.fixture.js";

// Each case starts dozens of processes: on a machine that is busy with other things that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

underEachShell((shell) => {
  const machine = new PosixMachine(shell);
  let backend: Backend;
  beforeAll(async () => {
    backend = await machine.open();
  });
  afterAll(() => machine.dispose());

  const plan: Plan<Fixture> = {
    name: `posix:${shell}`,
    async create() {
      const dir = realpathSync(mkdtempSync(join(tmpdir(), "haft-posix-")));
      return {
        backend,
        directory: dir,
        clock: realClock,
        plant: plantByShell(backend),
        openAnother: () => machine.open(),
        dispose: async () => rmSync(dir, { recursive: true, force: true }),
      };
    },
    cannot: POSIX_CANNOT[shell],
    knownFailures: {},
  };
  // The search engine is the one that the memory backend proves whole; here a sample of it reads through the shell.
  const isRun = (one: RunnableCase, index: number) => !one.id.startsWith("search:") || isSampled(index);
  conform(plan, [fsSuite, shellSuite, searchSuite, backendSuite], (one, index) => {
    return isSmoke(one) || (shell === "dash" && isRun(one, index));
  });

  it("starts a command itself with no signal ignored and none blocked", async () => {
    const { stdout } = await backend.root.shell.exec("cat /proc/self/status", { cwd: machine.work });
    const sets = Buffer.from(stdout.head)
      .toString()
      .match(/^Sig(Ign|Blk):\s+\S+$/gm);
    expect(sets).toEqual(["SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"]);
  });

  it("gives every command the variables of the backend, whatever their values", async () => {
    const env = { HAFT_MODE: 'it\'s "a" $HOME\n\\n two', TERM: "vt100" };
    const other = await machine.open({ env });
    const { stdout } = await other.root.shell.exec("printf '%s,' \"$HAFT_MODE\" $TERM; sh -c 'echo $TERM'", {
      cwd: "/",
    });
    expect(Buffer.from(stdout.head).toString()).toBe(`${env.HAFT_MODE},vt100,vt100\n`);
    await other.close();
    await expect(machine.open({ env: { hf_s: "/" } })).rejects.toThrow('Cannot set the variable "hf_s" for commands');
  });

  it("leaves no process and no directory behind all of this", async () => {
    await backend.close();
    await until(() => machine.processes().length === 0);
    // What became of a job that was to be kept is known for seven days.
    const kept = (spool: string) => readdirSync(join(machine.state, spool)).some((name) => name.endsWith(".keep"));
    expect(machine.leftovers().filter((spool) => !kept(spool))).toEqual([]);
  });
});
