import { conform } from "../../testing/conform.fixture.js";
import { type ArtifactsFixture, artifactsSuite, type Plan } from "../../testing/index.js";
import { memoryArtifacts } from "./memory-artifacts.js";

const plan: Plan<ArtifactsFixture> = {
  name: "artifacts in memory",
  async create() {
    let count = 0;
    const ids = { next: (kind: string) => `${kind}-${count++}` };
    return {
      open: async ({ maxBytes, quotaBytes }) =>
        memoryArtifacts({ ids, now: Date.now, partBytes: maxBytes / 2, quotaBytes }),
      dispose: async () => {},
    };
  },
  cannot: {},
  knownFailures: {},
};

conform(plan, [artifactsSuite]);
