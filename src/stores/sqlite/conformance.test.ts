import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conform } from "../../testing/conform.fixture.js";
import { memoriesSuite, type Plan, type StateFixture, schedulesSuite, stateSuite } from "../../testing/index.js";
import { sqliteDriver } from "./sqlite-driver.js";
import { sqliteState } from "./sqlite-state.js";

const driver = sqliteDriver()!;

const plan: Plan<StateFixture> = {
  name: `state by ${driver.name}`,
  async create() {
    const root = mkdtempSync(join(tmpdir(), "haft-state-"));
    let nowMs = Date.UTC(2026, 0, 1);
    return {
      open: async () => sqliteState({ driver, path: join(root, "state.db"), now: () => nowMs }),
      advance(ms) {
        nowMs += ms;
      },
      dispose: async () => rmSync(root, { recursive: true, force: true }),
    };
  },
  cannot: {},
  knownFailures: {},
};

conform(plan, [stateSuite, schedulesSuite, memoriesSuite]);
