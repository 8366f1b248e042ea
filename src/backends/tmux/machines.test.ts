/** The suite of terminals over machines that are reached in other ways: a container and ssh. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Backend, PANE_ACTIONS } from "../../kernel/index.js";
import { conform, realClock } from "../../testing/conform.fixture.js";
import { bindAll, type Fixture, type Plan, plantByShell, terminalSuite } from "../../testing/index.js";
import { isSampled } from "../../testing/long.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { TestEngine } from "../container/engine.fixture.js";
import { openContainer } from "../container/index.js";
import { until } from "../posix/machine.fixture.js";
import { openSshMachine } from "../ssh/index.js";
import { SshClient } from "../ssh/ssh-client.fixture.js";
import { withTmux } from "./with-tmux.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

interface Machine {
  readonly backend: Backend;
  readonly transport: { command(argv: readonly string[]): readonly string[] };
}

/** What depends on the shell, the locale and the terminal descriptions of a machine. The suite is proved whole on this one. */
const OF_EACH_MACHINE = /^terminal:(run:(exact|deadline)|forge:output|send:exact|capture:alternate)$/;

function conformOver(name: string, opened: () => Backend): void {
  const plan: Plan<Fixture> = {
    name,
    async create() {
      const backend = opened();
      const directory = `${backend.home}/${randomUUID()}`;
      await backend.root.fs.mkdir(directory, true);
      return {
        backend,
        directory,
        clock: realClock,
        plant: plantByShell(backend),
        dispose: () => backend.root.fs.rm(directory, { recursive: true, ignoreMissing: true }),
      };
    },
    cannot: {},
    knownFailures: {},
  };
  conform(plan, [terminalSuite], ({ id }, index) => isSampled(index) || OF_EACH_MACHINE.test(id));
}

const overTmux = ({ backend, transport }: Machine, env: NodeJS.ProcessEnv = process.env) =>
  withTmux(backend, { run: (argv) => transport.command(argv), env: env as Readonly<Record<string, string>> });

withServices(["podman"], "tmux in a container", () => {
  const engine = new TestEngine("podman");
  let container: string;
  let backend: Backend;
  beforeAll(async () => {
    container = engine.start("--user", "user", "--env", "HOME=/home/user");
    backend = overTmux(await openContainer({ name: container, ...engine.options }), engine.options.engineEnv);
  });
  afterAll(() => engine.dispose());

  conformOver("container+tmux", () => backend);

  it("leaves no process and no file in the container", async () => {
    await backend.close();
    await until(() => engine.processes(container).every((line) => /podman-init|^\/bin\/sleep infinity$/.test(line)));
    expect(engine.run("exec", container, "ls", "-A", "/tmp", "/home/user")).toBe("/home/user:\n\n/tmp:");
  });
});

withServices(["ssh"], "tmux over ssh", () => {
  let client: SshClient;
  let backend: Backend;
  beforeAll(async () => {
    client = new SshClient();
    backend = overTmux(await openSshMachine({ destination: service("ssh").hosts.box, config: client.config }));
  });
  afterAll(() => client.dispose());

  conformOver("ssh+tmux", () => backend);

  it("leaves no connection, and nothing in the home directory but what was there", async () => {
    const { shell } = backend.root;
    const inHome = async (command: string) =>
      new TextDecoder().decode((await shell.exec(command, { cwd: backend.home })).stdout.head);
    const list = "ls -A | grep '^[.]' | grep -v _history; cat .bash_history 2>/dev/null | grep -c haft-";
    const before = await inHome(list);
    const grant = { files: [], panes: [{ id: "*", actions: PANE_ACTIONS }] };
    const { terminal } = bindAll({ backend, clock: realClock }, grant);
    const { pane } = (await terminal?.open({}))!;
    // Its shell stores its history when it ends, before its pane is gone.
    await terminal?.send(pane, [{ text: "exit" }, { key: "Enter" }]).catch(() => {}); // it may be gone at once
    await until(async () => (await terminal?.list())?.every((one) => one.pane !== pane) === true);
    expect(await inHome(list)).toBe(before);
    await backend.close();
    await until(() => client.processes().length === 0);
    expect(client.left()).toEqual([]);
  });
});

withServices(["ssh", "links"], "tmux over ssh, where it is not installed", () => {
  verifies("BD-069", "commands and files work, and what needs a pane says what is missing", async () => {
    const client = new SshClient();
    const destination = service("ssh").hosts.busybox ?? "";
    const backend = overTmux(await openSshMachine({ destination, config: client.config }));
    const grant = { files: [], panes: [{ id: "*", actions: PANE_ACTIONS }] };
    const { terminal } = bindAll({ backend, clock: realClock }, grant);
    const failed: unknown = await terminal?.list().catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({
      code: "BACKEND_UNSUPPORTED",
      message: expect.stringContaining("tmux is not installed there. Install tmux"),
    });
    const { exit } = await backend.root.shell.exec("exit 5", { cwd: "/" });
    expect([exit, await backend.root.fs.exists("/")]).toEqual([{ by: "code", code: 5 }, true]);
    await backend.close();
    await until(() => client.processes().length === 0);
    client.dispose();
  });
});
