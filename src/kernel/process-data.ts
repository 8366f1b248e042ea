/** The canonical input, limits and data of the tool `process`. Sizes are bytes, times milliseconds. */
import type { JobInfo, Lifetime, Survivor, WaitingFor } from "./shell.js";

/** What can be done with a background command. */
export const PROCESS_ACTIONS = ["start", "list", "poll", "wait", "write", "signal", "stop"] as const;
/** One of `PROCESS_ACTIONS`. */
export type ProcessAction = (typeof PROCESS_ACTIONS)[number];

/** What process is asked. */
export interface ProcessInput {
  readonly action: ProcessAction;
  /** For start. */
  readonly command?: string;
  readonly cwd?: string;
  readonly lifetime?: Lifetime;
  /** For start and write; a write without it closes standard input. */
  readonly input?: string;
  /** For all but start and list. */
  readonly id?: string;
  /** For signal: a name with or without SIG. */
  readonly signal?: string;
  /** For wait. */
  readonly timeoutMs?: number;
  /** For list: also jobs of other sessions that outlive theirs. */
  readonly all?: boolean;
}

/** The bounds of process. */
export interface ProcessLimits {
  /** Bytes of either stream that one answer shows: the latest. */
  readonly maxNewBytes: number;
  readonly defaultWaitMs: number;
  readonly maxWaitMs: number;
  /** Jobs that have ended which a list shows: the latest. */
  readonly maxEnded: number;
  /** Where output is kept: in the state folder, or in `.indus-process` of the working folder. */
  readonly outputLocation: "state" | "workspace";
  /** stop removes the job and what it has printed. */
  readonly stopDeletes: boolean;
  /** How long a job lives where the call does not say. */
  readonly lifetime: Lifetime;
  /** Whose jobs list shows: those of the session, or all that this host has started and the session may know of. */
  readonly lists: "session" | "host";
  /** As of {@link BashLimits}. */
  readonly redraws: "keep" | "omit";
}

/** A job as it is told to a model. */
export interface JobData extends Pick<JobInfo, "id" | "command" | "lifetime" | "status" | "endedBy" | "adopted"> {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The exit code may stand for a signal: this backend cannot tell. */
  readonly ambiguous?: boolean;
  /** Since its start; of one that has ended, how long it ran. */
  readonly ageMs: number;
  readonly outputBytes: number;
}

/** What a job has printed to one stream since it was last told to the session. */
export interface NewOutput {
  /** The latest of it; bytes that are no UTF-8 show as U+FFFD. */
  readonly text: string;
  readonly newBytes: number;
  /** Of the new bytes those that `text` leaves out; `artifact` holds them where one could be made. */
  readonly omittedBytes: number;
  /** New bytes that are not kept any more, not counted in `newBytes`. */
  readonly droppedBytes: number;
  readonly artifact?: string;
  /** States of a progress bar or the like that `text` leaves out; `artifact` holds them. */
  readonly overwritten?: number;
  /** More is there than one answer moves; the next one goes on. */
  readonly more?: boolean;
}

/** The end of an input that a job did not take. */
export interface UnwrittenInput {
  readonly bytes: number;
  /** Its first characters, at most 40. */
  readonly from: string;
  /** "full": the job reads no more for now. "closed": it never will. */
  readonly why: "full" | "closed";
}

/** What process did or found. */
export interface ProcessData {
  readonly action: ProcessAction;
  readonly job?: JobData;
  readonly stdout?: NewOutput;
  readonly stderr?: NewOutput;
  /** For list, oldest first. */
  readonly jobs?: readonly JobData[];
  /** Jobs that have ended which the list leaves out. */
  readonly omitted?: number;
  readonly waitingFor?: WaitingFor;
  /** For signal: the one signal that was sent, without SIG. */
  readonly sent?: string;
  /** For signal and stop: what still runs of it. */
  readonly survivors?: readonly Survivor[];
  readonly endedBy?: "TERM" | "KILL" | null;
  /** For write: of the input, from its start, what was taken. */
  readonly wroteBytes?: number;
  /** At most so many of the bytes taken, of this write or one before, wait until the job reads. Absent: none. */
  readonly waitingBytes?: number;
  /** What was not taken. Absent: nothing. */
  readonly unwritten?: UnwrittenInput;
  readonly inputClosed?: boolean;
  /** wait has ended before the job. */
  readonly waitedMs?: number;
}
