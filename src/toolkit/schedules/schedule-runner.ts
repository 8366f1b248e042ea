/** Runs the schedules of a state: asks for what is due, keeps its claims while commands run, and records how they end. */
import {
  type ClaimedRun,
  type Clock,
  type DuePlan,
  HaftError,
  messageOf,
  SCHEDULE_POLL_MS,
  type Schedule,
  type ScheduleRun,
  type ScheduleRunEnd,
  type Schedules,
  type ScheduleTiming,
  schedulePlace,
} from "../../kernel/index.js";
import type { MissedTimes } from "./missed-times.js";

export const MIN_POLL_MS = 5_000;
/** Runs at once. */
const MAX_RUNNING = 4;
/** Milliseconds after which the runs of a host that has died are given away. */
const LEASE_MS = 60_000;
/** Of a lease. */
const RENEW_AFTER = 1 / 3;
/** Pauses between the attempts to record an end; the last one again and again, while the host is up. */
const SETTLE_PAUSES_MS = [200, 1_000, 5_000, 15_000] as const;
/** Attempts once the host stops, which waits for them. */
const LAST_ATTEMPTS = 4;
/** A clock that is set back by less does not change what is due next. */
const CLOCK_SLACK_MS = 1_000;

/** How schedules are run. */
export interface ScheduleOptions {
  /** Milliseconds between two looks at the store; what is due sooner is known, and runs in time. Default 15,000, at least 5,000. */
  readonly pollMs?: number;
  /** Called when a run begins, and with its end. */
  onRun?(run: ScheduleRun, schedule: Schedule, end?: ScheduleRunEnd): void;
  /** Called once after the first look, where due times passed a minute ago or earlier while no host ran their schedules. */
  onMissed?(missed: readonly MissedTimes[]): void;
  /** Called when the store cannot be used; the next look tries again. */
  onProblem?(error: Error): void;
}

/** Runs the schedules that are stored for the targets and workspaces of a toolkit. */
export interface ToolkitSchedules {
  /**
   * Runs what is due from now on, at most 4 commands at once, until `stop` or the end of the toolkit. Each run is a call of its own:
   * `bash` in a temporary session, at the stricter level of the schedule and the toolkit, judged by policy again. Idempotent while it runs.
   *
   * @throws `BACKEND_UNSUPPORTED` where the state has no schedules; `CONFIG_INVALID` for a `pollMs` under 5,000; and why the store
   *   cannot be used, which is tried again until `stop`.
   */
  start(options?: ScheduleOptions): Promise<void>;
  /** Ends the commands that run, which are recorded as interrupted, and starts no more. Idempotent. */
  stop(): Promise<void>;
}

interface RunnerParts extends ScheduleOptions {
  readonly schedules: Schedules;
  readonly clock: Clock;
  /** The name of this host and its process id. */
  readonly host: string;
  /** Default 60,000. */
  readonly leaseMs?: number;
  /** What it serves at present, for these schedules. */
  places(schedules: readonly Schedule[]): Promise<readonly string[]>;
  readonly plan: DuePlan;
  nextDue(timing: ScheduleTiming, afterMs: number): number | undefined;
  /** Runs the command to its end. The signal ends it: the end is then "interrupted". */
  run(claimed: ClaimedRun, signal: AbortSignal): Promise<ScheduleRunEnd>;
}

export class ScheduleRunner {
  readonly #parts: RunnerParts;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** The claims of what runs. */
  readonly #held = new Set<string>();
  #ignoreChanges: (() => void) | undefined;
  #cycle: Promise<void> | undefined;
  #isWanted = false;
  #cancelTimer: (() => void) | undefined;
  /** The time of the store at the last look. */
  #lastMs = Number.POSITIVE_INFINITY;
  /** What was stored at the last look. */
  #known: readonly Schedule[] | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Looks at the store for the first time. @throws Why the store cannot be used; it is tried again. */
  start(): Promise<void> {
    this.#ignoreChanges ??= this.#parts.schedules.onChange?.(() => this.#wakeLater());
    return this.#wake();
  }

  /** Ends what runs, which takes as long as a command may take to end, and records it as interrupted. Idempotent. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#ignoreChanges?.();
    this.#cancelTimer?.();
    await this.#cycle?.catch(() => {});
    await Promise.all(this.#running);
    await this.#parts.schedules.leave(this.#parts.host).catch(() => {});
  }

  /** Looks now, or once more after the current look. */
  async #wake(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    if (this.#cycle !== undefined) {
      this.#isWanted = true;
      return;
    }
    this.#cycle = this.#look();
    try {
      await this.#cycle;
    } finally {
      this.#cycle = undefined;
      if (this.#isWanted) {
        this.#isWanted = false;
        this.#wakeLater();
      }
    }
  }

  #wakeLater(): void {
    this.#wake().catch((thrown: unknown) => this.#report(thrown));
  }

  #sleep(ms: number): void {
    this.#cancelTimer?.();
    if (!this.#stop.signal.aborted)
      this.#cancelTimer = this.#parts.clock.timer(Math.max(1, ms), () => this.#wakeLater());
  }

  async #look(): Promise<void> {
    const { schedules, host, plan, pollMs = SCHEDULE_POLL_MS, leaseMs = LEASE_MS } = this.#parts;
    let waitMs = pollMs;
    try {
      this.#known ??= await schedules.list();
      const places = await this.#parts.places(this.#known);
      const limit = MAX_RUNNING - this.#running.size;
      const query = { host, places, limit, leaseMs, held: [...this.#held] };
      for (const claimed of await schedules.claimDue(query, plan)) this.#begin(claimed);
      const nowMs = await schedules.now();
      this.#known = await schedules.list();
      const served = this.#known.filter((one) => one.enabled && places.includes(schedulePlace(one)));
      if (nowMs < this.#lastMs - CLOCK_SLACK_MS) await this.#retime(served, nowMs);
      this.#lastMs = nowMs;
      for (const { nextMs = Number.POSITIVE_INFINITY } of served) waitMs = Math.min(waitMs, nextMs - nowMs);
    } finally {
      // What one look did not plan is due already: it is planned at once.
      this.#sleep(waitMs);
    }
  }

  /** After a start, and when the clock has been set back: what was due next by the old clock would be late. */
  async #retime(served: readonly Schedule[], nowMs: number): Promise<void> {
    const { schedules, nextDue } = this.#parts;
    for (const { id, timing, nextMs } of served) {
      if (nextMs === undefined || nextMs <= nowMs || timing.kind === "at") continue;
      const dueMs = nextDue(timing, nowMs);
      if (dueMs === undefined || dueMs >= nextMs) continue;
      await schedules.update(id, (old) => (old.nextMs === nextMs ? { ...old, nextMs: dueMs } : old));
    }
  }

  #begin(claimed: ClaimedRun): void {
    this.#held.add(claimed.claim);
    const running = this.#runOnce(claimed)
      .catch((thrown: unknown) => this.#report(thrown))
      .finally(() => {
        this.#running.delete(running);
        this.#held.delete(claimed.claim);
        this.#wakeLater();
      });
    this.#running.add(running);
  }

  async #runOnce(claimed: ClaimedRun): Promise<void> {
    const { schedules, onRun, clock, leaseMs = LEASE_MS } = this.#parts;
    const { run, schedule } = claimed;
    if (this.#stop.signal.aborted || !(await schedules.begin(claimed))) return;
    onRun?.(run, schedule);
    const lost = new AbortController();
    let cancelRenewal = () => {};
    const renewLater = (): void => {
      if (lost.signal.aborted) return;
      cancelRenewal = clock.timer(leaseMs * RENEW_AFTER, () => {
        schedules.renew(claimed, leaseMs).then(
          (isHeld) => (isHeld ? renewLater() : lost.abort()),
          () => renewLater(),
        );
      });
    };
    renewLater();
    try {
      const end = await this.#endOf(claimed, AbortSignal.any([this.#stop.signal, lost.signal]));
      // Another host counts it as interrupted.
      if (lost.signal.aborted || !(await this.#settled(claimed, end))) return;
      onRun?.(run, schedule, end);
    } finally {
      lost.abort();
      cancelRenewal();
    }
  }

  async #endOf(claimed: ClaimedRun, signal: AbortSignal): Promise<ScheduleRunEnd> {
    try {
      return await this.#parts.run(claimed, signal);
    } catch (thrown) {
      return { state: "failed", reason: messageOf(thrown) };
    }
  }

  /** Records the end, however long the store is away: the claim is held meanwhile. False where it has ended. */
  async #settled(claimed: ClaimedRun, end: ScheduleRunEnd): Promise<boolean> {
    let last = 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#parts.schedules.settle(claimed, end);
      } catch (thrown) {
        if (this.#stop.signal.aborted) last += 1;
        if (last >= LAST_ATTEMPTS || HaftError.is(thrown, "STORE_CLOSED")) throw thrown;
        if (attempt === 0) this.#report(thrown);
        const pauses = SETTLE_PAUSES_MS;
        await this.#pause(pauses[Math.min(last > 0 ? last - 1 : attempt, pauses.length - 1)]!);
      }
    }
  }

  /** Shorter where the host stops meanwhile. */
  #pause(ms: number): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.#parts.clock.timer(ms, end);
      if (!signal.aborted) signal.addEventListener("abort", end);
    });
  }

  #report(thrown: unknown): void {
    this.#parts.onProblem?.(thrown instanceof Error ? thrown : new Error(messageOf(thrown)));
  }
}
