import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conform } from "../../testing/conform.fixture.js";
import { type ArtifactsFixture, artifactsSuite, type Plan } from "../../testing/index.js";
import { fileArtifacts } from "./file-artifacts.js";
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
