/**
 * The time of this machine is set forward or back by an hour while a call runs. On other machines nothing reads theirs: the scripts
 * there count pauses, or the seconds since boot.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { until } from "../backends/posix/machine.fixture.js";
import { createToolkit, defineTool, ok } from "../index.js";
import { expectFault } from "../testing/faults.fixture.js";
import { withBubblewrap, withPrograms } from "../testing/programs.fixture.js";
import { service, withServices } from "../testing/services.fixture.js";

vi.setConfig({ testTimeout: 60_000 });

const HOUR_MS = 3_600_000;
/** As long as a command may take whose end the test waits for. */
const LIMIT_MS = 50_000;

function jumpsOn(open: () => { readonly target: string; readonly workspace?: string; readonly ssh?: object }): void {
  const directories: string[] = [];
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    for (const one of directories.splice(0)) rmSync(one, { recursive: true, force: true });
  });

  async function start() {
    const target = open();
    const state = realpathSync(mkdtempSync(join(tmpdir(), "haft-jumps-")));
    directories.push(state);
    const readAfter = defineTool({
      name: "read_after",
      description: "Reads a file after the time of the machine was set.",
      input: { type: "object", properties: { byMs: { type: "integer" } }, required: ["byMs"] } as const,
      effect: "read",
      claims: (_, { workspace }) => [{ kind: "file", path: `${workspace}/file`, access: ["read"], scope: "self" }],
      async run({ byMs }, ctx) {
        const leftMs = ctx.deadline - ctx.clock.now();
        jump(byMs);
        expect(Math.abs(ctx.deadline - ctx.clock.now() - leftMs)).toBeLessThan(HOUR_MS / 2);
        return ok({ text: await ctx.fs.readText(`${ctx.workspace}/file`) });
      },
    });
    const toolkit = await createToolkit({
      on: [{ workspace: state, ...target }],
      persist: false,
      autonomy: "full",
      gate: "off",
      tools: [readAfter],
    });
    const { runner } = toolkit.box("all");
    const call = async (name: string, input: object) => await runner.run({ id: "c", name, input });
    const { output } = await call("bash", { command: 'cd "$(mktemp -d)" && pwd' });
    const work = /\/\S*tmp\S*/.exec(String(output))?.[0] ?? "";
    return { call, work, toolkit };
  }

  /** From now on the time of this machine is that of its clock and this much more. */
  function jump(byMs: number): void {
    const real = performance.timeOrigin;
    vi.spyOn(Date, "now").mockImplementation(() => Math.round(real + performance.now() + byMs));
  }

  it.each([HOUR_MS, -HOUR_MS])(
    "by %d ms: a command is neither ended nor failed, and gives its result once",
    async (byMs) => {
      const { call, work, toolkit } = await start();
      const command = `cd ${work}; echo x >> runs; until [ -e go ]; do sleep 0.05; done; cat runs; exit 4`;
      const running = call("bash", { command, timeoutMs: LIMIT_MS });
      const reached = async () => (await call("bash", { command: `ls ${work}` })).output;
      await until(async () => String(await reached()).includes("runs"));
      jump(byMs);
      // Another call begins and ends meanwhile.
      expect((await call("bash", { command: `touch ${work}/go` })).status).toBe("ok");
      const outcome = await running;
      expectFault("every target: clock jump", outcome);
      const { code, output } = outcome;
      expect([code, String(output).match(/x\n/g)?.length]).toEqual(["SHELL_EXIT", 1]);
      await call("bash", { command: `rm -r ${work}` });
      await toolkit.close();
    },
  );

  it.each([HOUR_MS, -HOUR_MS])("by %d ms: a command still ends at its deadline", async (byMs) => {
    const { call, work, toolkit } = await start();
    const running = call("bash", { command: "sleep 600", timeoutMs: 2_000 });
    await call("bash", { command: `rm -r ${work}` });
    jump(byMs);
    expect(await running).toMatchObject({ status: "timed-out", code: "SHELL_TIMEOUT" });
    await toolkit.close();
  });

  it.each([HOUR_MS, -HOUR_MS])("by %d ms: a file is read in the call in which it happens", async (byMs) => {
    const { call, work, toolkit } = await start();
    await call("bash", { command: `rm -r ${work}; echo text > file` });
    expect(await call("read_after", { byMs })).toMatchObject({ status: "ok", output: { text: "text\n" } });
    await call("bash", { command: "rm file" });
    await toolkit.close();
  });
}

describe("the time of this machine is set, on local", () => jumpsOn(() => ({ target: "local" })));
describe("the time of this machine is set, on a plain shell", () => jumpsOn(() => ({ target: "posix:sh" })));
withBubblewrap("the time of this machine is set, in a sandbox", () => jumpsOn(() => ({ target: "sandbox" })));
withPrograms("the time of this machine is set, in a pane", ["tmux"], () =>
  jumpsOn(() => ({ target: "local+tmux,shell=pane" })),
);
withServices(["ssh"], "the time of this machine is set, over ssh", () => {
  jumpsOn(() => {
    const { config, hosts, home } = service("ssh");
    return { target: `ssh:${hosts.box}`, workspace: home, ssh: { config } };
  });
});
withServices(["podman"], "the time of this machine is set, in a container", () => {
  jumpsOn(() => {
    const { container, env } = service("podman");
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    return { target: `podman:${container}`, workspace: "/home/user" };
  });
});
