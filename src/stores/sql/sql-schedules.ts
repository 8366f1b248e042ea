/** Schedules in a SQL database: each step is one transaction, and those of all hosts exclude each other. */

import { newNonce } from "../../host/index.js";
import {
  HaftError,
  type ScheduleHost,
  type ScheduleRun,
  type ScheduleRunEnd,
  type Schedules,
} from "../../kernel/index.js";
import { claimRuns, endLostRuns, forgetHosts, planDue } from "./claim-due.js";
import { endRun, insertRun, removeFinished, trimRuns } from "./schedule-ends.js";
import { contentRow, endText, runId, runOf, scheduleOf } from "./schedule-rows.js";
import type { Sql, SqlDatabase } from "./sql.js";

/** The name of the lock under which schedules and runs change. */
const LOCK = "schedules";
const MAX_SCHEDULES = 1_000;
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
  const locked = <T>(body: (sql: Sql, nowMs: number) => Promise<T>): Promise<T> =>
    database.transaction(LOCK, async (sql) => body(sql, Math.floor(await now(sql))));

  return {
    add: (content, nextMs) =>
      locked(async (sql, nowMs) => {
        const id = newNonce();
        const row = contentRow(id, { ...content, ...(nextMs === undefined ? {} : { nextMs }) });
        const [counted] = await sql.rows(
          "SELECT COUNT(*) AS n, COALESCE(MAX(position), 0) AS last FROM haft_schedules",
        );
        if (Number(counted?.n) >= MAX_SCHEDULES) throw tooMany();
        await sql.run(
          "INSERT INTO haft_schedules (id, position, created_ms, next_ms, enabled, place, content) VALUES ($1, $2, $3, $4, $5, $6, $7)",
          [id, Number(counted?.last) + 1, nowMs, row.nextMs, row.enabled, row.place, row.text],
        );
        const [stored] = await sql.rows("SELECT * FROM haft_schedules WHERE id = $1", [id]);
        return scheduleOf(stored!);
      }),
    async get(id) {
      const [row] = await database.rows("SELECT * FROM haft_schedules WHERE id = $1", [id]);
      return row === undefined ? undefined : scheduleOf(row);
    },
    list: async () => (await database.rows("SELECT * FROM haft_schedules ORDER BY position")).map(scheduleOf),
    update: (id, change) =>
      locked(async (sql, nowMs) => {
        const [row] = await sql.rows("SELECT * FROM haft_schedules WHERE id = $1", [id]);
        if (row === undefined) return undefined;
        const changed = change(scheduleOf(row));
        if (changed === undefined) {
          await sql.run("DELETE FROM haft_schedules WHERE id = $1", [id]);
          await skipWaiting(sql, id, nowMs, "The schedule was removed.");
          return undefined;
        }
        const next = contentRow(id, changed);
        await sql.run("UPDATE haft_schedules SET next_ms = $2, enabled = $3, place = $4, content = $5 WHERE id = $1", [
          id,
          next.nextMs,
          next.enabled,
          next.place,
          next.text,
        ]);
        if (next.enabled === 0) await skipWaiting(sql, id, nowMs, "The schedule was disabled.");
        // What has been claimed has not begun: it runs as the schedule says now.
        await sql.run(
          "UPDATE haft_schedule_runs SET state = 'due', claim = NULL, host = NULL, claimed_ms = NULL, lease_ms = NULL WHERE schedule = $1 AND state = 'claimed'",
          [id],
        );
        const [stored] = await sql.rows("SELECT * FROM haft_schedules WHERE id = $1", [id]);
        return scheduleOf(stored!);
      }),
    trigger: (id) =>
      locked(async (sql, nowMs) => {
        const [found] = await sql.rows("SELECT id FROM haft_schedules WHERE id = $1", [id]);
        if (found === undefined) return undefined;
        for (let dueMs = nowMs; ; dueMs += 1) {
          const run = { schedule: id, dueMs, attempt: 1 };
          if (await insertRun(sql, run)) return { id: runId(id, dueMs, 1), ...run, state: "due" } satisfies ScheduleRun;
        }
      }),
    async runs({ schedule, limit = DEFAULT_RUNS } = {}) {
      const most = Math.min(Math.max(1, Math.floor(limit)), MAX_RUNS);
      const order = "ORDER BY due_ms DESC, attempt DESC, id DESC LIMIT $1";
      const rows =
        schedule === undefined
          ? database.rows(`SELECT * FROM haft_schedule_runs ${order}`, [most])
          : database.rows(`SELECT * FROM haft_schedule_runs WHERE schedule = $2 ${order}`, [most, schedule]);
      return (await rows).map((row) => runOf(row));
    },
    now: async () => Math.floor(await now(database)),
    async hosts() {
      const since = Math.floor(await now(database)) - HOST_MS;
      const rows = await database.rows(
        "SELECT * FROM haft_schedule_hosts WHERE polled_ms > $1 ORDER BY polled_ms DESC, host",
        [since],
      );
      return rows.map(
        (row): ScheduleHost => ({
          host: String(row.host),
          places: JSON.parse(String(row.places)) as string[],
          polledMs: Number(row.polled_ms),
        }),
      );
    },
    leave: async (host) => void (await database.run("DELETE FROM haft_schedule_hosts WHERE host = $1", [host])),
    claimDue: (query, plan) =>
      locked(async (sql, nowMs) => {
        await sql.run(
          "INSERT INTO haft_schedule_hosts (host, places, polled_ms) VALUES ($1, $2, $3) ON CONFLICT (host) DO UPDATE SET places = $2, polled_ms = $3",
          [query.host, JSON.stringify(query.places), nowMs],
        );
        await forgetHosts(sql, nowMs - HOST_MS);
        await endLostRuns(sql, nowMs);
        await planDue(sql, { places: query.places, nowMs, plan });
        return claimRuns(sql, query, nowMs);
      }),
    begin: ({ run, claim }) =>
      locked(async (sql, nowMs) => {
        const changed = await sql.run(
          "UPDATE haft_schedule_runs SET state = 'begun', begun_ms = $1 WHERE id = $2 AND claim = $3 AND state = 'claimed'",
          [nowMs, run.id, claim],
        );
        return changed === 1;
      }),
    renew: ({ run, claim }, leaseMs) =>
      locked(async (sql, nowMs) => {
        const changed = await sql.run(
          "UPDATE haft_schedule_runs SET lease_ms = $1 WHERE id = $2 AND claim = $3 AND state IN ('claimed', 'begun')",
          [nowMs + Math.floor(leaseMs), run.id, claim],
        );
        return changed === 1;
      }),
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

  /** Ends what waits of a schedule that is gone or disabled. */
  async function skipWaiting(sql: Sql, id: string, nowMs: number, reason: string): Promise<void> {
    const end: ScheduleRunEnd = { state: "skipped", reason };
    await sql.run(
      "UPDATE haft_schedule_runs SET state = 'skipped', claim = NULL, ended_ms = $2, outcome = $3 WHERE schedule = $1 AND state IN ('due', 'claimed')",
      [id, nowMs, endText(end)],
    );
    await trimRuns(sql, id);
    await removeFinished(sql, id);
  }
}

function tooMany(): HaftError {
  return new HaftError(
    "STORE_INVALID",
    `Did not add the schedule: ${MAX_SCHEDULES} are stored, the most that fit. Remove one that is not needed.`,
    { details: { key: "schedules", why: `${MAX_SCHEDULES} are stored` } },
  );
}
