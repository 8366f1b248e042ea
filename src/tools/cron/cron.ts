/** The tools that show, remove and start schedules. */
import { type Claim, defineTool, fail, ok, type ToolContext, type ToolResult } from "../../kernel/index.js";
import {
  type CronIdInput,
  type CronListData,
  type CronListInput,
  type CronRemoveData,
  type CronRunData,
  type CronRunsData,
  type CronRunsInput,
  cronIdSchema,
  cronListSchema,
  cronRunsSchema,
  SCHEDULE_LIMITS,
} from "./contract.js";
import { foundSchedule, isFailure, runningHosts, runsOfRemoved, shownRun, shownSchedule } from "./shown-schedule.js";

const READS: readonly Claim[] = [{ kind: "state", collection: "schedules", access: "read" }];
const WRITES: readonly Claim[] = [{ kind: "state", collection: "schedules", access: "write" }];

/** Lists the schedules of the owner of the session, each with its last run. */
export const cronListTool = defineTool({
  name: "cron_list",
  description: "List the schedules, with their next and last runs.",
  input: cronListSchema,
  effect: "read",
  annotations: { title: "List schedules" },
  claims: () => READS,
  run: listSchedules,
});

/** Removes one by its id or its name. Fails with `SCHEDULE_UNKNOWN` or `SCHEDULE_AMBIGUOUS`. A run that has begun ends as usual. */
export const cronRemoveTool = defineTool({
  name: "cron_remove",
  description: "Remove a schedule. A run that has begun continues.",
  input: cronIdSchema,
  effect: "write",
  annotations: { title: "Remove a schedule", destructive: true },
  claims: () => WRITES,
  run: removeSchedule,
});

/** Makes a schedule due at once, beside its timing. The run is judged by policy as any other. */
export const cronRunTool = defineTool({
  name: "cron_run",
  description: "Make a schedule due now. Does not wait for the run: see `cron_runs`.",
  input: cronIdSchema,
  effect: "write",
  annotations: { title: "Run a schedule" },
  claims: () => WRITES,
  run: runSchedule,
});

/** The runs of schedules, the newest first, with what they printed. */
export const cronRunsTool = defineTool({
  name: "cron_runs",
  description: "Show the last runs, with their output.",
  input: cronRunsSchema,
  effect: "read",
  annotations: { title: "Show runs" },
  claims: () => READS,
  run: listRuns,
});

async function listSchedules(_input: CronListInput, ctx: ToolContext): Promise<ToolResult<CronListData>> {
  const { schedules } = ctx.state;
  const [all, runs] = [await schedules.list(), await schedules.lastRuns()];
  const last = new Map(runs.map((run) => [run.schedule, run]));
  const shown = await Promise.all(all.map((schedule) => shownSchedule(schedule, last.get(schedule.id))));
  return ok({ schedules: shown, running: await runningHosts(schedules) });
}

async function removeSchedule({ id: wanted }: CronIdInput, ctx: ToolContext): Promise<ToolResult<CronRemoveData>> {
  const found = await foundSchedule(ctx.state.schedules, wanted);
  if (isFailure(found)) return found;
  await ctx.state.schedules.update(found.id, () => undefined);
  const { id, name } = found;
  return ok({ id, ...(name === undefined ? {} : { name }) });
}

async function runSchedule({ id }: CronIdInput, ctx: ToolContext): Promise<ToolResult<CronRunData>> {
  const found = await foundSchedule(ctx.state.schedules, id);
  if (isFailure(found)) return found;
  const run = await ctx.state.schedules.trigger(found.id);
  if (run === undefined)
    return fail("SCHEDULE_UNKNOWN", "The schedule was removed meanwhile.", { details: { id: found.id } });
  const running = await runningHosts(ctx.state.schedules);
  return ok({ run: shownRun(run, found), schedule: await shownSchedule(found), running });
}

async function listRuns({ id, limit }: CronRunsInput, ctx: ToolContext): Promise<ToolResult<CronRunsData>> {
  const { schedules } = ctx.state;
  const most = Math.min(Math.max(1, Math.floor(limit ?? SCHEDULE_LIMITS.defaultRuns)), SCHEDULE_LIMITS.maxRuns);
  let schedule: string | undefined;
  if (id !== undefined) {
    const found = await foundSchedule(schedules, id);
    if (isFailure(found)) {
      const runs = found.code === "SCHEDULE_UNKNOWN" ? await runsOfRemoved(schedules, id, most) : [];
      return runs.length === 0 ? found : ok({ runs: runs.map((run) => shownRun(run)) });
    }
    schedule = found.id;
  }
  const runs = await schedules.runs({ limit: most, ...(schedule === undefined ? {} : { schedule }) });
  const named = new Map((await schedules.list()).map((one) => [one.id, one]));
  return ok({ runs: runs.map((run) => shownRun(run, named.get(run.schedule))) });
}
