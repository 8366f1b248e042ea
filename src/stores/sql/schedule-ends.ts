/** How runs are recorded and end, and what is then deleted. */
import {
  type Schedule,
  type ScheduleContent,
  type ScheduleRun,
  type ScheduleRunEnd,
  schedulePlace,
} from "../../kernel/index.js";
import { endText, nameText, ownerText, runId, runOf, scheduleOf } from "./schedule-rows.js";
import type { Sql } from "./sql.js";

/** Ended runs that are kept of each schedule, and in all of schedules that are gone. */
const MAX_KEPT_RUNS = 50;
const MAX_KEPT_OF_REMOVED = 1_000;

/** Records a due time, with an end where it never runs; undefined where it has a record. */
export async function insertRun(
  sql: Sql,
  { id: schedule, name, command, ...more }: Schedule,
  { dueMs, attempt = 1 }: { readonly dueMs: number; readonly attempt?: number },
  ended?: { readonly end: ScheduleRunEnd; readonly nowMs: number },
): Promise<ScheduleRun | undefined> {
  const id = runId(schedule, dueMs, attempt);
  const [row] = await sql.rows(
    `INSERT INTO haft_schedule_runs (id, schedule, due_ms, attempt, state, ended_ms, outcome, owner, place, name, about)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING RETURNING *`,
    [
      id,
      schedule,
      dueMs,
      attempt,
      ended?.end.state ?? "due",
      ended?.nowMs ?? null,
      ended === undefined ? null : endText(ended.end),
      ownerText(more.owner),
      schedulePlace(more),
      nameText(name),
      JSON.stringify({ ...(name === undefined ? {} : { name }), command }),
    ],
  );
  return row === undefined ? undefined : runOf(row);
}

/** Ends a run that has not ended, adds its repetition where it was interrupted, and deletes what is not kept. */
export async function endRun(sql: Sql, run: ScheduleRun, end: ScheduleRunEnd, nowMs: number): Promise<void> {
  await sql.run(
    "UPDATE haft_schedule_runs SET state = $2, claim = NULL, lease_ms = NULL, ended_ms = $3, outcome = $4 WHERE id = $1",
    [run.id, end.state, nowMs, endText(end)],
  );
  if (end.state === "interrupted") await repeat(sql, run);
  await trimRuns(sql, run.schedule);
  // What was refused has not been done: the schedule stays, for the user to see and to run once it is allowed.
  if (end.state !== "refused") await removeFinished(sql, run.schedule);
}

async function repeat(sql: Sql, { schedule, dueMs, attempt }: ScheduleRun): Promise<void> {
  const [row] = await sql.rows("SELECT * FROM haft_schedules WHERE id = $1 AND enabled = 1", [schedule]);
  if (row === undefined) return;
  const stored = scheduleOf(row);
  if (attempt <= stored.retries) await insertRun(sql, stored, { dueMs, attempt: attempt + 1 });
}

export async function trimRuns(sql: Sql, schedule: string): Promise<void> {
  await sql.run(
    `DELETE FROM haft_schedule_runs WHERE id IN (
       SELECT id FROM haft_schedule_runs WHERE schedule = $1 AND state NOT IN ('due', 'claimed', 'begun')
       ORDER BY due_ms DESC, attempt DESC LIMIT 1000000 OFFSET ${MAX_KEPT_RUNS})`,
    [schedule],
  );
}

/** Deletes a schedule that was to be deleted after its last run, once that has ended, and old runs of schedules that are gone. */
export async function removeFinished(sql: Sql, schedule: string): Promise<void> {
  const [row] = await sql.rows(
    `SELECT content FROM haft_schedules WHERE id = $1 AND enabled = 1 AND next_ms IS NULL AND NOT EXISTS (
       SELECT 1 FROM haft_schedule_runs WHERE schedule = $1 AND state IN ('due', 'claimed', 'begun'))`,
    [schedule],
  );
  if (row !== undefined) {
    if (!(JSON.parse(String(row.content)) as ScheduleContent).deleteAfterRun) return;
    await sql.run("DELETE FROM haft_schedules WHERE id = $1", [schedule]);
  } else {
    const [isThere] = await sql.rows("SELECT 1 FROM haft_schedules WHERE id = $1", [schedule]);
    if (isThere !== undefined) return;
  }
  await sql.run(
    `DELETE FROM haft_schedule_runs WHERE id IN (
       SELECT id FROM haft_schedule_runs
       WHERE state NOT IN ('due', 'claimed', 'begun') AND schedule NOT IN (SELECT id FROM haft_schedules)
       ORDER BY due_ms DESC, attempt DESC LIMIT 1000000 OFFSET ${MAX_KEPT_OF_REMOVED})`,
  );
}
