import { conform } from "../../testing/conform.fixture.js";
import {
  type ArtifactsFixture,
  artifactsSuite,
  type Plan,
  type StateFixture,
  stateSuite,
} from "../../testing/index.js";
import { memoryArtifacts } from "./memory-artifacts.js";
import { memoryState } from "./memory-state.js";

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

const statePlan: Plan<StateFixture> = {
  name: "state in memory",
  async create() {
    let count = 0;
    let nowMs = Date.UTC(2026, 0, 1);
    const state = memoryState({ ids: { next: (kind) => `${kind}-${count++}` }, now: () => nowMs });
    return {
      open: async () => state,
      advance(ms) {
        nowMs += ms;
      },
      dispose: () => state.close(),
    };
  },
  cannot: {},
  knownFailures: {},
};

conform(statePlan, [stateSuite]);
