import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../host/index.js";
import { conform } from "../../testing/conform.fixture.js";
import { backendSuite, fsSuite, plantByShell, searchSuite, shellSuite } from "../../testing/index.js";
import { createLocalBackend } from "../local/index.js";
import { closeInherited } from "../local/shell/inherited-descriptors.fixture.js";
import { createSandboxBackend } from "./index.js";

closeInherited();

conform(
  {
    name: "sandbox",
    async create() {
      const dir = realpathSync(mkdtempSync(join(tmpdir(), "haft-confined-")));
      const open = () => createSandboxBackend({ cwd: dir });
      const [backend, outside] = [await open(), createLocalBackend()];
      return {
        backend,
        directory: dir,
        clock: systemClock,
        plant: plantByShell(outside),
        openAnother: open,
        async dispose() {
          await Promise.all([backend.close(), outside.close()]);
          rmSync(dir, { recursive: true, force: true });
        },
      };
    },
    cannot: {},
    knownFailures: {},
  },
  [fsSuite, shellSuite, searchSuite, backendSuite],
);
