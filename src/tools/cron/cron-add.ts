/** The tools that add a schedule and change one. */
import {
  type CallBasis,
  type CallSchedule,
  defineTool,
  fail,
  ok,
  type Schedule,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import {
  type CronAddInput,
  type CronScheduleData,
  type CronUpdateInput,
  cronAddSchema,
  cronUpdateSchema,
  SCHEDULE_LIMITS,
} from "./contract.js";
import { cwdOf, DEFAULT_MISSED, givenContent, hasTiming, scheduleClaims, timingOf } from "./schedule-input.js";
import { previewSchedule } from "./schedule-preview.js";
import { foundSchedule, isFailure, runningHosts, shownSchedule } from "./shown-schedule.js";

/**
 * Stores a command that hosts of the same state run when it is due, as `bash` on the target and in the directory of the call. Policy
 * judges the command when it is added, and again each time it runs.
 *
 * Fails with `CALL_INVALID` for a timing that is never due, a zone that does not exist and a time that is past, with what was
 * understood; `STORE_INVALID` where 1,000 schedules are stored; `BACKEND_UNSUPPORTED` where the state has no schedules.
 */
export const cronAddTool = defineTool({
  name: "cron_add",
  description:
    "Schedule a shell command, also after this session: send exactly one of `schedule`, `at`, `after`, `every`. No user is asked when it runs: what needs approval needs it now.",
  input: cronAddSchema,
  effect: "write",
  annotations: { title: "Add a schedule" },
  claims: (input: CronAddInput, context) => scheduleClaims(input, context),
  preview: (input: CronAddInput, ctx) => previewSchedule(input, ctx),
  basis: async (_input: CronAddInput, ctx) => ({ nowMs: await ctx.state.schedules.now() }),
  run: addSchedule,
});

/**
 * Changes a schedule. A given command is judged as a new one. Without it, every change but one of the name, and but disabling, ends
 * what the user approved before, and the command runs at the stricter level of its own and this call's.
 */
export const cronUpdateTool = defineTool({
  name: "cron_update",
  description:
    "Change a schedule; parameters as in `cron_add`, omitted ones stay. `enabled` false pauses it. A new `command` runs in `cwd`, default the current directory.",
  input: cronUpdateSchema,
  effect: "write",
  annotations: { title: "Change a schedule" },
  claims: (input: CronUpdateInput, context) => scheduleClaims(input, context),
  preview: (input: CronUpdateInput, ctx) => previewSchedule(input, ctx),
  basis: changedSchedule,
  run: updateSchedule,
});

async function addSchedule(input: CronAddInput, ctx: ToolContext): Promise<ToolResult<CronScheduleData>> {
  const { schedules } = ctx.state;
  const nowMs = await schedules.now();
  const timed = await timingOf(input, nowMs, true, schedules.askedMs);
  if (timed === undefined || "isError" in timed) return timed ?? never();
  const { timing } = timed;
  const { nextDue } = await import("../../engines/schedule/index.js");
  const { command, deleteAfterRun = timing.kind === "at" } = input;
  const content: CallSchedule = {
    missed: DEFAULT_MISSED,
    retries: 0,
    timeoutMs: SCHEDULE_LIMITS.defaultTimeoutMs,
    ...givenContent(input),
    timing,
    command,
    cwd: cwdOf(input, ctx),
    deleteAfterRun,
    enabled: true,
  };
  return stored(await schedules.add(content, nextDue(timing, nowMs)), input, ctx);
}

/** What the user is shown of a change is of this schedule. */
async function changedSchedule({ id }: CronUpdateInput, ctx: ToolContext): Promise<CallBasis | ToolResult<never>> {
  const { schedules } = ctx.state;
  const schedule = await foundSchedule(schedules, id);
  return isFailure(schedule) ? schedule : { nowMs: await schedules.now(), schedule };
}

async function updateSchedule(input: CronUpdateInput, ctx: ToolContext): Promise<ToolResult<CronScheduleData>> {
  const { schedules } = ctx.state;
  const found = await foundSchedule(ctx.state.schedules, input.id);
  if (isFailure(found)) return found;
  const nowMs = await schedules.now();
  const timed = await timingOf(input, nowMs, false, schedules.askedMs);
  if (timed !== undefined && "isError" in timed) return timed;
  const { nextDue } = await import("../../engines/schedule/index.js");
  const { command, enabled, deleteAfterRun } = input;
  const changed = await schedules.update(found.id, ({ nextMs: before, ...old }) => {
    const next = {
      ...old,
      ...givenContent(input),
      ...(timed === undefined ? {} : { timing: timed.timing }),
      ...(command === undefined ? {} : { command, cwd: cwdOf(input, ctx) }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(deleteAfterRun === undefined ? {} : { deleteAfterRun }),
    };
    // What was due while it was disabled is not made up for.
    const isNew = timed !== undefined || (next.enabled && !old.enabled);
    const nextMs = isNew ? nextDue(next.timing, nowMs) : before;
    return { ...next, ...(nextMs === undefined ? {} : { nextMs }) };
  });
  if (changed === undefined)
    return fail("SCHEDULE_UNKNOWN", "The schedule was removed meanwhile.", { details: { id: found.id } });
  const isApprovalOver = command === undefined && found.approvedBy !== undefined && changed.approvedBy === undefined;
  return stored(changed, input, ctx, isApprovalOver);
}

async function stored(
  schedule: Schedule,
  input: CronAddInput | CronUpdateInput,
  ctx: ToolContext,
  isApprovalOver = false,
): Promise<ToolResult<CronScheduleData>> {
  const shown = await shownSchedule(schedule);
  const isZoned = schedule.timing.kind === "cron" && (!("id" in input) || hasTiming(input));
  const zoneFrom = input.tz === undefined ? "machine" : "given";
  const data: CronScheduleData = {
    schedule: shown,
    ...(isZoned ? { zoneFrom } : {}),
    ...(isApprovalOver ? { isApprovalOver } : {}),
    ...(await sameNameOf(schedule, input, ctx)),
    running: await runningHosts(ctx.state.schedules),
  };
  return ok(data, {
    structured: { id: shown.id, when: shown.when, ...(shown.next === undefined ? {} : { next: shown.next }) },
  });
}

async function sameNameOf({ name }: Schedule, input: CronAddInput | CronUpdateInput, ctx: ToolContext) {
  if (name === undefined || input.name === undefined) return {};
  const all = await ctx.state.schedules.list();
  const sameName = all.filter((one) => one.name?.toLowerCase() === name.toLowerCase()).length;
  return sameName > 1 ? { sameName } : {};
}

function never(): ToolResult<never> {
  return fail("CALL_INVALID", "Did not store the schedule: its timing is missing.", {
    details: { parameter: "schedule", problem: "its timing is missing" },
  });
}
