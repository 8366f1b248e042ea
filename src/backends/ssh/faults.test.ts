import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { processStart, sendSignal } from "../../host/index.js";
import type { Backend, ShellResult } from "../../kernel/index.js";
import { expectFault } from "../../testing/faults.fixture.js";
import { LONG } from "../../testing/long.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { createMemoryBackend } from "../memory/index.js";
import { isAlive, pause, until } from "../posix/machine.fixture.js";
import { type OpenSshOptions, openSsh } from "./index.js";
import { SshClient } from "./ssh-client.fixture.js";
import { addressOf, SshServer } from "./ssh-server.fixture.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const out = (result: ShellResult) => Buffer.from(result.stdout.head).toString();

/** What a machine has: the programs of this one, or busybox and nothing else. */
const KINDS = ["the usual programs", "nothing but busybox"] as const;
type Kind = (typeof KINDS)[number];

interface Machine {
  readonly backend: Backend;
  readonly user: string;
  /** The pid of its sshd. */
  readonly server: number;
  readonly work: string;
  runsOf(): Promise<number>;
  begun(): Promise<void>;
}

withServices(["ssh", "links"], "faults of ssh", () => {
  let busybox: SshServer;
  let client: SshClient;
  let host: string;
  const machines: Machine[] = [];
  beforeAll(async () => {
    // Behind the same link: it is cut for both machines, and other tests use the busybox of the services.
    const { hosts, linkOf } = service("ssh");
    [host = ""] = hosts.cut;
    busybox = await SshServer.start({
      name: "cut-busybox",
      like: hosts.busybox ?? "",
      settings: { ListenAddress: addressOf(host) },
      by: ["ip", "netns", "exec", linkOf[host] ?? ""],
    });
  });
  afterAll(() => busybox.stop());
  beforeEach(() => {
    client = new SshClient(busybox.clientSettings);
  });
  afterEach(async () => {
    link("up");
    const used = machines.splice(0);
    for (const { backend } of used) await backend.close();
    await until(() => client.processes().length === 0);
    expect(client.left()).toEqual([]);
    for (const { work } of used) {
      await until(() => processesOf(work).length === 0);
      // The hosts are on this machine.
      rmSync(work, { recursive: true, force: true });
    }
    client.dispose();
  });
  const open = async (kind: Kind, options: Partial<OpenSshOptions> = {}) => {
    const isBusybox = kind === "nothing but busybox";
    const destination = isBusybox ? busybox.name : host;
    const backend = await openSsh({ destination, config: client.config, ...options });
    const work = `${backend.home}/work-${randomBytes(4).toString("hex")}`;
    const { fs, shell } = backend.root;
    const machine: Machine = {
      backend,
      work,
      user: isBusybox ? busybox.user : service("ssh").user,
      server: isBusybox
        ? (busybox.process.pid ?? 0)
        : Number(readFileSync(join(dirname(service("ssh").config), `${host}.pid`), "utf8")),
      runsOf: async () => (await fs.readText(`${work}/runs`)).split("\n").length - 1,
      begun: () => until(() => fs.exists(`${work}/begun`)),
    };
    await fs.mkdir(work, true);
    machines.push(machine);
    const found = out(await shell.exec("command -v bash perl python3; readlink /proc/$$/exe", { cwd: "/" }));
    expect(/^\S+busybox\n$/.test(found)).toBe(isBusybox);
    return { ...machine, fs, shell };
  };
  const link = (state: "up" | "down") => {
    const name = service("ssh").linkOf[host];
    if (name !== undefined) execFileSync("ip", ["link", "set", name, state]);
  };
  const kill = (pid: number) => sendSignal({ pid, start: processStart(pid) ?? 0 }, "SIGKILL");
  const BUILD = "echo x >> runs; echo begun; touch begun; until [ -e go ]; do sleep 0.1; done; echo built; exit 4";
  const expectBuilt = async (result: ShellResult, { runsOf }: Machine) => {
    expect([result.began, result.ended, result.exit]).toEqual(["yes", "itself", { by: "code", code: 4 }]);
    expect([out(result), await runsOf()]).toEqual(["begun\nbuilt\n", 1]);
  };

  it("machines that are cut off for 20 s in the middle of a build: the result of the build, once", async () => {
    const building = await Promise.all(
      KINDS.map(async (kind) => {
        const machine = await open(kind);
        // It ends by itself, over there.
        const command = "echo x >> runs; echo begun; touch begun; sleep 10; echo built; exit 4";
        const result = machine.shell.exec(command, { cwd: machine.work });
        await machine.begun();
        return { machine, result };
      }),
    );
    link("down");
    await pause(20_000);
    link("up");
    for (const { machine, result } of building) {
      const built = await result;
      expectFault("ssh: link cut", built);
      await expectBuilt(built, machine);
    }
  });

  it("the link is cut for good: the command is lost, with the cause, and ends over there", async () => {
    const running = await Promise.all(
      KINDS.map(async (kind) => {
        const machine = await open(kind, { orphanMs: 2_000, leaseMs: 6_000 });
        let heard = "";
        const result = machine.shell.exec("echo begun; touch begun; exec sleep 600", {
          cwd: machine.work,
          onOutput: (_, bytes) => {
            heard += Buffer.from(bytes).toString();
          },
        });
        await machine.begun();
        await until(() => heard === "begun\n");
        return { machine, result };
      }),
    );
    link("down");
    for (const { machine, result } of running) {
      const lost = await result;
      expect([lost.ended, lost.began, lost.exit]).toEqual(["channel-lost", "yes", { by: "none" }]);
      expect([out(lost), lost.stdout.final]).toEqual(["begun\n", false]);
      expectFault("ssh: link cut for good", lost);
      await until(() => processesOf(machine.work).length === 0);
    }
  });

  it.each(KINDS)("the process of the connection is killed (%s): the result of the build, once", async (kind) => {
    const { shell, work, ...machine } = await open(kind);
    const building = shell.exec(BUILD, { cwd: work });
    await machine.begun();
    expect(kill(client.master())).toBe(true);
    await shell.exec("touch go", { cwd: work });
    const built = await building;
    expectFault("ssh: master killed", built);
    await expectBuilt(built, { ...machine, work });
    // One connection again, and all channels on it.
    expect(client.master()).toBeGreaterThan(1);
  });

  it.each(KINDS)("the server's process of the session is killed (%s): the result of the build, once", async (kind) => {
    const { shell, work, ...machine } = await open(kind);
    const building = shell.exec(BUILD, { cwd: work });
    await machine.begun();
    const sessions = sessionsOf(machine.user, host);
    expect(sessions).not.toEqual([]);
    for (const pid of sessions) kill(pid);
    await until(() => machine.backend.state() === "reconnecting");
    await shell.exec("touch go", { cwd: work });
    const built = await building;
    expectFault("ssh: server killed", built);
    await expectBuilt(built, { ...machine, work });
  });

  it.each(KINDS)("a write that is cut half-way (%s) leaves the old file or the new one", async (kind) => {
    const { fs, work } = await open(kind);
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
    await pause(100);
    expect(kill(client.master())).toBe(true);
    // Without `began`, it was cut before the last request, which puts the new file in its place, was sent.
    const ends = ["written", ["BACKEND_UNAVAILABLE", "unknown"], ["BACKEND_UNAVAILABLE", undefined]];
    expect(ends).toContainEqual(await written);
    const now = Buffer.from(await fs.readBytes(file));
    expect(now.equals(old) || now.equals(fresh)).toBe(true);
    await fs.writeFile(file, fresh);
    expect(fresh.equals(await fs.readBytes(file))).toBe(true);
    expect((await fs.readDir(work)).children.map(({ name }) => name)).toEqual(["file"]);
  });

  it.each(KINDS)("a full disk over there (%s) fails the write with its code, and the old file stays", async (kind) => {
    const { fs, shell, work, server } = await open(kind);
    const file = `${work}/small/file`;
    await fs.mkdir(`${work}/small`, true);
    // The host has mounts of its own.
    const there = ["-t", String(server), "-m", "--"];
    execFileSync("nsenter", [...there, "mount", "-t", "tmpfs", "-o", "size=1m,mode=777", "tmpfs", `${work}/small`]);
    try {
      await fs.writeFile(file, "old");
      const failed = await fs.writeFile(file, randomBytes(3_000_000)).catch((thrown: unknown) => thrown);
      expectFault("ssh: disk full", failed);
      expect(await fs.readText(file)).toBe("old");
      expect(out(await shell.exec("ls -A", { cwd: `${work}/small` }))).toBe("file\n");
    } finally {
      execFileSync("nsenter", [...there, "umount", "-l", `${work}/small`]);
    }
  });

  it.each(KINDS)("what is cancelled or meets its deadline (%s) leaves no process", async (kind) => {
    const { shell, work, ...machine } = await open(kind);
    const command =
      "(sleep 600; touch late) & (trap '' TERM; sleep 600; touch late) & echo x >> runs; echo begun; wait";
    const late = await shell.exec(command, { cwd: work, timeoutMs: 2_000, graceMs: 500 });
    expectFault("ssh: deadline", late);
    expect([out(late), late.tree]).toEqual(["begun\n", { ...GONE, endedBy: "KILL" }]);
    expect(processesOf(work)).toEqual([]);

    const stop = new AbortController();
    const running = shell.exec(command, { cwd: work, graceMs: 500, signal: stop.signal });
    await until(async () => (await machine.runsOf()) === 2);
    stop.abort();
    const stopped = await running;
    expectFault("ssh: cancelled", stopped);
    expect([out(stopped), stopped.tree]).toEqual(["begun\n", { ...GONE, endedBy: "KILL" }]);
    expect(processesOf(work)).toEqual([]);
    expect(out(await shell.exec("ls", { cwd: work }))).toBe("runs\n");
  });

  it.each(KINDS)("64 calls at once (%s) all end right, and four commands run at a time", async (kind) => {
    const { shell, fs, work } = await open(kind);
    await fs.writeFile(`${work}/text`, "text");
    const calls = Array.from({ length: 60 }, async (_, index) =>
      index % 2 === 0 ? out(await shell.exec(`echo ${index}`, { cwd: work })) : fs.readText(`${work}/text`),
    );
    // Each waits for all the others.
    const meet = (index: number) =>
      `touch here-${index}; until [ $(ls here-* | wc -l) = 4 ]; do sleep 0.05; done; echo ${index}`;
    const meeting = [0, 1, 2, 3].map((index) => shell.exec(meet(index), { cwd: work, timeoutMs: 60_000 }));
    expect(await Promise.all(calls)).toEqual(calls.map((_, index) => (index % 2 === 0 ? `${index}\n` : "text")));
    const results = await Promise.all(meeting);
    expect(results.map(out)).toEqual(["0\n", "1\n", "2\n", "3\n"]);
    for (const one of results) expectFault("ssh: 64 calls", one);
  });

  it.each(KINDS)("much output (%s) arrives to the byte", async (kind) => {
    const { shell, work } = await open(kind);
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

  // It waits until the link counts as cut, three times over.
  it.each(LONG ? KINDS : KINDS.slice(0, 1))(
    "a copy that is cut half-way, to the machine (%s) or from it, fails as unreachable, and leaves the old file or none",
    async (kind) => {
      const { fs, work, backend } = await open(kind);
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
      const lost = { code: "BACKEND_UNAVAILABLE", message: expect.stringContaining(backend.name) };
      const sent = fs.replaceFrom(`${work}/file`, cutIn(here.root.fs.openRead(`${here.cwd}/large`)), { version });
      await expect(sent).rejects.toMatchObject(lost);
      link("up");
      expect((await fs.readDir(work)).children).toMatchObject([{ name: "file", version }]);
      const received = here.root.fs.replaceFrom(`${here.cwd}/new`, cutIn(fs.openRead(`${work}/file`)), "absent");
      await expect(received).rejects.toMatchObject(lost);
      link("up");
      expect((await here.root.fs.readDir(here.cwd)).children).toMatchObject([{ name: "large" }]);
    },
  );
});

const GONE = { state: "gone", survivors: [] };

/** The processes of this machine that work in a directory: the hosts of the services are on it. */
function processesOf(directory: string): readonly number[] {
  return pids().filter((pid) => {
    try {
      return isAlive(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(directory);
    } catch {
      return false;
    }
  });
}

/** The processes of sshd that serve connections of a user to a host. */
function sessionsOf(user: string, host: string): readonly number[] {
  const { linkOf } = service("ssh");
  const inside = execFileSync("ip", ["netns", "pids", linkOf[host] ?? ""], { encoding: "utf8" })
    .trim()
    .split("\n");
  return inside.map(Number).filter((pid) => {
    try {
      return /^sshd: (\S+?)[@ ]/.exec(readFileSync(`/proc/${pid}/cmdline`, "latin1"))?.[1] === user;
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
