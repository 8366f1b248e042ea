import { randomUUID } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
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
import { isSampled } from "../../testing/long.fixture.js";
import { withServices } from "../../testing/services.fixture.js";
import { until } from "../posix/machine.fixture.js";
import { POSIX_CANNOT } from "../posix/shells.fixture.js";
import { isSmoke } from "../posix/smoke.fixture.js";
import { TestEngine } from "./engine.fixture.js";
import { type ContainerMachine, type EngineName, openContainer, openImage } from "./index.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const SUITES = [fsSuite, shellSuite, searchSuite, backendSuite];

for (const name of ["podman", "docker"] satisfies EngineName[]) {
  withServices([name], `a container, by ${name}`, () => {
    const engine = new TestEngine(name);
    let container: string;
    let machine: ContainerMachine;
    const open = () => openContainer({ name: container, ...engine.options });
    beforeAll(async () => {
      container = engine.start();
      machine = await open();
    });
    afterAll(() => engine.dispose());

    const plan: Plan<Fixture> = {
      name: `container:${name}`,
      async create() {
        const { backend } = machine;
        const directory = `/home/user/${randomUUID()}`;
        await backend.root.fs.mkdir(directory, true);
        return {
          backend,
          directory,
          clock: realClock,
          plant: plantByShell(backend),
          openAnother: async () => (await open()).backend,
          dispose: () => backend.root.fs.rm(directory, { recursive: true, ignoreMissing: true }),
        };
      },
      cannot: POSIX_CANNOT.busybox,
      knownFailures: {},
    };
    // The suites are proved whole on a plain shell of this machine; the docker client leads to the same containers.
    conform(plan, SUITES, (one, index) => isSmoke(one) || (name === "podman" && isSampled(index)));

    it("leaves no process and no file behind all of this, in the container and outside", async () => {
      await machine.backend.close();
      await until(() => engine.channels(container).length === 0);
      await until(() => engine.processes(container).every((line) => /podman-init|^\/bin\/sleep infinity$/.test(line)));
      // What became of a job that was to be kept is known for seven days.
      const others =
        'for one in /tmp/*; do ls "$one"/*.keep >/dev/null 2>&1 || ls -d "$one"; done 2>/dev/null; ls -A /work';
      expect(engine.run("exec", container, "sh", "-c", others)).toBe("");
    });
  });
}

withServices(["podman"], "a container of an image", () => {
  const engine = new TestEngine("podman");
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "haft-image-")));
  let machine: ContainerMachine;
  const open = () => openImage({ image: engine.image, workspace, ...engine.options });
  beforeAll(async () => {
    machine = await open();
  });
  afterAll(() => rmSync(workspace, { recursive: true, force: true }));

  const plan: Plan<Fixture> = {
    name: "image",
    async create() {
      const directory = mkdtempSync(join(workspace, "case-"));
      return {
        backend: machine.backend,
        directory,
        clock: realClock,
        plant: plantByShell(machine.backend),
        openAnother: async () => (await open()).backend,
        dispose: async () => rmSync(directory, { recursive: true, force: true }),
      };
    },
    cannot: { ...POSIX_CANNOT.busybox, "backend:close:kept-job": "the container is deleted with its backend" },
    knownFailures: {},
  };
  conform(plan, SUITES, isSmoke);

  it("leaves no container and no process behind all of this", async () => {
    await machine.backend.close();
    expect(engine.run("ps", "-a", "--filter", "label=haft.host", "--format", "{{.Names}}")).toBe("");
    await until(() => engine.clients().length === 0);
  });
});
