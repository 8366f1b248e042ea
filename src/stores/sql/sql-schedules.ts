/** Schedules in a SQL database: each step is one transaction, and those of all hosts exclude each other. */
import type { ScheduleHost, Schedules } from "../../kernel/index.js";
import { addSchedule, triggerRun, updateSchedule } from "./change-schedules.js";
import { claimRuns, endLostRuns, forgetHosts, planDue } from "./claim-due.js";
import { endRun } from "./schedule-ends.js";
import { runOf, scheduleOf } from "./schedule-rows.js";
import type { Sql, SqlDatabase, SqlRow } from "./sql.js";

/** The name of the lock under which schedules and runs change. */
const LOCK = "schedules";
const DEFAULT_RUNS = 20;
const MAX_RUNS = 1_000;
/** Milliseconds after which a host that does not ask any more is not listed. */
const HOST_MS = 3_600_000;

export interface SqlSchedulesOptions {
  /** Milliseconds since the epoch, by the clock of the store. */
  now(sql: Sql): Promise<number>;
}

/** The tables are those of `scheduleTables`. */
export function sqlSchedules(database: SqlDatabase, { now }: SqlSchedulesOptions): Schedules {
  const timeOf = async (sql: Sql) => Math.floor(await now(sql));
  const locked = <T>(body: (sql: Sql, nowMs: number) => Promise<T>): Promise<T> =>
    database.transaction(LOCK, async (sql) => body(sql, await timeOf(sql)));
  /** Whether a run whose claim has not ended was changed. */
  const changed = (statement: string, values: (nowMs: number) => readonly (string | number)[]): Promise<boolean> =>
    locked(async (sql, nowMs) => (await sql.run(statement, values(nowMs))) === 1);
  return {
    add: (content, nextMs) => locked((sql, nowMs) => addSchedule(sql, content, { nextMs, nowMs })),
    async get(id) {
      const [row] = await database.rows("SELECT * FROM haft_schedules WHERE id = $1", [id]);
      return row === undefined ? undefined : scheduleOf(row);
    },
    list: async () => (await database.rows("SELECT * FROM haft_schedules ORDER BY position")).map(scheduleOf),
    update: (id, change) => locked((sql, nowMs) => updateSchedule(sql, id, { change, nowMs })),
    trigger: (id) => locked((sql, nowMs) => triggerRun(sql, id, nowMs)),
    async runs({ schedule, limit = DEFAULT_RUNS } = {}) {
      const most = Math.min(Math.max(1, Math.floor(limit)), MAX_RUNS);
      const order = "ORDER BY due_ms DESC, attempt DESC, id DESC LIMIT $1";
      const rows =
        schedule === undefined
          ? database.rows(`SELECT * FROM haft_schedule_runs ${order}`, [most])
          : database.rows(`SELECT * FROM haft_schedule_runs WHERE schedule = $2 ${order}`, [most, schedule]);
      return (await rows).map((row) => runOf(row));
    },
    now: () => timeOf(database),
    async hosts() {
      const since = (await timeOf(database)) - HOST_MS;
      const order = "ORDER BY polled_ms DESC, host";
      return (await database.rows(`SELECT * FROM haft_schedule_hosts WHERE polled_ms > $1 ${order}`, [since])).map(
        hostOf,
      );
    },
    leave: async (host) => void (await database.run("DELETE FROM haft_schedule_hosts WHERE host = $1", [host])),
    claimDue: (query, plan) =>
      locked(async (sql, nowMs) => {
        const { host, places } = query;
        await sql.run(
          "INSERT INTO haft_schedule_hosts (host, places, polled_ms) VALUES ($1, $2, $3) ON CONFLICT (host) DO UPDATE SET places = $2, polled_ms = $3",
          [host, JSON.stringify(places), nowMs],
        );
        await forgetHosts(sql, nowMs - HOST_MS);
        await endLostRuns(sql, nowMs);
        await planDue(sql, { places, nowMs, plan });
        return claimRuns(sql, query, nowMs);
      }),
    begin: ({ run, claim }) =>
      changed(
        "UPDATE haft_schedule_runs SET state = 'begun', begun_ms = $1 WHERE id = $2 AND claim = $3 AND state = 'claimed'",
        (nowMs) => [nowMs, run.id, claim],
      ),
    renew: ({ run, claim }, leaseMs) =>
      changed(
        "UPDATE haft_schedule_runs SET lease_ms = $1 WHERE id = $2 AND claim = $3 AND state IN ('claimed', 'begun')",
        (nowMs) => [nowMs + Math.floor(leaseMs), run.id, claim],
      ),
    settle: ({ run, claim }, end) =>
      locked(async (sql, nowMs) => {
        const [row] = await sql.rows(
          "SELECT * FROM haft_schedule_runs WHERE id = $1 AND claim = $2 AND state IN ('claimed', 'begun')",
          [run.id, claim],
        );
        if (row === undefined) return false;
        await endRun(sql, runOf(row), end, nowMs);
        return true;
      }),
  };
}

function hostOf(row: SqlRow): ScheduleHost {
  const places = JSON.parse(String(row.places)) as string[];
  return { host: String(row.host), places, polledMs: Number(row.polled_ms) };
}
