import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { State } from "../../kernel/index.js";
import { conform } from "../../testing/conform.fixture.js";
import { type Plan, type StateFixture, schedulesSuite } from "../../testing/index.js";
import { type SqlDatabase, scheduleTables, sqlSchedules } from "../sql/index.js";
import { sqliteDatabase } from "./sqlite-database.js";
import { sqliteDriver } from "./sqlite-driver.js";

const driver = sqliteDriver()!;

const plan: Plan<StateFixture> = {
  name: "schedules in SQLite",
  async create() {
    const directory = mkdtempSync(join(tmpdir(), "haft-schedules-"));
    let nowMs = Date.UTC(2026, 0, 1);
    const opened: SqlDatabase[] = [];
    return {
      async open() {
        const prepare = (sql: SqlDatabase) =>
          sql.transaction("schema", async (tx) => {
            const [found] = await tx.rows("SELECT name FROM sqlite_master WHERE name = 'haft_schedules'");
            if (found !== undefined) return;
            for (const statement of scheduleTables("sqlite")) await tx.run(statement);
          });
        const database = sqliteDatabase({ driver, path: join(directory, "state.db"), prepare });
        opened.push(database);
        return { schedules: sqlSchedules(database, { now: async () => nowMs }) } as State;
      },
      advance(ms) {
        nowMs += ms;
      },
      async dispose() {
        for (const database of opened) await database.close();
        rmSync(directory, { recursive: true });
      },
    };
  },
  cannot: {},
  knownFailures: {},
};

conform(plan, [schedulesSuite]);
