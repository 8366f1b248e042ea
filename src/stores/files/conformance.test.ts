import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conform } from "../../testing/conform.fixture.js";
import {
  type ArtifactsFixture,
  artifactsSuite,
  type Plan,
  type StateFixture,
  stateSuite,
} from "../../testing/index.js";
import { fileArtifacts } from "./file-artifacts.js";
import { fileLocks } from "./file-locks.js";
import { fileState } from "./file-state.js";
import { openStateDirectory } from "./state-directory.js";

const plan: Plan<ArtifactsFixture> = {
  name: "artifacts by files",
  async create() {
    const state = openStateDirectory(mkdtempSync(join(tmpdir(), "haft-artifacts-")));
    let sessions = 0;
    return {
      open: async ({ maxBytes, quotaBytes }) =>
        fileArtifacts(state, ["sessions", `s${sessions++}`, "artifacts"], { partBytes: maxBytes / 2, quotaBytes }),
      dispose: async () => rmSync(state.path, { recursive: true, force: true }),
    };
  },
  cannot: {},
  knownFailures: {},
};

conform(plan, [artifactsSuite]);

const statePlan: Plan<StateFixture> = {
  name: "state by files",
  async create() {
    const root = mkdtempSync(join(tmpdir(), "haft-state-"));
    let nowMs = Date.UTC(2026, 0, 1);
    return {
      async open() {
        const state = openStateDirectory(root);
        return fileState({ state, locks: fileLocks(state), now: () => nowMs });
      },
      advance(ms) {
        nowMs += ms;
      },
      dispose: async () => rmSync(root, { recursive: true, force: true }),
    };
  },
  cannot: {},
  knownFailures: {},
};

conform(statePlan, [stateSuite]);
