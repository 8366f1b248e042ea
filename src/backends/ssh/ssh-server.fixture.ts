/** Servers of a test's own: as one of the services but for some settings, and where a test may cut, trace or kill them. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { sendSignal } from "../../host/index.js";
import { service } from "../../testing/services.fixture.js";
import { isAlive, until } from "../posix/machine.fixture.js";

export interface SshServerOptions {
  /** The alias for clients. */
  readonly name: string;
  /** The service whose user, shell and programs it has. */
  readonly like: string;
  /** Settings of sshd that differ. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What starts it. Default: nothing. */
  readonly by?: readonly string[];
}

export class SshServer {
  readonly name: string;
  readonly user: string;
  /** The part of a client's configuration that leads to it. */
  readonly clientSettings: string;
  readonly process: ChildProcess;
  readonly #directory = mkdtempSync("/tmp/haft-sshd-");

  private constructor({ name, like, settings, by = [] }: SshServerOptions, port: number) {
    const { config } = service("ssh");
    const all = settingsOf(like, { ...settings, Port: String(port), PidFile: "none" });
    const file = join(this.#directory, "sshd");
    writeFileSync(file, [...all].map(([key, value]) => `${key} ${value}\n`).join(""));
    this.name = name;
    this.user = all.get("AllowUsers") ?? "";
    this.clientSettings = [
      `Host ${name}`,
      `  HostName ${all.get("ListenAddress")}\n  Port ${port}\n  User ${this.user}`,
      `  HostKeyAlias ${name}\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null`,
      `  IdentityFile ${join(dirname(config), "id")}\n  IdentitiesOnly yes`,
    ].join("\n");
    const [program = "", ...args] = [...by, "/usr/sbin/sshd", "-D", "-f", file, "-E", join(this.#directory, "log")];
    this.process = spawn(program, args, { stdio: "ignore" });
  }

  /** A server that listens. */
  static async start(options: SshServerOptions): Promise<SshServer> {
    const server = new SshServer(options, await freePort());
    await until(() => server.log.includes("Server listening"));
    return server;
  }

  get log(): string {
    try {
      return readFileSync(join(this.#directory, "log"), "utf8");
    } catch {
      return "";
    }
  }

  /** Ends it. Sessions that are open continue. */
  async stop(): Promise<void> {
    const { pid = 0 } = this.process;
    sendSignal(this.process, "SIGTERM");
    await until(() => !isAlive(pid));
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** The address that a service listens on. */
export function addressOf(host: string): string {
  return settingsOf(host).get("ListenAddress") ?? "";
}

function settingsOf(host: string, changed: Readonly<Record<string, string>> = {}): Map<string, string> {
  const text = readFileSync(join(dirname(service("ssh").config), `${host}.sshd`), "utf8");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => /^(\S+) (.*)$/.exec(line));
  return new Map([...lines.map((line) => [line?.[1] ?? "", line?.[2] ?? ""] as const), ...Object.entries(changed)]);
}

/** One that is free here. In the namespaces of the services, where tests of other checkouts run too, it is random enough. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(20_000 + randomInt(12_000), "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
