/** Schedules and runs as the tools return them. */
import type { CallSchedules, Schedule, ScheduleRun } from "../../kernel/index.js";
import { fail, type ToolResult } from "../../kernel/index.js";
import { localZone } from "../../text/index.js";
import { quoted } from "../shared/path-input.js";
import type { RunningHosts, ShownRun, ShownSchedule } from "./contract.js";

/** A host that has not asked for so long does not run schedules. */
const HOST_IDLE_MS = 120_000;

export async function shownSchedule(schedule: Schedule, lastRun?: ScheduleRun): Promise<ShownSchedule> {
  const { localText, timingText, zoneOf } = await import("../../engines/schedule/index.js");
  const { owner: _, session: __, workspace: ___, nextMs: ms, ...shown } = schedule;
  const { timing } = schedule;
  const zone = localZone();
  const next =
    ms === undefined || !schedule.enabled
      ? {}
      : { next: { ms, utc: utcText(ms), local: localText(ms, zoneOf(timing, zone)) } };
  const last = lastRun === undefined ? {} : { lastRun: shownRun(lastRun, schedule) };
  return { ...shown, when: timingText(timing, zone), ...next, ...last };
}

/** @param schedule - Where it still exists: it is shown by its name of today. */
export function shownRun(run: ScheduleRun, schedule?: Pick<Schedule, "name">): ShownRun {
  const { owner: _, place: __, name: named, ...shown } = run;
  const { name } = schedule ?? { name: named };
  return { ...shown, due: utcText(run.dueMs), ...(name === undefined ? {} : { name }) };
}

/** `2026-11-30T08:00:00Z` */
export function utcText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}

export async function runningHosts(schedules: Pick<CallSchedules, "now" | "hosts">): Promise<RunningHosts> {
  const [nowMs, known] = [await schedules.now(), await schedules.hosts()];
  const up = known.filter(({ polledMs }) => nowMs - polledMs < HOST_IDLE_MS);
  const [latest] = up;
  const hosts = up.map(({ host }) => host);
  return { hosts, nowMs, ...(latest === undefined ? {} : { idleMs: Math.max(0, nowMs - latest.polledMs) }) };
}

/** The schedule of this id or, case-insensitive, name; a failure where there is none, or more than one. */
export async function foundSchedule(
  schedules: Pick<CallSchedules, "list">,
  wanted: string,
): Promise<Schedule | ToolResult<never>> {
  const all = await schedules.list();
  const own = all.find(({ id }) => id === wanted);
  if (own !== undefined) return own;
  const named = all.filter(({ name }) => name?.toLowerCase() === wanted.trim().toLowerCase());
  const [first] = named;
  if (named.length === 1 && first !== undefined) return first;
  if (first === undefined)
    return fail("SCHEDULE_UNKNOWN", `There is no schedule ${quoted(wanted)}. List them to see their ids.`, {
      details: { id: wanted },
    });
  const ids = named.map(({ id }) => id);
  const message = `${named.length} schedules are named ${quoted(wanted)}: ${ids.join(", ")}. Send the id of one.`;
  return fail("SCHEDULE_AMBIGUOUS", message, { details: { id: wanted, ids } });
}

export function isFailure(found: Schedule | ToolResult<never>): found is ToolResult<never> {
  return "isError" in found;
}

/** The runs of schedules that are gone, by the id or the name that they had. */
export async function runsOfRemoved(
  schedules: Pick<CallSchedules, "runs">,
  wanted: string,
  limit: number,
): Promise<readonly ScheduleRun[]> {
  const byId = await schedules.runs({ schedule: wanted, limit });
  return byId.length > 0 ? byId : schedules.runs({ name: wanted, limit });
}
