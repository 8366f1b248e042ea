import { conform, realClock } from "../../testing/conform.fixture.js";
import { backendSuite, type Fixture, fsSuite, type Plan, searchSuite, shellSuite } from "../../testing/index.js";
import { MEMORY_CANNOT } from "./cannot.fixture.js";
import { createMemoryBackend, type MemoryCommand } from "./index.js";

const yes: MemoryCommand = async ({ args, out }) => {
  const line = `${args[0] ?? "y"}\n`.repeat(100);
  for (;;) await out(line);
};

export const memoryPlan: Plan<Fixture> = {
  name: "memory",
  async create() {
    const backend = createMemoryBackend({ clock: realClock, commands: { yes } });
    return {
      backend,
      directory: "/workspace",
      clock: realClock,
      plant: async (what) => backend.plant(what),
      openAnother: async () => createMemoryBackend({ clock: realClock }),
      dispose: async () => {
        await backend.close();
      },
    };
  },
  cannot: MEMORY_CANNOT,
  knownFailures: {},
};

conform(memoryPlan, [fsSuite, shellSuite, searchSuite, backendSuite]);
