/** What a command in a pane of another machine costs and survives: `ssh:HOST+tmux,shell=pane`. */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { until } from "../backends/posix/machine.fixture.js";
import { SshClient } from "../backends/ssh/ssh-client.fixture.js";
import { processStart, sendSignal } from "../host/index.js";
import { createToolkit, type Toolkit } from "../index.js";
import { expectFault } from "../testing/faults.fixture.js";
import { service, withServices } from "../testing/services.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

withServices(["ssh"], "a pane over ssh", () => {
  let client: SshClient;
  let toolkit: Toolkit;
  let work: string;
  beforeEach(() => {
    client = new SshClient();
    // The host is this machine, and its user writes there.
    work = join(service("ssh").home, `pane-${randomBytes(4).toString("hex")}`);
    mkdirSync(work);
    chmodSync(work, 0o777);
  });
  afterEach(async () => {
    await toolkit.close();
    await until(() => client.processes().length === 0);
    expect(client.left()).toEqual([]);
    client.dispose();
    rmSync(work, { recursive: true, force: true });
  });
  const open = async () => {
    const target = `ssh:${service("ssh").hosts.box}+tmux,shell=pane`;
    toolkit = await createToolkit({
      on: [{ target, workspace: work, ssh: { config: client.config } }],
      persist: false,
      autonomy: "full",
    });
    const { runner } = toolkit.box();
    return async (command: string) => {
      const outcome = await runner.run({ id: "c", name: "bash", input: { command } });
      return { ...outcome, text: String(outcome.output) };
    };
  };
  const read = (name: string) => (existsSync(join(work, name)) ? readFileSync(join(work, name), "utf8") : "");

  it.each(["while it continues", "and it ends meanwhile"])(
    "whose connection is killed under a command, %s: the exit code of the command, which ran once",
    async (when) => {
      const call = await open();
      expect((await call("echo first")).structured).toMatchObject({ pane: "%0" });
      const running = call("echo x >> runs; echo before; until [ -e go ]; do sleep 0.05; done; echo after; exit 4");
      await until(() => read("runs") === "x\n");
      const pid = client.master();
      if (when === "and it ends meanwhile") writeFileSync(join(work, "go"), "");
      expect(sendSignal({ pid, start: processStart(pid) ?? 0 }, "SIGKILL")).toBe(true);
      if (when === "while it continues") {
        await until(() => client.processes().some((one) => one !== pid));
        writeFileSync(join(work, "go"), "");
      }
      const built = await running;
      expectFault("tmux over ssh: connection killed", built);
      expect(built.text).toMatch(
        /^stdout:\nbefore\n[\s\S]*exit code 4\nThe connection to the pane %0 was interrupted: output may be missing here/,
      );
      expect(read("runs")).toBe("x\n");
      const next = await call("echo next; cat runs");
      expect([next.text, next.structured]).toEqual([
        expect.stringMatching(/^stdout:\nnext\nx\n.*\nstatus: exit code 0$/),
        expect.objectContaining({ pane: "%0" }),
      ]);
    },
  );
});
