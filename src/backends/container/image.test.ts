import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { machinePlace, processStart, sendSignal } from "../../host/index.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { withServices } from "../../testing/services.fixture.js";
import { until } from "../posix/machine.fixture.js";
import { TestEngine } from "./engine.fixture.js";
import { type ContainerMachine, openImage } from "./index.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

withServices(["podman"], "a container made of an image", () => {
  let engine: TestEngine;
  let workspace: string;
  let built: string;
  let hostScript: string;
  beforeAll(async () => {
    built = mkdtempSync(join(tmpdir(), "haft-image-host-"));
    hostScript = await bundleForProcess(new URL("./image-host.fixture.ts", import.meta.url), built);
  });
  afterAll(() => rmSync(built, { recursive: true, force: true }));
  beforeEach(() => {
    engine = new TestEngine("podman");
    workspace = realpathSync(mkdtempSync(join(tmpdir(), "haft-image-")));
  });
  afterEach(async () => {
    rmSync(workspace, { recursive: true, force: true });
    engine.dispose();
    await until(() => engine.clients().length === 0);
  });

  const open = (options: Partial<Parameters<typeof openImage>[0]> = {}) =>
    openImage({ image: engine.image, workspace, ...engine.options, ...options });
  const printed = async ({ backend }: ContainerMachine, command: string) => {
    const { stdout, stderr } = await backend.root.shell.exec(command, { cwd: backend.cwd });
    return Buffer.concat([stdout.head, stderr.head]).toString();
  };
  // Other tests make such containers at the same time, with workspaces of their own.
  const containers = () => engine.run("ps", "-a", "--filter", `volume=${workspace}`, "--format", "{{.Names}}");
  const all = () => engine.run("ps", "-a", "--format", "{{.Names}}").split("\n");

  it("has the workspace at its own path and nothing else of this machine", async () => {
    const machine = await open();
    expect([machine.backend.name, machine.backend.cwd]).toEqual([`image:${engine.image}`, workspace]);
    writeFileSync(join(workspace, "mine"), "from here\n");
    expect(await printed(machine, "cat mine; echo from there >theirs")).toBe("from here\n");
    expect(readFileSync(join(workspace, "theirs"), "utf8")).toBe("from there\n");
    expect(await printed(machine, `ls -A ${tmpdir()}`)).not.toMatch(/^(?!haft-).+$/m);
    await machine.backend.close();
    expect(containers()).toBe("");
  });

  it("has no network, gains no privileges, and its PID 1 reaps", async () => {
    const machine = await open();
    expect(machine.backend.flags.sandbox).toBeUndefined();
    expect(await printed(machine, "cat /proc/net/dev")).not.toContain("eth0");
    expect(await printed(machine, "grep NoNewPrivs /proc/self/status")).toBe("NoNewPrivs:\t1\n");
    expect(await printed(machine, "tr '\\0' ' ' </proc/1/cmdline")).toContain("init");
    await machine.backend.close();
  });

  it("runs as the user and with the variables that were asked for", async () => {
    chmodSync(workspace, 0o755);
    const machine = await open({ user: "user", env: { MODE: "test" } });
    expect(await printed(machine, "id -un; echo $MODE $HOME")).toBe("user\ntest /home/user\n");
    await machine.backend.close();
  });

  it("is removed when this process is killed, without a later start", async () => {
    const host = spawn(process.execPath, [hostScript, engine.image, workspace], {
      env: engine.options.engineEnv as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [name] = await once(host.stdout, "data");
    expect(containers()).toBe(String(name).trim());
    sendSignal(host, "SIGKILL");
    await until(() => containers() === "");
  });

  it("is removed when this process is killed before the engine has made it", async () => {
    const [began, log] = [join(built, "began"), join(built, "made")];
    const slow = `[ "$1" != run ] || { : >${began}; sleep 2; }\nPATH=$PATH_WITHOUT podman "$@"; status=$?; [ "$1" != run ] || : >${log}; exit $status`;
    mkdirSync(join(built, "bin"));
    writeFileSync(join(built, "bin/podman"), `#!/bin/sh\n${slow}\n`, { mode: 0o755 });
    const { PATH } = engine.options.engineEnv;
    const host = spawn(process.execPath, [hostScript, engine.image, workspace], {
      env: { ...engine.options.engineEnv, PATH: `${built}/bin:${PATH}`, PATH_WITHOUT: PATH },
      stdio: ["ignore", "ignore", "inherit"],
    });
    await until(() => existsSync(began));
    sendSignal(host, "SIGKILL");
    await until(() => existsSync(log));
    await until(() => containers() === "");
  });

  it("of a process that is gone is removed by the next start, and no other", async () => {
    const gone = { machine: hostname(), pid: 2 ** 22 + 1, start: 1, ...machinePlace() };
    const nameOf = (digit: number) => `haft-${`${digit}`.repeat(18)}`;
    const start = (label: string, name: string) => engine.startNamed(name, "--label", `haft.host=${label}`);
    const owned = (digit: number, more: object) =>
      start(JSON.stringify({ ...gone, container: nameOf(digit), ...more }), nameOf(digit));
    const dead = owned(1, {});
    const kept = [
      owned(2, { machine: "another" }),
      owned(3, { space: "pid:[1]" }),
      owned(4, { boot: "another machine of this name" }),
      start("not ours", nameOf(5)),
      // Of an image that was made of a session's container, which hands the label on.
      start(JSON.stringify({ ...gone, container: nameOf(6) }), "database-of-a-user"),
      owned(7, { container: nameOf(1) }),
    ];
    const machine = await open();
    const living = all();
    expect(living).not.toContain(dead);
    expect(living).toEqual(expect.arrayContaining([...kept, machine.transport.container]));
    await machine.backend.close();
  });

  it("whose remover was killed is removed all the same", async () => {
    const machine = await open();
    const remover =
      engine.clients().find((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(`rm --force`)) ?? 0;
    expect(sendSignal({ pid: remover, start: processStart(remover) ?? 0 }, "SIGKILL")).toBe(true);
    await machine.backend.close();
    expect(containers()).toBe("");
  });

  it("says what to do where the image is not on this machine", async () => {
    await expect(open({ image: "localhost/nothing:1" })).rejects.toThrow(
      'Could not reach "image:localhost/nothing:1": the image "localhost/nothing:1" is not on this machine. Get it: `podman pull localhost/nothing:1`.',
    );
    expect(containers()).toBe("");
  });
});
