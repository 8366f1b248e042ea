import { closeSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { type Fixture, fsSuite, type Plan, plantByShell, runnable, shellSuite } from "../../testing/index.js";
import { createLocalBackend } from "./local-backend.js";
import { systemClock } from "./system-services.js";

closeInherited();
const backend = createLocalBackend();
afterAll(async () => void (await backend.close()));

const plan: Plan<Fixture> = {
  name: "local",
  async create() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-local-")));
    return {
      backend,
      folder,
      clock: systemClock,
      plant: plantByShell(backend),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  cannot: {},
  knownFailures: {},
};

describe("local", () => {
  for (const one of runnable(plan, [fsSuite, shellSuite])) it(`${one.id}: ${one.behavior}`, one.run);
});

/** What started the test runner may have left descriptors open that every process below inherits; a command has none of ours. */
function closeInherited(): void {
  for (const descriptor of readdirSync("/proc/self/fd").map(Number)) {
    try {
      const flags = /flags:\s+(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1] ?? "0";
      const closesOnExec = (Number.parseInt(flags, 8) & 0o2000000) !== 0;
      if (descriptor > 2 && !closesOnExec) closeSync(descriptor);
    } catch {
      // The descriptor of the listing itself.
    }
  }
}
