import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { sendSignal } from "../../host/index.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { until } from "../posix/machine.fixture.js";
import { openSsh } from "./index.js";
import { SshClient } from "./ssh-client.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

withServices(["ssh"], "ssh, by how many sessions a connection may have", () => {
  let server: ChildProcess | undefined;
  let client: SshClient | undefined;
  afterEach(async () => {
    if (server !== undefined) sendSignal(server, "SIGTERM");
    client?.dispose();
  });

  it.each([1, 2, 10])("%i sessions: 64 calls at once all end right, at least four at a time", async (sessions) => {
    const { config, hosts } = service("ssh");
    const port = await freePort();
    client = new SshClient(
      `Host few\n  HostName 127.0.0.1\n  Port ${port}\n  User ${service("ssh").user}`,
      `  HostKeyAlias few-${sessions}`,
      "  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null",
      `  IdentityFile ${join(dirname(config), "id")}\n  IdentitiesOnly yes`,
    );
    const settings = readFileSync(join(dirname(config), `${hosts.box}.sshd`), "utf8")
      .replace(/^Port .*$/m, `Port ${port}`)
      .replace(/^MaxSessions .*$/m, `MaxSessions ${sessions}`)
      .replace(/^PidFile .*$/m, "PidFile none");
    writeFileSync(join(client.directory, "sshd"), settings);
    server = spawn("/usr/sbin/sshd", ["-D", "-f", join(client.directory, "sshd")], { stdio: "ignore" });
    const backend = await until(async () => {
      return (
        (await openSsh({ destination: "few", config: client?.config ?? "" }).then(close, () => undefined)) === true
      );
    }).then(() => openSsh({ destination: "few", config: client?.config ?? "" }));
    const { shell, fs } = backend.root;
    const work = `${backend.home}/few-${sessions}`;
    await fs.mkdir(work, true);
    await fs.writeFile(`${work}/text`, "text");
    const calls = Array.from({ length: 60 }, async (_, index) => {
      if (index % 2 === 0)
        return Buffer.from((await shell.exec(`echo ${index}`, { cwd: work })).stdout.head).toString();
      return fs.readText(`${work}/text`);
    });
    // Each of these waits for the other three.
    const meet = Array.from({ length: 4 }, async (_, index) => {
      const command = `touch here-${index}; until [ -e here-0 -a -e here-1 -a -e here-2 -a -e here-3 ]; do sleep 0.05; done; echo met`;
      return Buffer.from((await shell.exec(command, { cwd: work, timeoutMs: 90_000 })).stdout.head).toString();
    });
    expect(await Promise.all(calls)).toEqual(calls.map((_, index) => (index % 2 === 0 ? `${index}\n` : "text")));
    expect(await Promise.all(meet)).toEqual(["met\n", "met\n", "met\n", "met\n"]);
    await fs.rm(work, { recursive: true, ignoreMissing: false });
    await backend.close();
    await until(() => client?.processes().length === 0);
    expect(client.left()).toEqual([]);
  });
});

const close = async (backend: { close(): Promise<unknown> }) => {
  await backend.close();
  return true;
};

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
