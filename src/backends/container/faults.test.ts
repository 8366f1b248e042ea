import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { afterAll, expect, it, vi } from "vitest";
import { processStart, sendSignal } from "../../host/index.js";
import { expectFault } from "../../testing/faults.fixture.js";
import { withServices } from "../../testing/services.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import type { ClientEnd } from "../posix/index.js";
import { until } from "../posix/machine.fixture.js";
import { TestEngine } from "./engine.fixture.js";
import { type ContainerMachine, type EngineName, openContainer } from "./index.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const text = (bytes: { readonly head: Uint8Array }) => Buffer.from(bytes.head).toString();
const messageOf = (work: Promise<unknown>) => work.then(JSON.stringify, (error: Error) => error.message);
/** How a client ends whose container is stopped. */
const KILLED = { code: 137, signal: null, stderr: "" };

for (const name of ["podman", "docker"] satisfies EngineName[]) {
  withServices([name], `faults of a container, by ${name}`, () => {
    const engine = new TestEngine(name);
    const machines: ContainerMachine[] = [];
    const opened = async (options: readonly string[] = [], prepare?: string) => {
      const container = engine.start(...options);
      if (prepare !== undefined) engine.run("exec", container, "sh", "-c", prepare);
      const machine = await openContainer({ name: container, ...engine.options });
      machines.push(machine);
      const { fs, shell } = machine.backend.root;
      const explained = async (end: ClientEnd = KILLED) => (await machine.transport.explain(end))?.message ?? "";
      const exec = (command: string, timeoutMs = 60_000) => shell.exec(command, { cwd: "/", timeoutMs });
      return { container, exec, shell, fs, explained };
    };
    const killClients = (container: string, signal: NodeJS.Signals) => {
      for (const pid of engine.channels(container)) sendSignal({ pid, start: processStart(pid) ?? 0 }, signal);
    };
    afterAll(async () => {
      await Promise.all(machines.map(({ backend }) => backend.close()));
      engine.dispose();
      await until(() => engine.clients().length === 0);
    });

    it("a client that is terminated returns 0, which is never taken for the result: that is the command's own, once", async () => {
      const { container, exec, shell } = await opened();
      for (const signal of ["SIGTERM", "SIGKILL", "SIGINT"] as const) {
        const running = exec(`echo began >>/tmp/${signal}; sleep 2; echo done; exit 3`);
        await until(async () => text((await exec(`cat /tmp/${signal}`)).stdout) === "began\n");
        killClients(container, signal);
        const first = await running;
        const job = first.ended === "channel-lost" ? await shell.attach(first.job ?? "") : undefined;
        const last = (await job?.result) ?? first;
        expectFault("container: client killed", last);
        const { exit, stdout } = last;
        expect([exit, text(stdout)]).toEqual([{ by: "code", code: 3 }, "done\n"]);
        expect(text((await exec(`cat /tmp/${signal}`)).stdout)).toBe("began\n");
      }
    });

    it.each(["SIGTERM", "SIGKILL"] as const)(
      "a client that gets %s in a write: the file is the old or the new one, whole, and nothing is left beside it",
      async (signal) => {
        // Where staged bytes are put in their place, after the first time, it takes a second. The shell of busybox has its own "cat".
        const slow = "case $* in *stage-*) [ ! -e /tmp/slow ] || sleep 1 ;; esac; exec /bin/busybox cat $*";
        const script = `ln -sf bash /bin/sh; rm /bin/cat; printf '%s\\n' '#!/bin/sh' '${slow}' >/bin/cat; chmod 755 /bin/cat`;
        const { container, fs } = await opened([], script);
        const [old, fresh] = [randomBytes(1_000_000), randomBytes(6_000_000)];
        const [directory, file] = ["/tmp/written", "/tmp/written/file"];
        await fs.mkdir(directory, true);
        const inside = (command: string) => engine.run("exec", container, "sh", "-c", command);
        const check = async (write: Promise<unknown>) => {
          const end = await write.catch((thrown: unknown) => thrown);
          if (end instanceof Error) expectFault("container: client killed in a write", end);
          const now = Buffer.from(await fs.readBytes(file));
          expect([old, fresh].filter((bytes) => now.equals(bytes))).toHaveLength(1);
          await until(() => inside(`ls -A ${directory}`) === "file");
        };

        // While the bytes are sent.
        await fs.writeFile(file, old);
        const { version } = await fs.stat(file);
        async function* cut() {
          for (let at = 0; at < fresh.length; at += 1_000_000) {
            yield fresh.subarray(at, at + 1_000_000);
            if (at === 3_000_000) killClients(container, signal);
          }
        }
        await check(fs.replaceFrom(file, cut(), { version }));

        // While they are in the container and are put in their place.
        await fs.writeFile(file, old);
        inside(": >/tmp/slow");
        const written = fs.writeFile(file, fresh);
        const look = `until ls -A ${directory} | grep -q tmp; do sleep 0.05; done`;
        await promisify(execFile)(name, ["exec", container, "sh", "-c", look], { env: engine.options.engineEnv });
        killClients(container, signal);
        await check(written);

        await fs.writeFile(file, fresh);
        expect(fresh.equals(await fs.readBytes(file))).toBe(true);
      },
    );

    it("a client that was ended is not put down to the container", async () => {
      const { explained } = await opened();
      for (const end of [
        { code: 0, signal: null, stderr: "" },
        { code: 143, signal: null, stderr: "" },
        { code: null, signal: "SIGKILL", stderr: "" },
      ])
        expect(await explained(end)).toMatch(
          /: the client `\w+ exec` was ended, while the container runs\. The next call starts another client\.$/,
        );
      // The shell in the container may have been killed, by its memory limit for example.
      expect(await explained(KILLED)).toMatch(/ended with status 137, while .* Check its logs and its memory limit\.$/);
    });

    it("a user that the container does not have is named", async () => {
      const container = engine.start();
      const machine = await openContainer({ name: container, user: "user", ...engine.options });
      machines.push(machine);
      const stderr = "Error: unable to find user user: no matching entries in passwd file\n";
      const explained = await machine.transport.explain({ code: 126, signal: null, stderr });
      expect(explained?.message).toBe(
        `Could not reach "${machine.transport.name}": "${container}" has no user "user". Name another one with \`container.user\` of the target, or leave it out.`,
      );
    });

    verifies("W31", "a command ends in the container at its deadline, with all that it started [CONT-01]", async () => {
      const { container, exec } = await opened();
      const { ended, tree } = await exec("(sleep 41; touch /tmp/late) & sleep 40; touch /tmp/late", 500);
      expect([ended, tree.state]).toEqual(["deadline", "gone"]);
      expect(engine.processes(container).filter((line) => /sleep 4[01]/.test(line))).toEqual([]);
      expect(text((await exec("ls /tmp")).stdout)).not.toContain("late");
    });

    it("exit codes that the client of an engine has for its own failures are those of the command", async () => {
      const { exec } = await opened();
      const { by, code } = { by: "code", code: 126 } as const;
      for (const one of [1, 125, 126, 127]) expect((await exec(`exit ${one}`)).exit).toEqual({ by, code: one });
      expect((await exec("exit 255")).exit).toEqual({ by, code: 255 });
      const refused = await exec(": >/tmp/plain; /tmp/plain");
      expect([refused.exit, text(refused.stderr)]).toEqual([{ by, code }, expect.stringContaining("/tmp/plain")]);
      // In a shell, as for a client whose container was stopped.
      expect((await exec("kill -9 $$")).exit).toEqual({ by: "status", status: 137 });
    });

    it("the two streams stay apart, without carriage returns [CONT-07]", async () => {
      const { exec } = await opened();
      const { stdout, stderr } = await exec("echo o; echo e >&2");
      expect([text(stdout), text(stderr)]).toEqual(["o\n", "e\n"]);
    });

    verifies("W31", "no profile is read: the output is the command's alone [CONT-08]", async () => {
      const { container, exec } = await opened();
      const profile = "echo banner; cd /tmp; PATH=/nowhere";
      engine.run("exec", container, "sh", "-c", `echo '${profile}' | tee /etc/profile /root/.profile >/root/.bashrc`);
      expect(text((await exec("echo only; pwd; command -v tmux")).stdout)).toBe("only\n/\n/usr/bin/tmux\n");
    });

    it("a container that is stopped, started again, paused and removed is reported as such [CONT-03]", async () => {
      const { container, exec, shell, explained } = await opened();
      const job = await shell.spawn("echo began; exec sleep 61", { cwd: "/", lifetime: "session" });
      const running = exec("sleep 60");
      await until(() => ["sleep 60", "sleep 61"].every((one) => engine.processes(container).includes(one)));
      engine.run("stop", container);
      const stopped = `the container "${container}" is stopped (exit code 137)`;
      expect((await running).ended).toBe("channel-lost");
      const lost = await job.result;
      expect(lost).toMatchObject({ ended: "channel-lost", exit: { by: "none" }, problem: stopped });
      expectFault("container: stopped", lost);
      expect(await messageOf(exec("true"))).toContain(`${stopped}. Start it: \`${name} start ${container}\`.`);

      engine.run("start", container);
      expect(await explained()).toContain(`the container "${container}" was restarted. What ran in it has ended.`);
      expect((await exec("echo back")).exit).toEqual({ by: "code", code: 0 });

      engine.run("pause", container);
      expect(await explained()).toContain(`is paused. Continue it: \`${name} unpause ${container}\`.`);
      engine.run("unpause", container);

      engine.run("rm", "-f", container);
      await until(async () => (await messageOf(exec("true"))).includes(`${name} has no container "${container}".`));
    });

    it("a command and a job that run while the container is restarted end as lost, with what they had printed", async () => {
      const { container, exec, shell } = await opened();
      const job = await shell.spawn("echo job; exec sleep 61", { cwd: "/", lifetime: "session" });
      const running = exec("echo call; sleep 60");
      await until(() => ["sleep 60", "sleep 61"].every((one) => engine.processes(container).includes(one)));
      engine.run("restart", container);
      for (const [result, printed] of [
        [await running, "call\n"],
        [await job.result, "job\n"],
      ] as const) {
        expect([result.ended, result.exit, text(result.stdout)]).toEqual(["channel-lost", { by: "none" }, printed]);
        expectFault("container: restarted", result);
      }
    });

    it("a container that is removed while a command runs: no exit code is made up", async () => {
      const { container, exec } = await opened();
      const running = exec("echo began; sleep 60");
      await until(() => engine.processes(container).includes("sleep 60"));
      engine.run("rm", "-f", container);
      const { exit, ended } = await running;
      expect([exit, ended]).toEqual([{ by: "none" }, "channel-lost"]);
      expectFault("container: removed", await exec("true").catch((thrown: unknown) => thrown));
    });

    it("a full disk in it fails a write with its code, and the old file stays", async () => {
      const { container, fs } = await opened(["--tmpfs", "/small:size=1m,mode=777"]);
      await fs.writeFile("/small/file", "old");
      const failed = await fs.writeFile("/small/file", randomBytes(3_000_000)).catch((thrown: unknown) => thrown);
      expectFault("container: disk full", failed);
      expect(await fs.readText("/small/file")).toBe("old");
      expect(engine.run("exec", container, "ls", "-A", "/small")).toBe("file");
    });

    it("sixty-four calls at once all end right", async () => {
      const { exec } = await opened();
      const numbers = Array.from({ length: 64 }, (_, index) => index);
      const results = await Promise.all(numbers.map((number) => exec(`echo ${number}; exit ${number}`)));
      expect(results.map(({ exit, stdout }) => [exit, text(stdout)])).toEqual(
        numbers.map((number) => [{ by: "code", code: number }, `${number}\n`]),
      );
      for (const one of results) expectFault("container: 64 calls", one);
    });

    it("20 MiB of random bytes are read as they were written", async () => {
      const { fs } = await opened();
      const bytes = randomBytes(20 * 1_024 * 1_024);
      await fs.writeFile("/home/user/random", bytes);
      expect(Buffer.compare(await fs.readBytes("/home/user/random"), bytes)).toBe(0);
    });
  });
}

withServices(["podman"], "a container", () => {
  const engine = new TestEngine("podman");
  afterAll(() => engine.dispose());

  it("without a shell says so: a bare 127 is not reported [CONT-02]", async () => {
    const container = engine.start();
    engine.run("exec", container, "rm", "/bin/sh");
    expect(await messageOf(openContainer({ name: container, ...engine.options }))).toContain(
      `there is no \`sh\` in "${container}". Use a container that has a POSIX shell.`,
    );
  });
});
