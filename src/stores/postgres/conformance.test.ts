import { conform } from "../../testing/conform.fixture.js";
import { memoriesSuite, type Plan, type StateFixture, schedulesSuite, stateSuite } from "../../testing/index.js";
import { createSchema, dropSchema } from "../../testing/postgres-schema.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { postgresState } from "./postgres-state.js";

const plan: Plan<StateFixture> = {
  name: "state by PostgreSQL",
  async create() {
    const url = await createSchema(service("postgres").url);
    const opened: ReturnType<typeof postgresState>[] = [];
    let nowMs = Date.UTC(2026, 0, 1);
    return {
      async open() {
        const state = postgresState({ url, now: () => nowMs });
        opened.push(state);
        return state;
      },
      advance(ms) {
        nowMs += ms;
      },
      async dispose() {
        await Promise.all(opened.map((state) => state.close()));
        await dropSchema(url);
      },
    };
  },
  cannot: {},
  knownFailures: {},
};

withServices(["postgres"], "the state suite", () => {
  conform(plan, [stateSuite, schedulesSuite, memoriesSuite]);
});
