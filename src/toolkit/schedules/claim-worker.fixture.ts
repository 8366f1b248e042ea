/**
 * A host of a test that claims what is due, and stops dead before the statement of the claim with a given number, to be killed there.
 * Says "stopped", or "claimed" where the claim has fewer statements: it has then begun the first run.
 */
import { writeSync } from "node:fs";
import { duePlan } from "../../engines/schedule/index.js";
import { postgresDatabase } from "../../stores/postgres/index.js";
import { prepareSchema, type Sql, sqlState } from "../../stores/sql/index.js";
import { type SqliteDriver, sqliteDriver, sqliteState } from "../../stores/sqlite/index.js";
import { QUERY } from "../../testing/state/schedules-fixture.js";

const [store = "", at = "", now = ""] = process.argv.slice(2);
let left = Number(at);
let isClaiming = false;

function stopDead(word: string): void {
  writeSync(1, word);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function count(): void {
  if (isClaiming && left-- === 0) stopDead("stopped");
}

function counting<T extends object>(statements: T): T {
  return new Proxy(statements, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...values: unknown[]) => {
        count();
        return value.apply(target, values);
      };
    },
  });
}

function openPostgres() {
  const database = postgresDatabase({ url: store, prepare: prepareSchema });
  const transaction: typeof database.transaction = (lock, body) =>
    database.transaction(lock, async (sql: Sql) => {
      const result = await body(counting(sql));
      count();
      return result;
    });
  return sqlState({ database: { ...database, transaction }, now: async () => Number(now) });
}

function openSqlite() {
  const real = sqliteDriver()!;
  const driver: SqliteDriver = { ...real, open: (path) => counting(real.open(path)) };
  return sqliteState({ driver, path: store, now: () => Number(now) });
}

const { schedules } = store.startsWith("postgres:") ? openPostgres() : openSqlite();
await schedules!.list();
isClaiming = true;
const [first] = await schedules!.claimDue({ ...QUERY, host: "killed" }, duePlan);
isClaiming = false;
await schedules!.begin(first!);
stopDead("claimed");
