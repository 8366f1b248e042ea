/** The client of one test: a configuration, temporary directory and `ssh` of its own, so that what it leaves behind can be seen. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { service } from "../../testing/services.fixture.js";

export class SshClient {
  readonly directory = mkdtempSync("/tmp/haft-t-");
  readonly config = join(this.directory, "config");
  readonly #before = { TMPDIR: process.env.TMPDIR, PATH: process.env.PATH };

  /** @param settings - Lines of the configuration that come before those of the services. */
  constructor(...settings: readonly string[]) {
    writeFileSync(this.config, `${settings.join("\n")}\nMatch all\nInclude ${service("ssh").config}\n`);
    process.env.TMPDIR = mkdtempSync(join(this.directory, "t"));
  }

  /** From now on the arguments of each ssh are recorded. */
  record(): void {
    const ssh = join(this.directory, "ssh");
    writeFileSync(ssh, `#!/bin/sh\necho "$*" >>"${this.directory}/argv"\nPATH=$PATH_WITHOUT exec ssh "$@"\n`);
    chmodSync(ssh, 0o755);
    process.env.PATH_WITHOUT = process.env.PATH;
    process.env.PATH = `${this.directory}:${process.env.PATH}`;
  }

  get recorded(): readonly string[] {
    return readFileSync(join(this.directory, "argv"), "utf8").trim().split("\n");
  }

  /** The sockets and directories of connections. */
  left(): readonly string[] {
    return readdirSync(process.env.TMPDIR ?? "", { recursive: true, encoding: "utf8" });
  }

  /** The processes of ssh that use this configuration. */
  processes(): readonly number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(this.config))
      .map(Number);
  }

  /** The process that holds the connection. */
  master(): number {
    const found = this.processes().find((pid) => commandLine(String(pid)).includes("\0-N\0"));
    if (found === undefined) throw new Error("there is no connection");
    return found;
  }

  dispose(): void {
    for (const name of ["TMPDIR", "PATH"] as const) {
      if (this.#before[name] === undefined) delete process.env[name];
      else process.env[name] = this.#before[name];
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
