/** The steps of a claim, all of them in one transaction: end what died, plan what is due, and take runs. */
import { newNonce } from "../../host/index.js";
import type { ClaimedRun, ClaimQuery, DuePlan } from "../../kernel/index.js";
import { endRun, insertRun, removeFinished, trimRuns } from "./schedule-ends.js";
import { runOf, scheduleOf } from "./schedule-rows.js";
import type { Sql } from "./sql.js";

/** Schedules that one claim plans at most, so that it holds the lock for a short time. */
const MAX_PLANNED = 64;

/** Deletes hosts that have not asked since. */
export async function forgetHosts(sql: Sql, sinceMs: number): Promise<void> {
  await sql.run("DELETE FROM haft_schedule_hosts WHERE polled_ms <= $1", [sinceMs]);
}

export async function claimDue(
  sql: Sql,
  query: ClaimQuery,
  { nowMs, plan }: { readonly nowMs: number; readonly plan: DuePlan },
): Promise<readonly ClaimedRun[]> {
  const { host, places } = query;
  await sql.run(
    "INSERT INTO haft_schedule_hosts (host, places, polled_ms) VALUES ($1, $2, $3) ON CONFLICT (host) DO UPDATE SET places = $2, polled_ms = $3",
    [host, JSON.stringify(places), nowMs],
  );
  await renewHeld(sql, query, nowMs);
  await endLostRuns(sql, nowMs);
  await planDue(sql, { places, nowMs, plan });
  return claimRuns(sql, query, nowMs);
}

/** Extends the leases of what a host has under way: that it asks shows that it lives, however far the clock has jumped. */
async function renewHeld(
  sql: Sql,
  { held = [], leaseMs }: Pick<ClaimQuery, "held" | "leaseMs">,
  nowMs: number,
): Promise<void> {
  if (held.length === 0) return;
  await sql.run(
    `UPDATE haft_schedule_runs SET lease_ms = $1 WHERE state IN ('claimed', 'begun') AND claim IN (${listed(held, 2)})`,
    [nowMs + Math.floor(leaseMs), ...held],
  );
}

/** Ends claims whose lease has ended: what has not begun is due again, what has begun is interrupted. */
async function endLostRuns(sql: Sql, nowMs: number): Promise<void> {
  await sql.run(
    `UPDATE haft_schedule_runs SET state = 'due', claim = NULL, host = NULL, claimed_ms = NULL, lease_ms = NULL
     WHERE state = 'claimed' AND lease_ms < $1`,
    [nowMs],
  );
  const lost = await sql.rows("SELECT * FROM haft_schedule_runs WHERE state = 'begun' AND lease_ms < $1", [nowMs]);
  for (const row of lost) {
    const run = runOf(row);
    const reason = `Its host, ${run.host}, stopped while the command ran; how far it came is not known.`;
    await endRun(sql, run, { state: "interrupted", reason }, nowMs);
  }
}

/** Records the due times of schedules that this host serves, and when each is due next. */
async function planDue(
  sql: Sql,
  { places, nowMs, plan }: { readonly places: readonly string[]; readonly nowMs: number; readonly plan: DuePlan },
): Promise<void> {
  if (places.length === 0) return;
  const due = await sql.rows(
    `SELECT * FROM haft_schedules WHERE enabled = 1 AND next_ms <= $1 AND place IN (${listed(places, 2)})
     ORDER BY next_ms, position LIMIT ${MAX_PLANNED}`,
    [nowMs, ...places],
  );
  for (const row of due) {
    const schedule = scheduleOf(row);
    const { id } = schedule;
    const [counted] = await sql.rows(
      "SELECT COUNT(*) AS n FROM haft_schedule_runs WHERE schedule = $1 AND state IN ('due', 'claimed', 'begun')",
      [id],
    );
    const { run, skip, nextMs } = plan(schedule, nowMs, Number(counted?.n));
    for (const { dueMs, reason } of skip)
      await insertRun(sql, schedule, { dueMs }, { end: { state: "skipped", reason }, nowMs });
    for (const dueMs of run) await insertRun(sql, schedule, { dueMs });
    await sql.run("UPDATE haft_schedules SET next_ms = $2 WHERE id = $1", [id, nextMs ?? null]);
    if (skip.length > 0) await trimRuns(sql, id);
    await removeFinished(sql, id);
  }
}

/** Takes the oldest runs that are due, at most one of each schedule, and none of a schedule that has one under way. */
async function claimRuns(
  sql: Sql,
  { host, places, limit, leaseMs }: ClaimQuery,
  nowMs: number,
): Promise<readonly ClaimedRun[]> {
  if (places.length === 0 || limit <= 0) return [];
  const rows = await sql.rows(
    `SELECT s.*, r.id AS run_id, r.schedule AS run_schedule, r.due_ms AS run_due_ms, r.attempt AS run_attempt,
       r.owner AS run_owner, r.place AS run_place, r.about AS run_about
     FROM haft_schedule_runs r JOIN haft_schedules s ON s.id = r.schedule
     WHERE r.state = 'due' AND s.enabled = 1 AND s.place IN (${listed(places, 2)}) AND NOT EXISTS (
       SELECT 1 FROM haft_schedule_runs o WHERE o.schedule = r.schedule AND (o.state IN ('claimed', 'begun')
         OR (o.state = 'due' AND (o.due_ms < r.due_ms OR (o.due_ms = r.due_ms AND o.attempt < r.attempt)))))
     ORDER BY r.due_ms, r.id LIMIT $1`,
    [Math.floor(limit), ...places],
  );
  const claimed: ClaimedRun[] = [];
  for (const row of rows) {
    const claim = newNonce();
    const found = { ...row, run_state: "claimed", run_host: host, run_claimed_ms: nowMs };
    const run = runOf(found, "run_");
    await sql.run(
      "UPDATE haft_schedule_runs SET state = 'claimed', host = $2, claim = $3, lease_ms = $4, claimed_ms = $5 WHERE id = $1",
      [run.id, host, claim, nowMs + Math.floor(leaseMs), nowMs],
    );
    claimed.push({ run, schedule: scheduleOf(row), claim });
  }
  return claimed;
}

/** `$2, $3` for so many values. */
function listed(values: readonly unknown[], first: number): string {
  return values.map((_, index) => `$${first + index}`).join(", ");
}
