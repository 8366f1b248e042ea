/** Output far larger than what is shown passes through in bounded memory, wherever the command runs. */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { expectFault } from "../../src/testing/faults.fixture.js";
import { LONG } from "../../src/testing/long.fixture.js";
import { withBubblewrap, withPrograms } from "../../src/testing/programs.fixture.js";
import { service, withServices } from "../../src/testing/services.fixture.js";
import { startHost } from "./hosts.js";

const BYTES = (LONG ? 1_024 : 64) * 2 ** 20;
/** Of the whole process above what it was before: less than the output as bytes and as text. Node.js lets garbage grow before it collects it. */
const MAX_MB = 110;

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-output-")));
const directory = mkdtempSync(join(base, "ws-"));
chmodSync(base, 0o755);
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The memory in MB by which a host grew while the command ran, and what the model gets. */
async function printed(on: unknown, env: Readonly<Record<string, string>> = {}) {
  const host = startHost(
    directory,
    join(base, "state"),
    `
    import { readFileSync, writeFileSync } from "node:fs";
    Object.assign(process.env, ${JSON.stringify(env)});
    const memory = (name) => Number(new RegExp(name + ":\\\\s+(\\\\d+)").exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
    const on = ${JSON.stringify(on)};
    const toolkit = await open(typeof on === "string" ? { on } : { on: [on], workspace: undefined });
    const { runner } = toolkit.box();
    await runner.run({ id: "0", name: "bash", input: { command: "head -c 1000000 /dev/zero | tr '\\\\0' a" } });
    writeFileSync("/proc/self/clear_refs", "5"); // the peak starts from here
    const before = memory("VmRSS");
    const command = "head -c ${BYTES} /dev/zero | tr '\\\\0' a";
    const { isError, code, output } = await runner.run({ id: "1", name: "bash", input: { command, timeoutMs: 600_000 } });
    console.log(JSON.stringify({ isError, code, output: String(output), grewBy: memory("VmHWM") - before }));
    await toolkit.close();
    `,
  );
  const { stdout, stderr } = await host.ended;
  expect(stderr).toBe("");
  return JSON.parse(stdout) as { isError: boolean; code?: string; output: string; grewBy: number };
}

async function check(on: unknown, env?: Readonly<Record<string, string>>) {
  const seen = await printed(on, env);
  const { isError, output, grewBy } = seen;
  expect([isError, output.slice(0, 300)]).toEqual([false, expect.anything()]);
  expect(output.replaceAll(/[,_](?=\d)/g, "")).toContain(String(BYTES));
  expect(output.length).toBeLessThan(200_000);
  expect(grewBy).toBeLessThan(MAX_MB);
  return seen;
}

const LIMIT_MS = LONG ? 900_000 : 180_000;

it.runIf(process.platform === "linux")(
  "much output of this machine",
  async () => void (await check("local")),
  LIMIT_MS,
);

withBubblewrap("much output of a sandbox", () =>
  it("is bounded", async () => expectFault("sandbox: much output", await check("sandbox")), LIMIT_MS),
);

withPrograms("much output of a pane", ["tmux"], () => {
  it("is bounded", async () => expectFault("tmux: much output", await check("local+tmux,shell=pane")), LIMIT_MS);
});

withServices(["ssh"], "much output", () => {
  it(
    "over ssh",
    async () => {
      const { config, hosts } = service("ssh");
      const on = { target: `ssh:${hosts.box}`, workspace: "/tmp", ssh: { config } };
      expectFault("ssh: much output", await check(on));
    },
    LIMIT_MS,
  );
});

withServices(["podman"], "much output", () => {
  it(
    "of a container",
    async () => {
      const { container, env } = service("podman");
      expectFault("container: much output", await check({ target: `podman:${container}`, workspace: "/tmp" }, env));
    },
    LIMIT_MS,
  );
});
