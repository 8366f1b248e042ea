import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Backend, ShellResult } from "../../kernel/index.js";
import { expectFault } from "../../testing/faults.fixture.js";
import { LONG } from "../../testing/long.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { createMemoryBackend } from "../memory/index.js";
import { pause, until } from "../posix/machine.fixture.js";
import { type OpenSshOptions, openSsh } from "./index.js";
import { SshClient } from "./ssh-client.fixture.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const out = (result: ShellResult) => Buffer.from(result.stdout.head).toString();

withServices(["ssh", "links"], "faults of ssh", () => {
  let client: SshClient;
  let backend: Backend;
  let host: string;
  let work: string;
  beforeEach(() => {
    client = new SshClient();
    host = service("ssh").hosts.cut[0]!;
  });
  afterEach(async () => {
    link("up");
    await backend.close();
    await until(() => client.processes().length === 0);
    expect(client.left()).toEqual([]);
    await until(() => processesOf(work).length === 0);
    client.dispose();
  });
  const open = async (options: Partial<OpenSshOptions> = {}) => {
    backend = await openSsh({ destination: host, config: client.config, ...options });
    work = `${backend.home}/work-${randomBytes(4).toString("hex")}`;
    await backend.root.fs.mkdir(work, true);
    return backend.root;
  };
  const link = (state: "up" | "down") => {
    const name = service("ssh").linkOf[host];
    if (name !== undefined) execFileSync("ip", ["link", "set", name, state]);
  };
  const runsOf = async () => (await backend.root.fs.readText(`${work}/runs`)).split("\n").length - 1;
  const BUILD = "echo x >> runs; echo begun; touch begun; until [ -e go ]; do sleep 0.1; done; echo built; exit 4";
  const begun = (path = "begun") => until(async () => backend.root.fs.exists(`${work}/${path}`));

  /** The build ends by itself, over there. */
  const seconds = (count: number) => `echo x >> runs; echo begun; touch begun; sleep ${count}; echo built; exit 4`;
  const expectBuilt = async (result: ShellResult) => {
    expect([result.began, result.ended, result.exit]).toEqual(["yes", "itself", { by: "code", code: 4 }]);
    expect([out(result), await runsOf()]).toEqual(["begun\nbuilt\n", 1]);
  };

  it("a machine that is cut off for 20 s in the middle of a build: the result of the build, once", async () => {
    const { shell } = await open();
    const building = shell.exec(seconds(10), { cwd: work });
    await begun();
    link("down");
    await pause(20_000);
    link("up");
    const built = await building;
    expectFault("ssh: link cut", built);
    await expectBuilt(built);
  });

  it("the process of the connection is killed: the result of the build, once", async () => {
    const { shell } = await open();
    const building = shell.exec(BUILD, { cwd: work });
    await begun();
    process.kill(client.master(), "SIGKILL");
    await shell.exec("touch go", { cwd: work });
    const built = await building;
    expectFault("ssh: master killed", built);
    await expectBuilt(built);
    // One connection again, and all channels on it.
    expect(client.master()).toBeGreaterThan(1);
  });

  it("the server's process of the session is killed: the result of the build, once", async () => {
    const { shell } = await open();
    const building = shell.exec(BUILD, { cwd: work });
    await begun();
    const { stdout } = await shell.exec("ps -o ppid= -p $(ps -o ppid= -p $PPID)", { cwd: work });
    expect(Buffer.from(stdout.head).toString()).toMatch(/\d/);
    for (const pid of serversOf(service("ssh").user, host)) process.kill(pid, "SIGKILL");
    await until(() => backend.state() === "reconnecting");
    await shell.exec("touch go", { cwd: work });
    const built = await building;
    expectFault("ssh: server killed", built);
    await expectBuilt(built);
  });

  it("the process of the connection is killed where there is nothing but busybox: the result of the build, once", async () => {
    host = service("ssh").hosts.busybox ?? "";
    const { shell } = await open();
    const building = shell.exec(BUILD, { cwd: work });
    await begun();
    process.kill(client.master(), "SIGKILL");
    await shell.exec("touch go", { cwd: work });
    const built = await building;
    expectFault("ssh: busybox", built);
    await expectBuilt(built);
  });

  it("the link is cut for good: the command is lost, with the cause, and ends over there", async () => {
    const { shell } = await open({ orphanMs: 2_000, leaseMs: 6_000 });
    const running = shell.exec("echo $$ > pid; touch begun; exec sleep 600", { cwd: work });
    await begun();
    link("down");
    const result = await running;
    expect([result.ended, result.began]).toEqual(["channel-lost", "unknown"]);
    expectFault("ssh: link cut for good", result);
    await until(() => processesOf(work).length === 0);
  });

  it("a write that is cut half-way leaves the old file or the new one", async () => {
    const { fs } = await open();
    const file = `${work}/file`;
    const [old, fresh] = [randomBytes(4_000_000), randomBytes(20_000_000)];
    await fs.writeFile(file, old);
    const written = fs.writeFile(file, fresh).then(
      () => "written",
      (thrown: { code?: string; details?: { began?: string } }) => {
        expectFault("ssh: cut in a write", thrown);
        return [thrown.code, thrown.details?.began];
      },
    );
    await until(() => serversOf(service("ssh").user, host).length > 0);
    await pause(100);
    process.kill(client.master(), "SIGKILL");
    // Without `began`, it was cut before the last request, which puts the new file in its place, was sent.
    const ends = ["written", ["BACKEND_UNAVAILABLE", "unknown"], ["BACKEND_UNAVAILABLE", undefined]];
    expect(ends).toContainEqual(await written);
    const now = Buffer.from(await fs.readBytes(file));
    expect(now.equals(old) || now.equals(fresh)).toBe(true);
    await fs.writeFile(file, fresh);
    expect(fresh.equals(await fs.readBytes(file))).toBe(true);
    expect((await fs.readDir(work)).children.map(({ name }) => name)).toEqual(["file"]);
  });

  it("64 calls at once all end right", async () => {
    const { shell, fs } = await open();
    await fs.writeFile(`${work}/text`, "text");
    const calls = Array.from({ length: 64 }, async (_, index) =>
      index % 2 === 0 ? out(await shell.exec(`echo ${index}`, { cwd: work })) : fs.readText(`${work}/text`),
    );
    expect(await Promise.all(calls)).toEqual(calls.map((_, index) => (index % 2 === 0 ? `${index}\n` : "text")));
  });

  it("four commands run at a time", async () => {
    const { shell } = await open();
    // Each waits for all the others.
    const meet = (index: number) =>
      `touch here-${index}; until [ $(ls here-* | wc -l) = 4 ]; do sleep 0.05; done; echo ${index}`;
    const results = await Promise.all(
      [0, 1, 2, 3].map((index) => shell.exec(meet(index), { cwd: work, timeoutMs: 60_000 })),
    );
    expect(results.map(out)).toEqual(["0\n", "1\n", "2\n", "3\n"]);
    for (const one of results) expectFault("ssh: 64 calls", one);
  });

  it("much output arrives to the byte", async () => {
    const { shell } = await open();
    const size = LONG ? 1024 ** 3 : 64 * 1024 ** 2;
    let heard = 0;
    const result = await shell.exec(`head -c ${size} /dev/zero | tr '\\0' x; echo END`, {
      cwd: work,
      onOutput: (_, bytes) => {
        heard += bytes.length;
      },
    });
    const { stdout, ended } = result;
    expect([ended, stdout.produced, stdout.final, heard]).toEqual(["itself", size + 4, true, size + 4]);
    expect(Buffer.from(stdout.tail).toString()).toMatch(/xEND\n$/);
    expectFault("ssh: much output", result);
  });

  it("a copy that is cut half-way, to the machine or from it, fails as unreachable, and leaves the old file or none", async () => {
    const { fs } = await open();
    const bytes = randomBytes(8_000_000);
    await fs.writeFile(`${work}/file`, bytes);
    const { version } = await fs.stat(`${work}/file`);
    async function* cutIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
      let left = 3_000_000;
      for await (const chunk of chunks) {
        yield chunk;
        if (left > 0 && left <= chunk.length) link("down");
        left -= chunk.length;
      }
    }
    const here = createMemoryBackend({ files: { large: bytes } });
    const lost = { code: "BACKEND_UNAVAILABLE", message: expect.stringContaining(host) };
    const sent = fs.replaceFrom(`${work}/file`, cutIn(here.root.fs.openRead(`${here.cwd}/large`)), { version });
    await expect(sent).rejects.toMatchObject(lost);
    link("up");
    expect((await fs.readDir(work)).children).toMatchObject([{ name: "file", version }]);
    const received = here.root.fs.replaceFrom(`${here.cwd}/new`, cutIn(fs.openRead(`${work}/file`)), "absent");
    await expect(received).rejects.toMatchObject(lost);
    link("up");
    expect((await here.root.fs.readDir(here.cwd)).children).toMatchObject([{ name: "large" }]);
  });

  it("a full disk over there fails the write with its code, and the old file stays", async () => {
    // The other hosts do not see what is mounted here.
    host = service("ssh").hosts.box;
    const { fs, shell } = await open();
    const file = `${work}/small/file`;
    await fs.mkdir(`${work}/small`, true);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=777", "tmpfs", `${work}/small`]);
    try {
      await fs.writeFile(file, "old");
      const failed = await fs.writeFile(file, randomBytes(3_000_000)).catch((thrown: unknown) => thrown);
      expectFault("ssh: disk full", failed);
      expect(await fs.readText(file)).toBe("old");
      expect(out(await shell.exec("ls -A", { cwd: `${work}/small` }))).toBe("file\n");
    } finally {
      execFileSync("umount", [`${work}/small`]);
    }
  });
});

/** The processes of this machine that work in a directory: the hosts of the services are on it. */
function processesOf(directory: string): readonly number[] {
  return pids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`PWD=${directory}`);
    } catch {
      return false;
    }
  });
}

/** The processes of sshd that serve connections to a host. */
function serversOf(user: string, host: string): readonly number[] {
  const { linkOf } = service("ssh");
  const inside = execFileSync("ip", ["netns", "pids", linkOf[host] ?? ""], { encoding: "utf8" })
    .trim()
    .split("\n");
  return inside.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").startsWith(`sshd: ${user}`);
    } catch {
      return false;
    }
  });
}

function pids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}
