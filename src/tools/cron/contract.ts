/** What the tools for schedules take and return. Times are milliseconds, those of day since the epoch. */
import type { Autonomy, InferInput, JsonSchema, MissedRuns, ScheduleRun, ScheduleTiming } from "../../kernel/index.js";

export const SCHEDULE_LIMITS = {
  defaultTimeoutMs: 120_000,
  maxTimeoutMs: 3_600_000,
  maxMissed: 100,
  maxRetries: 10,
  maxNameCharacters: 100,
  maxCommandBytes: 65_536,
  defaultRuns: 10,
  maxRuns: 50,
} as const;

const text = { type: "string" } as const;
const retries = { type: "integer", minimum: 0, maximum: SCHEDULE_LIMITS.maxRetries } as const;
const timeoutMs = { type: "integer", minimum: 1, maximum: SCHEDULE_LIMITS.maxTimeoutMs } as const;
const id = { type: "string", description: "Id or name" } as const;

export const cronAddSchema = {
  type: "object",
  properties: {
    schedule: { type: "string", description: "Cron expression of 5 fields, or 6 with seconds first" },
    tz: { type: "string", description: "IANA zone of `schedule`; default: this machine's" },
    at: { type: "string", description: "Once, RFC 3339 with offset" },
    after: { type: "string", description: 'Once, from now: "20m", "2h"' },
    every: { type: "string", description: 'Interval from 1s: "90s", "1d"' },
    command: text,
    cwd: text,
    name: text,
    missed: {
      type: "string",
      description:
        'Times missed while Haft was down: "skip", "once" (default: run the latest), or how many of the latest to run',
    },
    retries: { ...retries, description: "Retries of a run that a crash interrupted; default 0" },
    timeoutMs: { ...timeoutMs, description: `Default ${SCHEDULE_LIMITS.defaultTimeoutMs}` },
  },
  required: ["command"],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** Without descriptions but its own: they are those of `cron_add`, which stands beside it. */
export const cronUpdateSchema = {
  type: "object",
  properties: {
    id,
    schedule: text,
    tz: text,
    at: text,
    after: text,
    every: text,
    command: text,
    cwd: text,
    name: text,
    missed: text,
    retries,
    timeoutMs,
    enabled: { type: "boolean" },
  },
  required: ["id"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export const cronIdSchema = {
  type: "object",
  properties: { id },
  required: ["id"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export const cronListSchema = {
  type: "object",
  properties: {},
  additionalProperties: false,
} as const satisfies JsonSchema;

export const cronRunsSchema = {
  type: "object",
  properties: {
    id: { type: "string", description: "Id or name, also of a removed schedule; default: all" },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: SCHEDULE_LIMITS.maxRuns,
      description: `Default ${SCHEDULE_LIMITS.defaultRuns}`,
    },
  },
  additionalProperties: false,
} as const satisfies JsonSchema;

/** What a dialect can say beside the schema of `cron_add`. */
interface More {
  /** Default: true for a schedule that is due once. */
  readonly deleteAfterRun?: boolean;
}

export type CronAddInput = InferInput<typeof cronAddSchema> & More;
export type CronUpdateInput = InferInput<typeof cronUpdateSchema> & More;
export type CronIdInput = InferInput<typeof cronIdSchema>;
export type CronListInput = InferInput<typeof cronListSchema>;
export type CronRunsInput = InferInput<typeof cronRunsSchema>;

/** A schedule as it is shown. */
export interface ShownSchedule {
  readonly id: string;
  readonly name?: string;
  readonly timing: ScheduleTiming;
  /** `every day at 09:00, Europe/Berlin` */
  readonly when: string;
  readonly command: string;
  readonly target: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly missed: MissedRuns;
  readonly retries: number;
  readonly deleteAfterRun: boolean;
  readonly enabled: boolean;
  readonly autonomy: Autonomy;
  readonly approvedBy?: string;
  readonly createdMs: number;
  /** Absent: it is not due again. */
  readonly next?: { readonly ms: number; readonly utc: string; readonly local: string };
  readonly lastRun?: ShownRun;
}

export interface ShownRun extends Omit<ScheduleRun, "owner" | "place"> {
  /** When it was due, in UTC. */
  readonly due: string;
}

/** Whether anything runs the schedules of this workspace. */
export interface RunningHosts {
  /** Names and process ids of hosts that asked for runs within the last two minutes. */
  readonly hosts: readonly string[];
  /** Milliseconds since the last one asked. Absent: there is none. */
  readonly idleMs?: number;
  /** The time by the clock of the store: a schedule whose `next` is before it is overdue. */
  readonly nowMs: number;
}

export interface CronScheduleData {
  readonly schedule: ShownSchedule;
  /** Where the zone of a cron expression comes from. Absent: there is none. */
  readonly zoneFrom?: "given" | "machine";
  /** The user had approved the command, and that has ended with this change. */
  readonly isApprovalOver?: boolean;
  /** How many schedules have its name now, where it is not the only one. */
  readonly sameName?: number;
  readonly running: RunningHosts;
}

export interface CronListData {
  readonly schedules: readonly ShownSchedule[];
  readonly running: RunningHosts;
}

export interface CronRemoveData {
  readonly id: string;
  readonly name?: string;
}

export interface CronRunData {
  readonly run: ShownRun;
  readonly schedule: ShownSchedule;
  readonly running: RunningHosts;
}

export interface CronRunsData {
  readonly runs: readonly ShownRun[];
}
