import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conform, realClock } from "../../testing/conform.fixture.js";
import {
  backendSuite,
  COMPLETED_CANNOT,
  type Fixture,
  fsSuite,
  type Plan,
  plantByShell,
  searchSuite,
  shellSuite,
} from "../../testing/index.js";
import { isSampled } from "../../testing/long.fixture.js";
import { completeBackend } from "./index.js";
import { nodeCore } from "./node-core.fixture.js";

async function fixtureOf(): Promise<Fixture> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "haft-core-")));
  const backend = completeBackend(nodeCore(dir, realClock));
  return {
    backend,
    directory: dir,
    clock: realClock,
    plant: plantByShell(backend),
    openAnother: async () => completeBackend(nodeCore(dir, realClock)),
    async dispose() {
      await backend.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export const corePlan: Plan<Fixture> = {
  name: "completed",
  create: fixtureOf,
  cannot: COMPLETED_CANNOT,
  knownFailures: {},
};

// The search engine is the one that the memory backend proves whole.
conform(corePlan, [fsSuite, shellSuite, searchSuite, backendSuite], (one, index) => {
  return !one.id.startsWith("search:") || isSampled(index);
});
