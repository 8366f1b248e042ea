import { describe, expect, it } from "vitest";
import type { MissedRuns, Schedule, ScheduleTiming } from "../../kernel/index.js";
import { duePlan } from "./due-plan.js";

const MINUTE = 60_000;
const EVERY: ScheduleTiming = { kind: "every", everyMs: MINUTE, fromMs: 0 };

function plan(missed: MissedRuns, nowMs: number, unfinished = 0, more: Partial<Schedule> = {}) {
  return duePlan({ timing: EVERY, nextMs: MINUTE, missed, ...more } as Schedule, nowMs, unfinished);
}

/** Minutes that run, that are skipped, and the next one. */
function minutes(...args: Parameters<typeof plan>) {
  const { run, skip, nextMs = -MINUTE } = plan(...args);
  return [run.map((ms) => ms / MINUTE), skip.map(({ dueMs }) => dueMs / MINUTE), nextMs / MINUTE];
}

describe("the plan of what is due", () => {
  it("runs what is due in time, whatever the policy for missed runs", () => {
    for (const missed of ["skip", "once", 3] as const)
      expect([missed, minutes(missed, MINUTE + 500)]).toEqual([missed, [[1], [], 2]]);
  });

  it("runs of missed times none, the latest, or some of the latest", () => {
    const nowMs = 5 * MINUTE + 30_000;
    expect(minutes("once", nowMs)).toEqual([[5], [1, 2, 3, 4], 6]);
    expect(minutes(3, nowMs)).toEqual([[3, 4, 5], [1, 2], 6]);
    expect(minutes(9, nowMs)).toEqual([[1, 2, 3, 4, 5], [], 6]);
    const daily = { timing: { kind: "cron", expression: "0 9 * * *", zone: "UTC" }, nextMs: 9 * 60 * MINUTE } as const;
    const late = plan("skip", 12 * 60 * MINUTE, 0, daily);
    expect([late.run, late.skip.map(({ reason }) => reason)]).toEqual([[], ["No host ran schedules at that time."]]);
    expect(plan("once", 12 * 60 * MINUTE, 0, daily).run).toEqual([daily.nextMs]);
  });

  it("lets one due time wait while an earlier run is under way, and skips the others", () => {
    expect(minutes("once", MINUTE, 1)).toEqual([[1], [], 2]);
    expect(minutes("once", MINUTE, 2)).toEqual([[], [1], 2]);
    expect(minutes(2, MINUTE, 2)).toEqual([[1], [], 2]);
    expect(minutes("skip", MINUTE, 1)).toEqual([[], [1], 2]);
    expect(plan("skip", MINUTE, 1).skip).toEqual([{ dueMs: MINUTE, reason: "An earlier run had not ended." }]);
  });

  it("records at most the latest 100 of many missed times, at once", () => {
    const everySecond = {
      timing: { kind: "cron", expression: "* * * * * *", zone: "Europe/Berlin" },
      nextMs: 1_000,
    } as const;
    const year = plan("once", 365 * 24 * 60 * MINUTE, 0, everySecond);
    expect([year.run.length, year.skip.length, year.nextMs]).toEqual([1, 100, 365 * 24 * 60 * MINUTE + 1_000]);
    expect(year.skip.at(-1)?.dueMs).toBe(year.run[0]! - 1_000);
  });

  it("does nothing before the time, and nothing after the only one", () => {
    expect(minutes("once", MINUTE - 1)).toEqual([[], [], 1]);
    expect(minutes("once", MINUTE, 0, { timing: { kind: "at", atMs: MINUTE } })).toEqual([[1], [], -1]);
  });

  it("records a timing that cannot be read any more, and does not try again", () => {
    const timing = { kind: "cron", expression: "0 9 * * *", zone: "Nowhere/Land" } as const;
    const { run, skip, nextMs } = plan("once", MINUTE, 0, { timing });
    expect([run, nextMs, skip[0]?.reason]).toEqual([
      [],
      undefined,
      expect.stringMatching(/^Its timing cannot be read:/),
    ]);
  });
});
