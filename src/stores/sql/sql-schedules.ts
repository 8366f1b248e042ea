/** Schedules in a SQL database: each step is one transaction, and those of all hosts exclude each other. */
import type { RunFilter, ScheduleHost, Schedules } from "../../kernel/index.js";
import { addSchedule, triggerRun, updateSchedule } from "./change-schedules.js";
import { claimDue, forgetHosts } from "./claim-due.js";
import { endRun } from "./schedule-ends.js";
import { nameText, ownerText, runOf, scheduleOf } from "./schedule-rows.js";
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
  const listeners = new Set<() => void>();
  const announced = async <T>(write: Promise<T>): Promise<T> => {
    const written = await write;
    for (const listener of [...listeners]) listener();
    return written;
  };
  return {
    add: (content, nextMs) => announced(locked((sql, nowMs) => addSchedule(sql, content, { nextMs, nowMs }))),
    async get(id) {
      const [row] = await database.rows("SELECT * FROM haft_schedules WHERE id = $1", [id]);
      return row === undefined ? undefined : scheduleOf(row);
    },
    list: async () => (await database.rows("SELECT * FROM haft_schedules ORDER BY position")).map(scheduleOf),
    update: (id, change) => announced(locked((sql, nowMs) => updateSchedule(sql, id, { change, nowMs }))),
    trigger: (id) => announced(locked((sql, nowMs) => triggerRun(sql, id, nowMs))),
    onChange(listener) {
      const one = () => listener();
      listeners.add(one);
      return () => void listeners.delete(one);
    },
    runs: (filter) => storedRuns(database, filter),
    lastRuns: (of) => lastRuns(database, of),
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
        await forgetHosts(sql, nowMs - HOST_MS);
        return claimDue(sql, query, { nowMs, plan });
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

async function storedRuns(sql: Sql, { limit = DEFAULT_RUNS, ...filter }: RunFilter = {}) {
  const most = Math.min(Math.max(1, Math.floor(limit)), MAX_RUNS);
  const { where, values } = conditions(filter);
  const order = `ORDER BY due_ms DESC, attempt DESC, id DESC LIMIT ${most}`;
  const rows = await sql.rows(`SELECT * FROM haft_schedule_runs ${where} ${order}`, values);
  return rows.map((row) => runOf(row));
}

async function lastRuns(sql: Sql, of: RunFilter["of"]) {
  const { where, values } = conditions(of === undefined ? {} : { of });
  const newest = `SELECT id FROM haft_schedule_runs WHERE schedule = own.id ORDER BY due_ms DESC, attempt DESC, id DESC LIMIT 1`;
  const stored = `SELECT (${newest}) FROM haft_schedules AS own ${where}`;
  const rows = await sql.rows(`SELECT * FROM haft_schedule_runs WHERE id IN (${stored})`, values);
  return rows.map((row) => runOf(row));
}

function conditions({ schedule, name, of }: RunFilter) {
  const given = [
    ["schedule", schedule],
    ["name", name === undefined ? undefined : nameText(name)],
    ["owner", of === undefined ? undefined : ownerText(of.owner)],
    ["place", of?.place],
  ].filter((one): one is [string, string] => one[1] !== undefined);
  const where = given.map(([column], index) => `${column} = $${index + 1}`).join(" AND ");
  return { where: where === "" ? "" : `WHERE ${where}`, values: given.map(([, value]) => value) };
}

function hostOf(row: SqlRow): ScheduleHost {
  const places = JSON.parse(String(row.places)) as string[];
  return { host: String(row.host), places, polledMs: Number(row.polled_ms) };
}
