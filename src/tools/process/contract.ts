/** What `process` takes and returns. Sizes are bytes, times milliseconds. */
import {
  type InferInput,
  type JobInfo,
  type JsonSchema,
  LIFETIMES,
  type Lifetime,
  type Survivor,
  type WaitingFor,
} from "../../kernel/index.js";
import type { BashLimits } from "../bash/contract.js";

export interface ProcessLimits {
  /** Of each stream, one result shows the latest bytes. */
  readonly maxNewBytes: number;
  readonly defaultWaitMs: number;
  readonly maxWaitMs: number;
  /** Ended jobs that a list shows: the latest. */
  readonly maxEnded: number;
  /** Output is stored in the state directory, or in `.indus-process` of the working directory. */
  readonly outputLocation: "state" | "workspace";
  /** stop deletes the job and its output. */
  readonly stopDeletes: boolean;
  /** The lifetime of a job if the call gives none. */
  readonly lifetime: Lifetime;
  /** list shows the session's jobs, or all that this host has started and the session may see. */
  readonly lists: "session" | "host";
  readonly redraws: BashLimits["redraws"];
}

export const PROCESS_LIMITS = {
  maxNewBytes: 32_768,
  defaultWaitMs: 30_000,
  maxWaitMs: 600_000,
  maxEnded: 20,
  outputLocation: "state",
  stopDeletes: false,
  lifetime: "session",
  lists: "session",
  redraws: "omit",
} satisfies ProcessLimits;

const PROCESS_ACTIONS = ["start", "list", "poll", "wait", "write", "signal", "stop"] as const;
export type ProcessAction = (typeof PROCESS_ACTIONS)[number];

export const processSchema = {
  type: "object",
  properties: {
    action: { type: "string", enum: PROCESS_ACTIONS },
    command: { type: "string" },
    id: { type: "string" },
    cwd: { type: "string" },
    input: { type: "string" },
    signal: { type: "string", description: "Default INT" },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      maximum: PROCESS_LIMITS.maxWaitMs,
      description: `For wait; default ${PROCESS_LIMITS.defaultWaitMs}`,
    },
    lifetime: { type: "string", enum: LIFETIMES, description: "Until session or host ends; keep: no end" },
    all: { type: "boolean", description: "list: other sessions' too" },
  },
  required: ["action"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type ProcessInput = InferInput<typeof processSchema>;

/** A job as reported to a model. */
export type JobData = Pick<JobInfo, "id" | "command" | "lifetime" | "status" | "endedBy" | "adopted"> & {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The exit code may stand for a signal; this backend cannot distinguish them. */
  readonly ambiguous?: boolean;
  /** Since its start; for an ended job, how long it ran. */
  readonly ageMs: number;
  readonly outputBytes: number;
};

/** What a job has printed to one stream since the session last received it. */
export type NewOutput = {
  /** The latest part; bytes that are not UTF-8 show as U+FFFD. */
  readonly text: string;
  readonly newBytes: number;
  /** New bytes that `text` omits; `artifact` has them if one could be made. */
  readonly omittedBytes: number;
  /** New bytes that are no longer stored, not counted in `newBytes`. */
  readonly droppedBytes: number;
  readonly artifact?: string;
  /** Overwritten frames that `text` omits; `artifact` has them. */
  readonly overwritten?: number;
  /** There is more than one result can carry; the next one continues. */
  readonly more?: boolean;
};

/** The end of an input that a job did not accept. */
type UnwrittenInput = {
  readonly bytes: number;
  /** Its first characters, at most 40. */
  readonly from: string;
  /** "full": the job is not reading at the moment. "closed": its stdin is closed. */
  readonly why: "full" | "closed";
};

export type ProcessData = {
  readonly action: ProcessAction;
  readonly job?: JobData;
  readonly stdout?: NewOutput;
  readonly stderr?: NewOutput;
  /** For list, oldest first. */
  readonly jobs?: readonly JobData[];
  /** Ended jobs that the list omits. */
  readonly omitted?: number;
  readonly waitingFor?: WaitingFor;
  /** For signal: the signal that was sent, without SIG. */
  readonly sent?: string;
  /** For signal and stop: processes of the job that still run. */
  readonly survivors?: readonly Survivor[];
  readonly endedBy?: "TERM" | "KILL" | null;
  /** For write: bytes accepted, from the start of the input. */
  readonly wroteBytes?: number;
  /** Upper bound of accepted bytes that the job has not read yet. Absent: none. */
  readonly waitingBytes?: number;
  /** Absent: all of it was accepted. */
  readonly unwritten?: UnwrittenInput;
  readonly inputClosed?: boolean;
  /** wait has ended before the job. */
  readonly waitedMs?: number;
};
