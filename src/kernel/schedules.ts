/** The port for commands that run at times: schedules, and the record of each run. */
import type { Autonomy } from "./autonomy.js";

/** When a schedule is due. */
export type ScheduleTiming =
  /** A cron expression of 5 or 6 fields, in the time of an IANA zone. */
  | { readonly kind: "cron"; readonly expression: string; readonly zone: string }
  /** Once. Milliseconds since the epoch. */
  | { readonly kind: "at"; readonly atMs: number }
  /** Again and again from `fromMs` on, milliseconds since the epoch; 1,000 or more between two. */
  | { readonly kind: "every"; readonly everyMs: number; readonly fromMs: number };

/**
 * What happens with due times that passed while no host was running, or while an earlier run of the schedule had not ended. "skip": they
 * are recorded as skipped. "once": the latest runs, the others are skipped. A number: at most so many of the latest run, one after
 * another.
 */
export type MissedRuns = "skip" | "once" | number;

/** What a schedule says. */
export interface ScheduleContent {
  /** For users and models; need not be unique. */
  readonly name?: string;
  readonly timing: ScheduleTiming;
  /** Runs as `bash` does. */
  readonly command: string;
  /** The target that the command runs on, by its name in `on`, and the workspace there: only hosts that serve both run it. */
  readonly target: string;
  readonly workspace: string;
  /** Absolute, on the target. */
  readonly cwd: string;
  /** Milliseconds that a run may take. */
  readonly timeoutMs: number;
  readonly missed: MissedRuns;
  /** How often a run that was interrupted, because its host died, is started again. 0: never. */
  readonly retries: number;
  /** It is deleted once it will not be due again and its last run has ended, unless that was refused; its runs are kept. */
  readonly deleteAfterRun: boolean;
  readonly enabled: boolean;
  /** The client that it belongs to, where the host distinguishes clients. */
  readonly owner?: string;
  /** The session that created it, and its level then: runs have at most that. */
  readonly session: string;
  readonly autonomy: Autonomy;
  /** Who approved this command when it was added, where policy asked. A change of command, target or directory ends that. */
  readonly approvedBy?: string;
}

/** One schedule as it is stored. */
export interface Schedule extends ScheduleContent {
  /** Random. */
  readonly id: string;
  readonly createdMs: number;
  /** Milliseconds since the epoch: when it is due next. Absent: never again. */
  readonly nextMs?: number;
}

/**
 * "due": it waits for a host. "claimed": a host has taken it, and nothing has started. "begun": the command may have started. The
 * others are ends. "refused": policy did not allow it. "interrupted": its host died after it had begun.
 */
export type ScheduleRunState =
  | "due"
  | "claimed"
  | "begun"
  | "succeeded"
  | "failed"
  | "refused"
  | "interrupted"
  | "skipped";

/** One due time of a schedule, and what became of it. */
export interface ScheduleRun {
  /** `<schedule>/<dueMs>`, with `#2` and so on for a repetition after an interruption. */
  readonly id: string;
  readonly schedule: string;
  /** As the schedule said when it was due; it may be gone. */
  readonly name?: string;
  readonly command: string;
  readonly owner?: string;
  /** The `schedulePlace` of the schedule. */
  readonly place: string;
  /** Milliseconds since the epoch, by the clock of the store, as all times here. */
  readonly dueMs: number;
  /** 1 for the first. */
  readonly attempt: number;
  readonly state: ScheduleRunState;
  /** The host that has it or had it: its name and the process id. */
  readonly host?: string;
  readonly claimedMs?: number;
  readonly begunMs?: number;
  readonly endedMs?: number;
  readonly end?: ScheduleRunEnd;
}

/** How a run ended. */
export interface ScheduleRunEnd {
  readonly state: "succeeded" | "failed" | "refused" | "interrupted" | "skipped";
  readonly exitCode?: number;
  /** What the command printed, at most 16 KiB of it. */
  readonly output?: string;
  /** Why it was refused, skipped or interrupted, or what failed, as a sentence. */
  readonly reason?: string;
}

/** What decides when a schedule runs, as text: of two equal ones, each is what a user approved of the other. */
export function scheduleBasis(schedule: Schedule): string {
  const { id, timing, missed, retries, timeoutMs, deleteAfterRun, enabled } = schedule;
  const sorted = Object.entries(timing).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([id, sorted, missed, retries, timeoutMs, deleteAfterRun, enabled]);
}

/** Milliseconds after which a host looks again for what is due, where it is not given another time. */
export const SCHEDULE_POLL_MS = 15_000;

/** The text by which hosts say that they serve the target and workspace of a schedule. */
export function schedulePlace({ target, workspace }: Pick<ScheduleContent, "target" | "workspace">): string {
  return `${target}:${workspace}`;
}

/** Which runs: those that are as each of these says. */
export interface RunFilter {
  /** The id of their schedule, which may be gone. */
  readonly schedule?: string;
  /** The name of their schedule when they were due, in upper or lower case. */
  readonly name?: string;
  /** Of this owner, or of none where it is absent, and of this `schedulePlace`. */
  readonly of?: { readonly owner?: string; readonly place: string };
  /** 1 to 1,000, default 20. */
  readonly limit?: number;
}

/** A host that has asked for runs, and when it did last. */
export interface ScheduleHost {
  /** Its name and process id. */
  readonly host: string;
  /** `target:workspace` of what it serves. */
  readonly places: readonly string[];
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly polledMs: number;
}

/** A run that this host alone may begin and settle. */
export interface ClaimedRun {
  readonly run: ScheduleRun;
  readonly schedule: Schedule;
  /** Random: what another host or an earlier claim of this one has is worth nothing. */
  readonly claim: string;
}

/** What becomes of a schedule that is due: pure, so that a store can call it again. */
export type DuePlan = (
  schedule: Schedule,
  nowMs: number,
  /** Its runs that are due, claimed or begun. */
  unfinished: number,
) => {
  /** Due times that run, oldest first. */
  readonly run: readonly number[];
  /** Due times that are recorded as skipped, and why; at most 100, the latest. */
  readonly skip: readonly { readonly dueMs: number; readonly reason: string }[];
  readonly nextMs?: number;
};

/** What a host claims runs with. */
export interface ClaimQuery {
  /** Its name and process id, for the record. */
  readonly host: string;
  /** `target:workspace` of what it serves. */
  readonly places: readonly string[];
  /** At most so many runs. 0: nothing is claimed, and the host is known to be up. */
  readonly limit: number;
  /** Milliseconds without `renew` after which a claim ends, with the next `claimDue` of any host. */
  readonly leaseMs: number;
  /** The claims of runs that this host has under way: their leases are extended first, so that none of them counts as lost. */
  readonly held?: readonly string[];
}

/**
 * The schedules of a host, shared by all hosts on the same state. Every due time has one record; a run is claimed before it begins,
 * by one host. Proved by the cases `state:schedules:*` of `haft/testing`.
 */
export interface Schedules {
  /**
   * @throws `STORE_INVALID` for content that cannot be stored, and where 1,000 schedules are stored, or 500 of its owner, if it has
   * one; `STORE_UNWRITABLE`, `STORE_CLOSED`.
   */
  add(content: ScheduleContent, nextMs: number | undefined): Promise<Schedule>;
  get(id: string): Promise<Schedule | undefined>;
  /** The oldest first. */
  list(): Promise<readonly Schedule[]>;
  /**
   * Changes a schedule in one step. `change` is synchronous and pure, and may run again; undefined deletes the schedule: what is due
   * of it then never runs, what has begun ends, and its runs stay stored. Of one that is not enabled, what is due is skipped.
   * @returns What is stored; undefined where there is none.
   */
  update(
    id: string,
    change: (old: Schedule) => (ScheduleContent & { readonly nextMs?: number }) | undefined,
  ): Promise<Schedule | undefined>;
  /**
   * Adds a run that is due now, beside those of its timing. Undefined where there is no such schedule. @throws `STORE_INVALID` for one
   * that is disabled, and where 50 of its runs wait.
   */
  trigger(id: string): Promise<ScheduleRun | undefined>;
  /** The newest first. 50 are kept of each schedule, beside those that have not ended. */
  runs(filter?: RunFilter): Promise<readonly ScheduleRun[]>;
  /** The newest run of each stored schedule that has one; with `of`, only of schedules of that owner and place. In no order. */
  lastRuns(of?: RunFilter["of"]): Promise<readonly ScheduleRun[]>;
  /** Milliseconds since the epoch by the clock of the store, which all hosts on it share. */
  now(): Promise<number>;
  /** Hosts that called `claimDue` within the last hour and have not left, the latest first. */
  hosts(): Promise<readonly ScheduleHost[]>;
  /** The host claims nothing more: it is not among `hosts` from now on. */
  leave(host: string): Promise<void>;
  /**
   * Plans at most 64 schedules that are due, ends what died, and claims runs that are due: in one step, so that each run is claimed by one host. A claim
   * whose lease has ended is given to another host where the run had not begun; where it had, the run is "interrupted" and, as often
   * as the schedule says, due again. Of one schedule, one run at a time is claimed or begun.
   */
  claimDue(query: ClaimQuery, plan: DuePlan): Promise<readonly ClaimedRun[]>;
  /** The run begins. False where the claim has ended: it must then not start. */
  begin(claimed: ClaimedRun): Promise<boolean>;
  /** Extends the lease. False where the claim has ended. */
  renew(claimed: ClaimedRun, leaseMs: number): Promise<boolean>;
  /** Calls back after this process has added, changed or triggered one, until the returned function is called. */
  onChange?(listener: () => void): () => void;
  /** Records the end; one that was interrupted is due again as `claimDue` says. False where the claim has ended, and nothing is recorded. */
  settle(claimed: ClaimedRun, end: ScheduleRunEnd): Promise<boolean>;
}
