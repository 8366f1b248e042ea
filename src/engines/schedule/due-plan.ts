/** What becomes of due times: which run, which are skipped, and when the schedule is due next. */
import { type DuePlan, type MissedRuns, messageOf, type Schedule } from "../../kernel/index.js";
import { duesBetween, nextDue } from "./timing.js";

/** A due time that is planned later than this was missed. */
const LATE_MS = 60_000;
/** Skipped due times that get a record. */
const MAX_SKIPPED = 100;
/** Of the missed runs, how many a schedule can ask for. */
export const MAX_MISSED_RUNS = 100;

/**
 * The plan by what a schedule says about missed runs. One due time may wait while a run is under way; a timing that cannot be read any
 * more, such as one in a zone that no longer exists, is recorded and not due again.
 */
export const duePlan: DuePlan = (schedule, nowMs, unfinished) => {
  try {
    return planOf(schedule, nowMs, unfinished);
  } catch (thrown) {
    const dueMs = schedule.nextMs ?? nowMs;
    return { run: [], skip: [{ dueMs, reason: `Its timing cannot be read: ${messageOf(thrown)}` }] };
  }
};

function planOf({ timing, nextMs, missed }: Schedule, nowMs: number, unfinished: number): ReturnType<DuePlan> {
  if (nextMs === undefined || nextMs > nowMs) return { run: [], skip: [], ...next(nextMs) };
  const dues = duesBetween(timing, nextMs, nowMs, MAX_SKIPPED + MAX_MISSED_RUNS);
  const runs = dues.slice(
    dues.length - Math.min(dues.length, remaining(missed, unfinished, nowMs - (dues.at(-1) ?? 0))),
  );
  const skipped = dues.slice(0, dues.length - runs.length).slice(-MAX_SKIPPED);
  const reason = unfinished > 0 ? "An earlier run had not ended." : "No host ran schedules at that time.";
  return {
    run: runs,
    skip: skipped.map((dueMs) => ({ dueMs, reason })),
    ...next(nextDue(timing, nowMs)),
  };
}

function next(nextMs: number | undefined): { readonly nextMs?: number } {
  return nextMs === undefined ? {} : { nextMs };
}

/** How many of the due times run. The run that is under way does not count, those that wait do. */
function remaining(missed: MissedRuns, unfinished: number, lateMs: number): number {
  if (missed === "skip") return unfinished === 0 && lateMs <= LATE_MS ? 1 : 0;
  const most = missed === "once" ? 1 : missed;
  return Math.max(0, most - Math.max(0, unfinished - 1));
}
