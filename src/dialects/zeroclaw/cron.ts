/** ZC-066 to ZC-074: the tools for cron jobs, with shell jobs. */
import {
  isRecord,
  type Rendered,
  type ScheduleTiming,
  type ToolPresenter,
  type ToolResult,
} from "../../kernel/index.js";
import type {
  CronAddInput,
  CronIdInput,
  CronListData,
  CronListInput,
  CronRemoveData,
  CronRunData,
  CronRunsData,
  CronRunsInput,
  CronScheduleData,
  CronUpdateInput,
  RunningHosts,
  ShownRun,
  ShownSchedule,
} from "../../tools/cron/contract.js";
import { type Arguments, booleanArgument, missing, numberArgument, omitUndefined, textArgument } from "../arguments.js";
import { textResult } from "../rendering.js";
import { callError } from "./call-error.js";
import { inWordsOfJobs, timingOfJob } from "./cron-schedule.js";
import { failed } from "./envelope.js";
import * as messages from "./messages.js";

const SCHEDULE = {
  type: ["object", "string"],
  description:
    'Object: {"kind":"cron","expr":"0 9 * * 1-5","tz":"Europe/Berlin"}, {"kind":"at","at":"2030-01-01T09:00:00Z"}, {"kind":"after","after_seconds":600} or {"kind":"every","every_ms":3600000}',
} as const;
const PROMPT = { type: "string", description: "Of agent jobs, which are not supported" } as const;
const DELIVERY = { type: "object", description: "Only none: output is not delivered to channels" } as const;
const PATCH = {
  schedule: { type: SCHEDULE.type, description: "As in `cron_add`" },
  name: { type: "string" },
  command: { type: "string" },
  enabled: { type: "boolean" },
  delete_after_run: { type: "boolean" },
  prompt: { type: PROMPT.type },
  delivery: { type: DELIVERY.type },
} as const;
const JOB_ID = { type: "string", description: "The id of the job, or its name" } as const;

export const cronAddPresenter: ToolPresenter<CronAddInput, CronScheduleData> = {
  name: "cron_add",
  description: "Schedule a shell command: by a cron expression, at a time, after a delay, or at an interval.",
  parameters: {
    type: "object",
    properties: {
      schedule: SCHEDULE,
      name: { type: "string" },
      job_type: { type: "string", enum: ["shell", "agent"], description: "shell; agent jobs are not supported" },
      command: { type: "string", description: "The shell command" },
      prompt: PROMPT,
      delete_after_run: { type: "boolean", description: "Default: true for at and after" },
      delivery: DELIVERY,
      approved: { type: "boolean", description: "Has no effect here: approval is asked of a person", default: false },
    },
    required: ["schedule"],
  },
  decode(args) {
    const timing = timingOfJob(args.schedule);
    if ("problem" in timing) return timing;
    const notHere = ofAnAgent(args);
    if (notHere !== undefined) return notHere;
    const command = textArgument(args, "command");
    if (command === undefined) return missing("command", "text");
    const notes = args.approved === true ? [messages.APPROVED_IGNORED] : [];
    const name = textArgument(args, "name");
    const deleteAfterRun = booleanArgument(args, "delete_after_run");
    return { input: { ...timing, command, ...omitUndefined({ name, deleteAfterRun }) }, notes };
  },
  render: rendered("cron_add", (data) => json(storedJob(data))),
};

export const cronListPresenter: ToolPresenter<CronListInput, CronListData> = {
  name: "cron_list",
  description: "List all cron jobs.",
  parameters: { type: "object", properties: {} },
  decode: () => ({ input: {} }),
  render: rendered("cron_list", ({ schedules }) => json(schedules.map(listedJob))),
};

export const cronRemovePresenter: ToolPresenter<CronIdInput, CronRemoveData> = {
  name: "cron_remove",
  description: "Remove a cron job by its id or name.",
  parameters: { type: "object", properties: { job_id: JOB_ID }, required: ["job_id"] },
  aliases: { id: "job_id" },
  decode: jobId,
  render: rendered("cron_remove", ({ id }) => messages.removedJob(id)),
};

export const cronUpdatePresenter: ToolPresenter<CronUpdateInput, CronScheduleData> = {
  name: "cron_update",
  description: "Change a cron job.",
  parameters: {
    type: "object",
    properties: {
      job_id: JOB_ID,
      patch: {
        type: "object",
        properties: PATCH,
      },
    },
    required: ["job_id", "patch"],
  },
  aliases: { id: "job_id" },
  decode(args) {
    const id = textArgument(args, "job_id");
    if (id === undefined) return missing("job_id", "text");
    if (!isRecord(args.patch)) return missing("patch", "object");
    const { patch } = args;
    const timing = patch.schedule === undefined ? {} : timingOfJob(patch.schedule);
    if ("problem" in timing) return timing;
    const notHere = ofAnAgent(patch);
    if (notHere !== undefined) return notHere;
    const [name, command] = [textArgument(patch, "name"), textArgument(patch, "command")];
    const enabled = booleanArgument(patch, "enabled");
    const deleteAfterRun = booleanArgument(patch, "delete_after_run");
    const unknown = Object.keys(patch).filter((member) => member !== "job_type" && !Object.hasOwn(PATCH, member));
    const change = { ...timing, ...omitUndefined({ name, command, enabled, deleteAfterRun }) };
    if (unknown.length > 0 || Object.keys(change).length === 0)
      return { problem: messages.unusablePatch(unknown), parameter: "patch" };
    return { input: { id, ...change } };
  },
  render: rendered("cron_update", (data) => json(storedJob(data))),
};

export const cronRunPresenter: ToolPresenter<CronIdInput, CronRunData> = {
  name: "cron_run",
  description: "Run a cron job as soon as possible.",
  parameters: { type: "object", properties: { job_id: JOB_ID }, required: ["job_id"] },
  aliases: { id: "job_id" },
  decode: jobId,
  render: rendered("cron_run", ({ run, running }) =>
    json({ job_id: run.schedule, run_id: run.id, status: run.state, ...scheduler(running) }),
  ),
};

export const cronRunsPresenter: ToolPresenter<CronRunsInput, CronRunsData> = {
  name: "cron_runs",
  description: "Show the last runs of a cron job.",
  parameters: {
    type: "object",
    properties: { job_id: JOB_ID, limit: { type: "integer", minimum: 1, default: 10 } },
    required: ["job_id"],
  },
  aliases: { id: "job_id" },
  decode(args) {
    const id = textArgument(args, "job_id");
    if (id === undefined) return missing("job_id", "text");
    return { input: { id, ...omitUndefined({ limit: numberArgument(args, "limit") }) } };
  },
  render: rendered("cron_runs", ({ runs }) => json(runs.map(shownRun))),
};

function jobId(args: Arguments) {
  const id = textArgument(args, "job_id");
  return id === undefined ? missing("job_id", "text") : { input: { id } };
}

/** ZC-068: what would be understood as done if it was ignored. */
function ofAnAgent({ job_type: type, prompt, delivery }: Arguments) {
  const isPrompt = typeof prompt === "string" && prompt.trim() !== "";
  if (type === "agent" || isPrompt)
    return { problem: messages.AGENT_JOBS, parameter: isPrompt ? "prompt" : "job_type" };
  const isSent = isRecord(delivery) && delivery.mode !== undefined && delivery.mode !== "none";
  return isSent ? { problem: messages.NO_DELIVERY, parameter: "delivery" } : undefined;
}

function rendered<Data>(tool: string, text: (data: Data) => string) {
  return (result: ToolResult<Data>): Rendered =>
    result.isError || result.data === undefined ? failed(errorText(tool, result)) : textResult(text(result.data));
}

function errorText(tool: string, result: ToolResult<unknown>): string {
  const error = callError(result, (reason) => reason, tool);
  // The tool names its own parameters; what the arguments of this dialect lack is named by `decode`.
  return error.startsWith("Did not store") ? inWordsOfJobs(error) : error;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function storedJob({ schedule, zoneFrom, isApprovalOver = false, running }: CronScheduleData) {
  const { id, timing, next, enabled } = schedule;
  const zone = timing.kind === "cron" ? { timezone: timing.zone } : {};
  const source = zoneFrom === undefined ? {} : { timezone_source: zoneFrom === "given" ? "explicit" : "local" };
  return {
    id,
    job_type: "shell",
    enabled,
    schedule: jobSchedule(timing),
    next_run: next?.utc ?? null,
    ...zone,
    ...source,
    next_run_local: next?.local ?? null,
    ...(isApprovalOver ? { approval: messages.APPROVAL_OVER } : {}),
    ...scheduler(running),
  };
}

/** ZC-074: there only where the jobs wait for one. */
function scheduler({ hosts }: RunningHosts) {
  return hosts.length === 0 ? { scheduler: messages.NOTHING_RUNS } : {};
}

function listedJob(schedule: ShownSchedule) {
  const { id, timing, command, name, enabled, deleteAfterRun, createdMs, next, lastRun } = schedule;
  return {
    id,
    expression: timing.kind === "cron" ? timing.expression : "",
    schedule: jobSchedule(timing),
    command,
    prompt: null,
    name: name ?? null,
    job_type: "shell",
    session_target: "isolated",
    model: null,
    enabled,
    delivery: { mode: "none" },
    delete_after_run: deleteAfterRun,
    allowed_tools: null,
    source: "tool",
    created_at: new Date(createdMs).toISOString(),
    next_run: next?.utc ?? null,
    last_run: lastRun?.due ?? null,
    last_status: lastRun === undefined ? null : jobStatus(lastRun),
    last_output: lastRun?.end?.output ?? null,
  };
}

function jobSchedule(timing: ScheduleTiming) {
  switch (timing.kind) {
    case "cron":
      return { kind: "cron", expr: timing.expression, tz: timing.zone };
    case "at":
      return { kind: "at", at: new Date(timing.atMs).toISOString() };
    case "every":
      return { kind: "every", every_ms: timing.everyMs };
  }
}

function jobStatus({ state }: ShownRun): string {
  return state === "succeeded" ? "ok" : state === "failed" ? "error" : state;
}

function shownRun(run: ShownRun) {
  const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    job_id: run.schedule,
    run_id: run.id,
    due: run.due,
    started_at: at(run.begunMs),
    finished_at: at(run.endedMs),
    status: jobStatus(run),
    output: run.end?.output ?? run.end?.reason ?? null,
  };
}
