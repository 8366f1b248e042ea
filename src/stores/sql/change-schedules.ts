/** Adding a schedule, changing one, and making one due: each in the transaction of its caller. */
import { newNonce } from "../../host/index.js";
import {
  HaftError,
  type Schedule,
  type ScheduleContent,
  type ScheduleRun,
  type ScheduleRunEnd,
} from "../../kernel/index.js";
import { insertRun, removeFinished, trimRuns } from "./schedule-ends.js";
import { contentRow, endText, scheduleOf } from "./schedule-rows.js";
import type { Sql } from "./sql.js";

const MAX_SCHEDULES = 1_000;
const MAX_OF_OWNER = 500;
/** Runs of one schedule that wait: no more are made due on demand. */
const MAX_WAITING = 50;

/** @throws `STORE_INVALID` */
export async function addSchedule(
  sql: Sql,
  content: ScheduleContent,
  { nextMs, nowMs }: { readonly nextMs: number | undefined; readonly nowMs: number },
): Promise<Schedule> {
  const id = newNonce();
  const row = contentRow(id, { ...content, ...(nextMs === undefined ? {} : { nextMs }) });
  const [counted] = await sql.rows("SELECT COUNT(*) AS n, COALESCE(MAX(position), 0) AS last FROM haft_schedules");
  if (Number(counted?.n) >= MAX_SCHEDULES) throw tooMany(MAX_SCHEDULES);
  if (content.owner !== undefined) {
    const [own] = await sql.rows("SELECT COUNT(*) AS n FROM haft_schedules WHERE owner = $1", [row.owner]);
    if (Number(own?.n) >= MAX_OF_OWNER) throw tooMany(MAX_OF_OWNER, " of this owner");
  }
  await sql.run(
    "INSERT INTO haft_schedules (id, position, created_ms, next_ms, enabled, owner, place, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    [id, Number(counted?.last) + 1, nowMs, row.nextMs, row.enabled, row.owner, row.place, row.text],
  );
  return (await scheduleIn(sql, id))!;
}

export async function updateSchedule(
  sql: Sql,
  id: string,
  {
    change,
    nowMs,
  }: {
    readonly nowMs: number;
    change(old: Schedule): (ScheduleContent & { readonly nextMs?: number }) | undefined;
  },
): Promise<Schedule | undefined> {
  const old = await scheduleIn(sql, id);
  if (old === undefined) return undefined;
  const changed = change(old);
  if (changed === undefined) {
    await sql.run("DELETE FROM haft_schedules WHERE id = $1", [id]);
    await skipWaiting(sql, id, { nowMs, reason: "The schedule was removed." });
    return undefined;
  }
  const next = contentRow(id, changed);
  await sql.run(
    "UPDATE haft_schedules SET next_ms = $2, enabled = $3, owner = $4, place = $5, content = $6 WHERE id = $1",
    [id, next.nextMs, next.enabled, next.owner, next.place, next.text],
  );
  if (next.enabled === 0) await skipWaiting(sql, id, { nowMs, reason: "The schedule was disabled." });
  // What has been claimed has not begun: it runs as the schedule says now.
  await sql.run(
    "UPDATE haft_schedule_runs SET state = 'due', claim = NULL, host = NULL, claimed_ms = NULL, lease_ms = NULL WHERE schedule = $1 AND state = 'claimed'",
    [id],
  );
  return scheduleIn(sql, id);
}

/** @throws `STORE_INVALID` */
export async function triggerRun(sql: Sql, id: string, nowMs: number): Promise<ScheduleRun | undefined> {
  const schedule = await scheduleIn(sql, id);
  if (schedule === undefined) return undefined;
  if (!schedule.enabled) throw notTriggered(id, "it is disabled", "Enable it first.");
  const [waiting] = await sql.rows(
    "SELECT COUNT(*) AS n FROM haft_schedule_runs WHERE schedule = $1 AND state = 'due'",
    [id],
  );
  if (Number(waiting?.n) >= MAX_WAITING)
    throw notTriggered(id, `${waiting?.n} of its runs wait, at most ${MAX_WAITING} may`, "Wait until they have run.");
  for (let dueMs = nowMs; ; dueMs += 1) {
    const run = await insertRun(sql, schedule, { dueMs });
    if (run !== undefined) return run;
  }
}

async function scheduleIn(sql: Sql, id: string): Promise<Schedule | undefined> {
  const [row] = await sql.rows("SELECT * FROM haft_schedules WHERE id = $1", [id]);
  return row === undefined ? undefined : scheduleOf(row);
}

/** Ends what waits of a schedule that is gone or disabled. */
async function skipWaiting(
  sql: Sql,
  id: string,
  { nowMs, reason }: { readonly nowMs: number; readonly reason: string },
): Promise<void> {
  const end: ScheduleRunEnd = { state: "skipped", reason };
  await sql.run(
    "UPDATE haft_schedule_runs SET state = 'skipped', claim = NULL, ended_ms = $2, outcome = $3 WHERE schedule = $1 AND state IN ('due', 'claimed')",
    [id, nowMs, endText(end)],
  );
  await trimRuns(sql, id);
  await removeFinished(sql, id);
}

function tooMany(most: number, whose = ""): HaftError {
  return new HaftError(
    "STORE_INVALID",
    `Did not add the schedule: ${most}${whose} are stored, the most that fit. Remove one that is not needed.`,
    { details: { key: "schedules", why: `${most}${whose} are stored` } },
  );
}

function notTriggered(key: string, why: string, next: string): HaftError {
  return new HaftError("STORE_INVALID", `Did not run the schedule: ${why}. ${next}`, { details: { key, why } });
}
