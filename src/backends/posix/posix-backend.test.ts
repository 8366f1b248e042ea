import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { conform, realClock } from "../../../test/conformance.js";
import type { Backend } from "../../kernel/index.js";
import { type Fixture, fsSuite, type Plan, plantByShell, searchSuite, shellSuite } from "../../testing/index.js";
import { openLocalPosix } from "./index.js";

const CANNOT = {
  "shell:exit:137-is-a-code": "a shell at the far end cannot tell a status over 128 from a signal",
  "shell:exit:signal": "a shell at the far end cannot tell a signal from a status over 128",
};

for (const shell of ["dash", "bash", "busybox"]) {
  const isThere = spawnSync(shell, ["-c", "exit 0"]).error === undefined;
  if (!isThere && shell !== "busybox") continue;
  describe(shell, () => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await openLocalPosix({ shell });
    });
    afterAll(async () => {
      await backend.close();
    });
    const plan: Plan<Fixture> = {
      name: `posix:${shell}`,
      async create() {
        const folder = mkdtempSync(join(realpathSync(tmpdir()), "haft-posix-"));
        return {
          backend,
          folder,
          clock: realClock,
          plant: plantByShell(backend),
          dispose: async () => rmSync(folder, { recursive: true, force: true }),
        };
      },
      cannot: CANNOT,
      knownFailures: {},
    };
    conform(plan, [fsSuite, shellSuite, searchSuite]);
    it("has its fixture", () => {});
  });
}
