import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { conform } from "../../testing/conform.fixture.js";
import { withBubblewrap } from "../../testing/programs.fixture.js";
import { closeInherited } from "../local/shell/inherited-descriptors.fixture.js";
import { SANDBOX_SUITES, sandboxPlan } from "./conformance.fixture.js";

withBubblewrap("a sandbox", () => {
  let above: string;
  const plan = sandboxPlan(() => above);
  beforeAll(() => {
    closeInherited();
    above = realpathSync(mkdtempSync(join(tmpdir(), "haft-confined-")));
  });
  afterAll(async () => {
    await plan.close();
    rmSync(above, { recursive: true, force: true });
  });
  conform(plan, SANDBOX_SUITES);
});
