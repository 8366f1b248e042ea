/** What a command in a pane of another machine costs and survives: `ssh:HOST+tmux,shell=pane`. */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { until } from "../backends/posix/machine.fixture.js";
import { SshClient } from "../backends/ssh/ssh-client.fixture.js";
import { SshServer } from "../backends/ssh/ssh-server.fixture.js";
import { processStart, sendSignal } from "../host/index.js";
import { createToolkit, type Toolkit } from "../index.js";
import { expectFault } from "../testing/faults.fixture.js";
import { service, withServices } from "../testing/services.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";

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
  const open = async (host = service("ssh").hosts.box) => {
    const target = `ssh:${host}+tmux,shell=pane`;
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
      // How much of its output had arrived depends on when the connection ended.
      expect(built.text).toMatch(
        /exit code 4\nThe connection to the pane %0 was interrupted: output may be missing here/,
      );
      expect(read("runs")).toBe("x\n");
      const next = await call("echo next; cat runs");
      expect([next.text, next.structured]).toEqual([
        expect.stringMatching(/^stdout:\nnext\nx\n.*\nstatus: exit code 0$/),
        expect.objectContaining({ pane: "%0" }),
      ]);
    },
  );

  verifies(
    "W10",
    "a command that is watched for 10 s starts no process a look, and moves its new bytes only",
    async () => {
      const trace = join(work, "trace");
      const calls = "trace=execve,clone,clone3,fork,vfork";
      const server = await SshServer.start({
        name: "traced",
        like: service("ssh").hosts.box,
        by: ["strace", "-D", "-f", "-qq", "-o", trace, "-e", calls],
      });
      client.dispose();
      client = new SshClient(server.clientSettings);
      client.record();
      try {
        const call = await open(server.name);
        const line = "x".repeat(99);
        const history = 1_000_000;
        const filled = await call(`yes ${line} | head -c ${history}`);
        expect(filled.data).toMatchObject({ stdout: { bytes: history } });
        const seen = () => ({
          clients: client.recorded.length,
          // Each is forked and executed.
          processes: readFileSync(trace, "utf8").match(/ = [1-9]\d*$| execve\(.* = 0$/gm)?.length ?? 0,
          bytes: bytesOf(client.master()),
        });
        const before = seen();
        const watched = await call("i=0; while [ $i -lt 10 ]; do i=$((i + 1)); echo tick $i; sleep 1; done");
        expect(watched.text).toContain("tick 10\n");
        const after = seen();
        expect(after.clients).toBe(before.clients);
        // Its subshells and ten "sleep"; the connection itself may start a few.
        const ofCommand = 2 + 2 * 10;
        expect(after.processes - before.processes).toBeGreaterThanOrEqual(ofCommand);
        expect(after.processes - before.processes).toBeLessThan(ofCommand + 8);
        // The history of the pane once would be more.
        expect(after.bytes - before.bytes).toBeLessThan(history / 2);
      } finally {
        await server.stop();
      }
    },
  );
});

/** What a process has read and written. */
function bytesOf(pid: number): number {
  const numbers = [.../^[rw]char: (\d+)$/gm[Symbol.matchAll](readFileSync(`/proc/${pid}/io`, "utf8"))];
  return numbers.reduce((sum, [, one]) => sum + Number(one), 0);
}
