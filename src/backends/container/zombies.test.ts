import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { withServices } from "../../testing/services.fixture.js";
import { pause, until } from "../posix/machine.fixture.js";
import { TestEngine } from "./engine.fixture.js";
import { openContainer } from "./index.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

withServices(["podman"], "a container whose PID 1 does not collect ended processes", () => {
  const engine = new TestEngine("podman");
  let container: string;
  beforeAll(() => {
    container = engine.startWithoutInit();
  });
  afterAll(() => engine.dispose());
  const states = () => engine.run("exec", container, "ps", "-o", "stat,comm").split("\n").slice(1);
  const zombies = () => states().filter((line) => line.startsWith("Z"));

  it("keeps one zombie of a connection, by which the adopter of orphans was found, and none of its commands", async () => {
    const use = async () => {
      const { backend } = await openContainer({ name: container, ...engine.options });
      const { shell, fs } = backend.root;
      // Several workers, each with the pumps of its next command.
      await Promise.all([1, 2, 3].map(() => shell.exec("sleep 0.2; echo out", { cwd: "/" })));
      await fs.readDir("/");
      await backend.close();
      await until(() => states().every((line) => /^Z|sleep|ps$/.test(line)));
    };
    await use();
    // What ended last may not be a zombie yet.
    await pause(500);
    expect(zombies()).toHaveLength(1);
    await use();
    await pause(500);
    expect(zombies()).toHaveLength(2);
  });
});
