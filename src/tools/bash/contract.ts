/** What `bash` takes and returns. Sizes are bytes, times milliseconds. */
import type { InferInput, JsonSchema, PaneState, WaitingFor } from "../../kernel/index.js";

export interface BashLimits {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly headBytes: number;
  readonly tailBytes: number;
  /** error: a nonzero exit code or a signal is a failure; result: it is an ordinary result. */
  readonly exit: "error" | "result";
  /** A command may continue as a background job when it waits for input or after `yieldMs`. Needs a tool for jobs. */
  readonly autoBackground: boolean;
  /** After this many milliseconds a running command continues in the background. null: never. */
  readonly yieldMs: number | null;
  /**
   * Where a command goes that is sent to the background: into a pane of the target's terminal, and without a terminal it becomes a
   * job ("pane-or-job") or fails ("pane").
   */
  readonly background: "pane-or-job" | "pane";
  /** omit: frames of a progress bar that a later frame overwrites are omitted and counted; the artifact has all of them. */
  readonly redraws: "keep" | "omit";
}

export const BASH_LIMITS = {
  defaultTimeoutMs: 120_000,
  maxTimeoutMs: 600_000,
  headBytes: 8_192,
  tailBytes: 24_576,
  exit: "error",
  autoBackground: true,
  yieldMs: null,
  background: "pane-or-job",
  redraws: "omit",
} satisfies BashLimits;

export const bashSchema = {
  type: "object",
  properties: {
    command: { type: "string" },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      maximum: BASH_LIMITS.maxTimeoutMs,
      description: `Default ${BASH_LIMITS.defaultTimeoutMs}; then the process tree is killed`,
    },
    cwd: { type: "string" },
    input: { type: "string", description: "stdin; default: empty" },
    background: { type: "boolean", description: "Return at once; see `process`" },
  },
  required: ["command"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type BashInput = InferInput<typeof bashSchema>;

/** What is stored of one stream of a command. */
export interface StreamData {
  /** Decoded; invalid bytes show as U+FFFD. `tail` is empty while everything fits into `head`. */
  readonly head: string;
  readonly tail: string;
  readonly notable: readonly { readonly line: number; readonly text: string }[];
  readonly bytes: number;
  readonly omittedBytes: number;
  readonly artifact?: string;
  /** Bytes that the artifact has, if the middle of the stream was dropped. */
  readonly artifactBytes?: number;
  /** Bytes that were not UTF-8. */
  readonly invalid?: number;
  /** Overwritten frames that `head` and `tail` omit; `artifact` has them. */
  readonly overwritten?: number;
}

/** How a command ended and what it printed. */
export interface BashData {
  /** "detached": it continues as `job`, or in the pane `dispatchedTo`. */
  readonly ended: "itself" | "cancelled" | "deadline" | "output-limit" | "spawn-error" | "channel-lost" | "detached";
  readonly began: "yes" | "no" | "unknown";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The exit code may stand for a signal; this backend cannot distinguish them. */
  readonly ambiguous?: boolean;
  readonly stdout: StreamData;
  readonly stderr: StreamData;
  readonly survivors: readonly {
    readonly pid: number;
    readonly name: string;
    readonly holds: "stdout" | "stderr" | "none";
  }[];
  readonly tree: "gone" | "alive" | "unseen";
  readonly endedBy: "TERM" | "KILL" | null;
  readonly job?: string;
  /** The pane that it was typed into; its output and its end are seen there only. */
  readonly dispatchedTo?: Pick<PaneState, "pane" | "session">;
  /** Why it continues in the background: the call asked for it, `yieldMs` passed, or it waits for input. */
  readonly detachedBy?: "asked" | "time" | "input";
  readonly waitingFor?: WaitingFor;
  readonly problem?: string;
  /** The pane that it ran in, where the shell of the target is a terminal's; `stderr` is then part of `stdout`. */
  readonly pane?: string;
  /** A user typed in that pane while it ran. */
  readonly userTyped?: true;
  /** What happened to the pane that the call did not ask for, as a sentence: it was gone and another one was opened, or its output may be incomplete. */
  readonly notice?: string;
  readonly timeoutMs: number;
  readonly durationMs: number;
}
