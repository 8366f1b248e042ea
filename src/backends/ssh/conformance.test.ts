import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Backend } from "../../kernel/index.js";
import { conform, realClock } from "../../testing/conform.fixture.js";
import {
  backendSuite,
  type Fixture,
  fsSuite,
  type Plan,
  plantByShell,
  searchSuite,
  shellSuite,
} from "../../testing/index.js";
import { LONG } from "../../testing/long.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { until } from "../posix/machine.fixture.js";
import { isSmoke } from "../posix/smoke.fixture.js";
import { openSsh } from "./index.js";
import { SshClient } from "./ssh-client.fixture.js";

const NO_SIGNALS = "a remote shell cannot distinguish death by a signal from a status over 128";
const CANNOT = {
  "shell:exit:137-is-a-code": NO_SIGNALS,
  "shell:exit:signal": NO_SIGNALS,
  "shell:exec:detach": "a running command cannot become a job: it holds the channel of its call",
  "shell:spawn:waiting": "a plain shell does not report what its processes wait for",
};
const BUSYBOX = {
  ...CANNOT,
  "shell:process:default-signals": "busybox's own `sh -c` starts its last command with QUIT ignored",
};

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

// As a plain user with an empty home, on a machine with the usual programs and on one that has only busybox.
for (const [title, which, cannot] of [
  ["ssh", "box", CANNOT],
  ["ssh, busybox", "busybox", BUSYBOX],
] as const) {
  withServices(["ssh", "links"], title, () => {
    let client: SshClient;
    let backend: Backend;
    const open = () =>
      openSsh({ destination: service("ssh").hosts[which] ?? "", config: client.config, orphanMs: 1_000 });
    beforeAll(async () => {
      client = new SshClient();
      backend = await open();
    });
    afterAll(() => client.dispose());

    const plan: Plan<Fixture> = {
      name: title,
      async create() {
        const { stdout } = await backend.root.shell.exec('cd -P "$(mktemp -d)" && pwd', { cwd: "/" });
        const directory = Buffer.from(stdout.head).toString().trim();
        return {
          backend,
          directory,
          clock: realClock,
          plant: plantByShell(backend),
          openAnother: open,
          dispose: async () => {
            await backend.root.shell.exec(`chmod -R u+rwx ${directory}; rm -rf ${directory}`, { cwd: "/" });
          },
        };
      },
      cannot,
      knownFailures: {},
    };
    // The posix suites prove the rest on the same scripts.
    conform(plan, [fsSuite, shellSuite, searchSuite, backendSuite], (one, index) => {
      return LONG || (isSmoke(one) && (which === "box" || index % 2 === 0));
    });

    it("leaves no connection behind", async () => {
      await backend.close();
      await until(() => client.processes().length === 0);
      expect(client.left()).toEqual([]);
    });
  });
}
