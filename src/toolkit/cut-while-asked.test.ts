/** The way to a machine fails while a user is asked about a call: the call runs at most once, or fails and never runs. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TestEngine } from "../backends/container/engine.fixture.js";
import { pause, until } from "../backends/posix/machine.fixture.js";
import { SshClient } from "../backends/ssh/ssh-client.fixture.js";
import { createToolkit, type ToolkitOptions } from "../index.js";
import { expectFault } from "../testing/faults.fixture.js";
import { service, withServices } from "../testing/services.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** A toolkit whose user allows everything, after `whileAsked`. */
async function asking(on: ToolkitOptions["on"], whileAsked: () => Promise<void>) {
  let asked = 0;
  const toolkit = await createToolkit({
    ...(on === undefined ? {} : { on }),
    persist: false,
    autonomy: "supervised",
    approver: {
      async ask() {
        asked++;
        await whileAsked();
        return { by: "ada", scope: "once" };
      },
    },
  });
  const { runner } = toolkit.box();
  let count = 0;
  return {
    toolkit,
    asked: () => asked,
    call: (name: string, input: object) => runner.run({ id: String(++count), name, input }),
  };
}

withServices(["ssh", "links"], "a connection of ssh that is cut while a user is asked", () => {
  let client: SshClient;
  let host: string;
  beforeEach(() => {
    client = new SshClient();
    host = service("ssh").hosts.cut[1] ?? service("ssh").hosts.cut[0]!;
  });
  afterEach(async () => {
    link("up");
    await until(() => client.processes().length === 0);
    expect(client.left()).toEqual([]);
    client.dispose();
  });
  const link = (state: "up" | "down") => execFileSync("ip", ["link", "set", service("ssh").linkOf[host] ?? "", state]);
  const start = (whileAsked: () => Promise<void>) =>
    asking([{ target: `ssh:${host}`, ssh: { config: client.config }, workspace: service("ssh").home }], whileAsked);
  const named = () => `runs-${randomBytes(4).toString("hex")}`;

  const killConnection = () => process.kill(client.master(), "SIGKILL");
  const cutFor = async (ms: number) => {
    link("down");
    await pause(ms);
    link("up");
  };

  it.each<[string, () => Promise<void>]>([
    ["the link", () => cutFor(3_000)],
    ["the connection", async () => void killConnection()],
    [
      "both",
      () => {
        killConnection();
        return cutFor(1_000);
      },
    ],
  ])("%s, and is back at the answer: it runs once", async (_, cut) => {
    const { toolkit, call, asked } = await start(cut);
    const name = named();
    // A deletion is asked about.
    const outcome = await call("bash", { command: `echo x >> ${name}; cat ${name}; rm -rf nothing-${name}` });
    expectFault("ssh: cut in an approval", outcome);
    expect(asked()).toBe(1);
    expect(String(outcome.output)).toMatch(/^stdout:\nx\n(?!x)/);
    expect(String((await call("bash", { command: `cat ${name}; rm -rf ${name}` })).output)).toMatch(
      /^stdout:\nx\n(?!x)/,
    );
    await toolkit.close();
  });

  it("both, and are not back at the answer: it fails, and does not run later", async () => {
    const { toolkit, call } = await start(async () => {
      link("down");
      killConnection();
    });
    await call("bash", { command: "true" });
    const name = named();
    const outcome = await call("bash", { command: `echo x >> ${name}; rm -rf nothing-${name}` });
    link("up");
    // On a busy machine the time for the paths of the call may end before the connection has failed.
    if (outcome.code === "CALL_TIMEOUT") expect(String(outcome.output)).toContain("before it began");
    else expectFault("ssh: cut after an approval", outcome);
    await until(async () => (await call("bash", { command: "true" })).status === "ok");
    expect(String((await call("bash", { command: `ls ${name}` })).output)).toContain("No such file");
    await toolkit.close();
  });
});

withServices(["podman"], "a container that is removed while a user is asked", () => {
  it("the call fails and does not run", async () => {
    const engine = new TestEngine("podman");
    for (const [name, value] of Object.entries(service("podman").env)) vi.stubEnv(name, value);
    try {
      const container = engine.start();
      const { toolkit, call } = await asking(
        [{ target: `podman:${container}`, workspace: "/" }],
        async () => void engine.run("rm", "-f", container),
      );
      expectFault("container: removed", await call("bash", { command: "echo x; rm -rf /nothing" }));
      await toolkit.close();
    } finally {
      vi.unstubAllEnvs();
      engine.dispose();
    }
  });
});
