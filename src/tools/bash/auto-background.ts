/** Commands that continue in the background after the call: on request, after a while, or because they wait for input. */
import {
  type Captured,
  type ShellOptions,
  type ShellResult,
  type ToolContext,
  type WaitingFor,
  withTimeout,
} from "../../kernel/index.js";
import { HeadTailBuffer } from "../../text/index.js";
import { markReported } from "../shared/job-output.js";
import type { BashData, BashInput, BashLimits } from "./contract.js";

type Ctx = ToolContext<BashLimits>;

/** How long to wait for a background command, to report an immediate failure. */
const START_MS = 150;

/** Whether a command that was not sent to the background may continue there. */
export function mayContinue({ limits, backend }: Pick<Ctx, "limits" | "backend">): boolean {
  return limits.autoBackground && backend.flags.detach === true;
}

/** Watches one command and detaches it from its call when there is reason to. */
export class AutoBackground {
  readonly #detach = new AbortController();
  readonly #canDetach: boolean;
  #by: BashData["detachedBy"];
  #waiting: WaitingFor | undefined;
  readonly #stopTimer: () => void;

  constructor(ctx: Ctx) {
    const { yieldMs } = ctx.limits;
    this.#canDetach = mayContinue(ctx);
    this.#stopTimer =
      this.#canDetach && yieldMs !== null ? ctx.clock.timer(yieldMs, () => this.#detachNow("time")) : () => {};
  }

  /** Options for the shell. */
  get options(): Pick<ShellOptions, "detach" | "onWaiting"> {
    return {
      onWaiting: (waiting: WaitingFor): void => {
        this.#waiting = waiting;
        if (this.#canDetach) this.#detachNow("input");
      },
      ...(this.#canDetach ? { detach: this.#detach.signal } : {}),
    };
  }

  stop(): void {
    this.#stopTimer();
  }

  /** Why the command continues, and the input that it was last seen waiting for. */
  facts(result: ShellResult): Pick<BashData, "detachedBy" | "waitingFor"> {
    const isWaiting = this.#waiting !== undefined && (result.ended === "detached" || result.ended === "deadline");
    return {
      ...(result.ended === "detached" && this.#by !== undefined ? { detachedBy: this.#by } : {}),
      ...(isWaiting && this.#waiting !== undefined ? { waitingFor: this.#waiting } : {}),
    };
  }

  #detachNow(by: NonNullable<BashData["detachedBy"]>): void {
    this.#by ??= by;
    this.#detach.abort();
  }
}

/** Starts the command as a job of the session. @returns Its end, or "detached" with its output so far. */
export async function startInBackground(
  ctx: Ctx,
  input: BashInput,
  cwd: string,
  keep: { readonly head: number; readonly tail: number },
): Promise<ShellResult> {
  const startedMs = ctx.clock.now();
  const job = await ctx.shell.spawn(input.command, {
    cwd,
    keep,
    lifetime: "session",
    ...(input.input === undefined ? {} : { input: new TextEncoder().encode(input.input) }),
  });
  const early = await withTimeout<ShellResult | undefined>(
    { clock: ctx.clock, ms: START_MS },
    () => job.result,
    () => undefined,
  );
  if (early !== undefined && early.tree.state !== "alive") return early;
  const printed = async (stream: "stdout" | "stderr"): Promise<Captured> => {
    const kept = new HeadTailBuffer(keep.head, keep.tail);
    const { bytes, ended } = await job.output(stream, 0, keep.head + keep.tail);
    kept.push(bytes);
    return {
      head: kept.head(),
      tail: kept.tail(),
      produced: kept.produced,
      omittedBytes: kept.omittedBytes,
      final: ended,
    };
  };
  const [stdout, stderr] = await Promise.all([printed("stdout"), printed("stderr")]);
  return {
    began: "yes",
    exit: { by: "none" },
    ended: "detached",
    stdout,
    stderr,
    tree: early?.tree ?? { state: "unseen", survivors: [], endedBy: null },
    job: job.id,
    startedMs,
    tookMs: Math.max(0, ctx.clock.now() - startedMs),
  };
}

/** Reports a job that the command left, and that its next poll does not repeat output that this result shows. */
export function markShown(ctx: Ctx, command: string, { job, stdout, stderr }: ShellResult): void {
  if (job === undefined) return;
  ctx.emit({ kind: "job-started", job, command });
  markReported(ctx, job, { stdout: stdout.produced, stderr: stderr.produced });
}
