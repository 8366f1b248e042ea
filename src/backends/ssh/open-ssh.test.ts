import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { HaftError, ShellResult } from "../../kernel/index.js";
import { AWKWARD_WORDS } from "../../testing/awkward-words.fixture.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { until } from "../posix/machine.fixture.js";
import { openSsh, openSshConnection } from "./index.js";
import { SshClient } from "./ssh-client.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const out = (result: ShellResult) => Buffer.from(result.stdout.head).toString();

withServices(["ssh"], "ssh", () => {
  let client: SshClient;
  beforeEach(() => {
    client = new SshClient();
  });
  afterEach(() => client.dispose());
  const nothingLeft = async () => {
    await until(() => client.processes().length === 0);
    expect(client.left()).toEqual([]);
  };

  it("writes tabs, control characters and a file without a last line break as they are [SSH-06]", async () => {
    const backend = await openSsh({ destination: service("ssh").hosts.box, config: client.config });
    const { fs, shell } = backend.root;
    const content = "\ttab\u0004eof\u0003\r\nno newline at end";
    const path = `${out(await shell.exec("mktemp -d", { cwd: "/" })).trim()}/r.bin`;
    await fs.writeFile(path, content);
    const dumped = out(await shell.exec(`od -An -v -tx1 ${path}; rm -r ${dirname(path)}`, { cwd: "/" }));
    expect(dumped.replaceAll(/\s/g, "")).toBe(Buffer.from(content).toString("hex"));
    await backend.close();
  });

  it("runs commands, and reads and writes files, on the other machine", async () => {
    const { user, home, hosts } = service("ssh");
    const env = { HAFT_MODE: "from here" };
    const backend = await openSsh({ destination: hosts.box, config: client.config, env });
    const { shell, fs } = backend.root;
    expect(out(await shell.exec("echo $HAFT_MODE", { cwd: "/" }))).toBe("from here\n");
    expect([backend.name, backend.home, backend.cwd]).toEqual([`ssh:${hosts.box}`, home, home]);
    const result = await shell.exec("id -un; pwd; exit 3", { cwd: "/" });
    expect([out(result), result.exit]).toEqual([`${user}\n/\n`, { by: "code", code: 3 }]);
    const bytes = randomBytes(300_000);
    await fs.writeFile(`${home}/bytes`, bytes);
    expect(Buffer.compare(await fs.readBytes(`${home}/bytes`), bytes)).toBe(0);
    await fs.rm(`${home}/bytes`, { recursive: false, ignoreMissing: false });
    expect(await backend.close()).toEqual({ left: [] });
    await nothingLeft();
  });

  verifies(
    ["BD-065", "BD-066", "BD-067", "BD-068", "W30"],
    "opens one connection, uses it for everything, closes it and removes its socket",
    async () => {
      client.record();
      const backend = await openSsh({ destination: service("ssh").hosts.box, config: client.config });
      const socket = client.left().find((name) => /\/[0-9a-f]{40}$/.test(name)) ?? "";
      const path = join(process.env.TMPDIR ?? "", socket);
      expect(statSync(path).isSocket()).toBe(true);
      expect([statSync(dirname(path)).mode & 0o777, path.length < 90]).toEqual([0o700, true]);
      await Promise.all(Array.from({ length: 8 }, () => backend.root.shell.exec("true", { cwd: "/" })));
      await backend.root.fs.readDir("/");
      await backend.close();
      const opened = client.recorded.filter((line) => line.includes("ControlMaster=yes"));
      const used = client.recorded.filter((line) => line.includes("ControlMaster=no"));
      const closed = client.recorded.filter((line) => line.includes("-O exit"));
      expect([opened.length, used.length, closed.length]).toEqual([1, 2, 1]);
      for (const line of [...opened, ...used]) {
        for (const part of ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ControlPath=", "-- box"]) {
          expect(line).toContain(part);
        }
      }
      expect(opened[0]).toMatch(/-N -f .*ControlPersist=15/);
      for (const line of used) expect(line).toMatch(/ -T .*ControlPath=\S*haft-ssh-/);
      expect(existsSync(path)).toBe(false);
      await nothingLeft();
    },
  );

  it.each([
    ["wrong-key", "host-key-changed", "it sent SHA256:", true],
    ["no-key", "authentication", "the server takes publickey", true],
    ["box:1", "refused", "refused", false],
    ["nosuch.invalid", "host-not-found", '"nosuch.invalid"', false],
    ["unknown-key", "host-key-unknown", "its ED25519 host key", true],
    ["behind-no-key", "jump-host", "at the jump host: no key was accepted", true],
    ["behind-box", "jump-host", "the jump host could not connect: the connection was refused", false],
  ])("%s: %s, and nothing is left behind [SSH-02]", async (destination, reason, why, isByHand) => {
    client.dispose();
    client = new SshClient(
      "Host unknown-key\n  UserKnownHostsFile /dev/null\n  HostKeyAlias never-seen",
      "Host behind-no-key\n  ProxyJump no-key",
      "Host behind-box\n  ProxyJump box\n  HostName 127.0.0.1\n  Port 1",
      `Host unknown-key\n  HostName 127.0.0.1\n  StrictHostKeyChecking yes\n  GlobalKnownHostsFile none\n  Port ${portOf()}`,
    );
    const failed: unknown = await openSsh({ destination, config: client.config }).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringContaining(why),
      details: { backend: `ssh:${destination}`, reason },
    });
    // A command that the message advises can be pasted.
    const advised = (failed as HaftError).message.match(/`ssh [^`]*`/g) ?? [];
    expect(advised).toHaveLength(Number(isByHand));
    for (const command of advised) expect(command).toContain(`-F ${client.config} ${destination}`);
    await nothingLeft();
  });

  it("a server that never answers is reported", async () => {
    const server = createServer(() => {});
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
    });
    const destination = `127.0.0.1:${port}`;
    await expect(openSsh({ destination, config: client.config })).rejects.toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      details: { reason: "timed-out" },
    });
    server.close();
    await nothingLeft();
  });

  withServices(["links"], "ssh to a host of its own", () => {
    it.each([
      ["exit 7", "it ended with exit code 7."],
      ["sleep 60", "it did not answer within 2000 ms."],
      ["exec cat >/dev/null", "it did not answer within 2000 ms."],
    ])("names the start-up files where one of them does this: %s", async (line, why) => {
      const { home, hosts } = service("ssh");
      const destination = hosts.cut[1]!;
      const reached = await openSsh({ destination, config: client.config });
      const { stdout } = await reached.root.shell.exec("echo $SSH_CONNECTION", { cwd: "/" });
      await reached.close();
      const [, , address = ""] = Buffer.from(stdout.head).toString().split(" ");
      expect(address).toMatch(/^[\d.]+$/);
      // All hosts have one home directory, and other tests connect to the others at the same time.
      writeFileSync(`${home}/.bashrc`, `case $SSH_CONNECTION in *" ${address} "*) ${line};; esac\n`);
      try {
        const opening = openSsh({ destination, config: client.config, connectTimeoutMs: 2_000 });
        await expect(opening).rejects.toMatchObject({
          code: "BACKEND_UNAVAILABLE",
          message: expect.stringMatching(
            new RegExp(
              `^Could not reach "ssh:${destination}": ${why} The start-up files .*\`ssh -F ${client.config} ${destination} true\` must succeed at once\\.$`,
            ),
          ),
        });
      } finally {
        rmSync(`${home}/.bashrc`);
      }
      await nothingLeft();
    });
  });

  it("runs no program of the home directory for itself, where start-up files put it on PATH", async () => {
    const { home, hosts } = service("ssh");
    const names = ["stat", "find", "ls", "dd", "mkdir", "rg"];
    writeFileSync(`${home}/.bashrc`, "PATH=.:$HOME/bin:$PATH\n");
    mkdirSync(`${home}/bin`);
    for (const file of names.flatMap((name) => [`${home}/${name}`, `${home}/bin/${name}`]))
      writeFileSync(file, `#!/bin/sh\necho ran >>${home}/ran\n`, { mode: 0o755 });
    try {
      const backend = await openSsh({ destination: hosts.box, config: client.config });
      await backend.root.fs.writeFile(`${home}/file`, "text");
      expect(await backend.root.fs.readText(`${home}/file`)).toBe("text");
      expect(existsSync(`${home}/ran`)).toBe(false);
      await backend.root.shell.exec("stat /", { cwd: home });
      expect(existsSync(`${home}/ran`)).toBe(true);
      await backend.close();
    } finally {
      for (const name of [...names, "bin", ".bashrc", "file", "ran"])
        rmSync(`${home}/${name}`, { recursive: true, force: true });
    }
    await nothingLeft();
  });

  it.each(["a b", "${HOME}", "%h", '"'])("connects where the temporary directory is called %s", async (name) => {
    process.env.TMPDIR = mkdtempSync(join(client.directory, name));
    const backend = await openSsh({ destination: service("ssh").hosts.box, config: client.config });
    expect((await backend.root.shell.exec("true", { cwd: "/" })).exit).toEqual({ by: "code", code: 0 });
    await backend.close();
    await nothingLeft();
  });

  it("puts its socket elsewhere where the name of the temporary directory leaves no room for it", async () => {
    client.record();
    process.env.TMPDIR = join(client.directory, "x".repeat(120 - client.directory.length - 1));
    mkdirSync(process.env.TMPDIR);
    expect(process.env.TMPDIR.length).toBe(120);
    const backend = await openSsh({ destination: service("ssh").hosts.box, config: client.config });
    expect(out(await backend.root.shell.exec("echo there", { cwd: "/" }))).toBe("there\n");
    const directory = dirname(/ControlPath=(\S+)/.exec(client.recorded[0] ?? "")?.[1] ?? "");
    expect(directory).toMatch(/^\/tmp\/haft-ssh-/);
    expect([statSync(directory).mode & 0o777, readdirSync(directory).length > 0]).toEqual([0o700, true]);
    await backend.close();
    expect(existsSync(directory)).toBe(false);
    await nothingLeft();
  });

  it("asks for a directory where none can be created for the socket", async () => {
    process.env.TMPDIR = join(client.directory, "none");
    await expect(openSsh({ destination: "box", config: client.config })).rejects.toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringMatching(
        new RegExp(
          `^Could not reach "ssh:box": the directory for its socket cannot be created in "${client.directory}/none" \\(ENOENT.*\\)\\. Set TMPDIR to `,
        ),
      ),
      details: { backend: "ssh:box" },
    });
  });

  it("advises to install ssh only where it is missing", async () => {
    const message = () =>
      openSsh({ destination: "box", config: client.config }).catch((thrown: Error) => thrown.message);
    process.env.PATH = client.directory;
    expect(await message()).toBe("Did not start ssh: spawn ssh ENOENT. Install the OpenSSH client.");
    writeFileSync(join(client.directory, "ssh"), "", { mode: 0o644 });
    expect(await message()).toBe("Did not start ssh: spawn ssh EACCES. Run `ssh -V` to see why.");
  });

  it("reports a shortage of descriptors as one", async () => {
    const script = await bundleForProcess(new URL("./few-descriptors.fixture.ts", import.meta.url), client.directory);
    const limited = ["-c", 'ulimit -n 160; exec "$0" "$@"', process.execPath, script];
    expect(execFileSync("/bin/sh", limited, { encoding: "utf8" })).toBe(
      "Did not start ssh: this process has too many open files. Try again with fewer calls at once, or raise the limit with `ulimit -n`.",
    );
  });

  verifies("W30", "a name that ssh would take for an option is refused before ssh starts [SSH-05]", async () => {
    client.record();
    const destination = `-oProxyCommand=touch ${client.directory}/pwned`;
    const failed: HaftError = await openSsh({ destination, config: client.config }).then(
      () => Promise.reject(new Error("it was opened")),
      (thrown: HaftError) => thrown,
    );
    expect(failed.code).toBe("CONFIG_INVALID");
    expect([existsSync(join(client.directory, "argv")), existsSync(join(client.directory, "pwned"))]).toEqual([
      false,
      false,
    ]);
    await nothingLeft();
  });

  it.each(["exits", "is killed"])("leaves nothing behind when its process %s without closing it", async (how) => {
    const script = await bundleForProcess(new URL("./exit-host.fixture.ts", import.meta.url), client.directory);
    const host = spawn(process.execPath, [script, service("ssh").hosts.box, client.config], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await new Promise((resolve) => host.stdout.once("data", resolve));
    expect(client.processes().length).toBeGreaterThan(0);
    if (how === "exits") host.stdin.write("exit\n");
    else host.kill("SIGKILL");
    await until(() => client.processes().length === 0, 60_000);
    // After a kill an empty directory and what ssh printed remain.
    if (how === "exits") await until(() => client.left().length === 0);
    else expect(client.left().filter((name) => !/^haft-ssh-[^/]*(\/log)?$/.test(name))).toEqual([]);
  });

  it("goes by way of a jump host", async () => {
    const backend = await openSsh({ destination: service("ssh").hosts.jumped, config: client.config });
    expect(out(await backend.root.shell.exec("echo there", { cwd: "/" }))).toBe("there\n");
    await backend.close();
    await nothingLeft();
  });

  it("passes arguments exactly, through whatever login shell", async () => {
    const connection = await openSshConnection({ destination: service("ssh").hosts.box, config: client.config });
    const [program = "", ...args] = connection.command(["printf", "<%s>", ...AWKWARD_WORDS]);
    expect(execFileSync(program, args, { encoding: "utf8" })).toBe(AWKWARD_WORDS.map((word) => `<${word}>`).join(""));
    await connection.close?.();
    await nothingLeft();
  });
});

/** The port of the server on this machine. */
function portOf(): string {
  const { config } = service("ssh");
  return /Port (\d+)/.exec(readFileSync(config, "utf8"))?.[1] ?? "";
}
