import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { systemClock } from "../../host/index.js";
import { conform } from "../../testing/conform.fixture.js";
import { backendSuite, fsSuite, plantByShell, searchSuite, shellSuite } from "../../testing/index.js";
import { createLocalBackend } from "./local-backend.js";
import { closeInherited } from "./shell/inherited-descriptors.fixture.js";

closeInherited();
const backend = createLocalBackend();
const stateDir = realpathSync(mkdtempSync(join(tmpdir(), "haft-local-state-")));
afterAll(async () => {
  await backend.close();
  rmSync(stateDir, { recursive: true, force: true });
});

conform(
  {
    name: "local",
    async create() {
      const dir = realpathSync(mkdtempSync(join(tmpdir(), "haft-local-")));
      return {
        backend,
        directory: dir,
        clock: systemClock,
        plant: plantByShell(backend),
        openAnother: async () => createLocalBackend({ stateDir }),
        dispose: async () => rmSync(dir, { recursive: true, force: true }),
      };
    },
    cannot: {},
    knownFailures: {},
  },
  [fsSuite, shellSuite, searchSuite, backendSuite],
);
