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
import { completeBackend } from "./index.js";
import { nodeCore } from "./node-core.fixture.js";

async function fixtureOf(): Promise<Fixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "haft-core-")));
  const backend = completeBackend(nodeCore(folder, realClock));
  return {
    backend,
    directory: folder,
    clock: realClock,
    plant: plantByShell(backend),
    openAnother: async () => completeBackend(nodeCore(folder, realClock)),
    async dispose() {
      await backend.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const corePlan: Plan<Fixture> = {
  name: "completed",
  create: fixtureOf,
  cannot: COMPLETED_CANNOT,
  knownFailures: {},
};

conform(corePlan, [fsSuite, shellSuite, searchSuite, backendSuite]);
