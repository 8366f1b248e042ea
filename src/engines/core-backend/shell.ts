/** The whole port to commands over one `exec`. */

import type {
  Binding,
  Captured,
  Clock,
  CoreShell,
  JobInfo,
  Shell,
  ShellExit,
  ShellHandle,
  ShellOptions,
  ShellResult,
} from "../../kernel/index.js";
import {
  AbortHub,
  closedBackend,
  commandProblem,
  cwdProblem,
  DEFAULT_KEEP,
  finishPublishing,
  graceOf,
  MAX_TIMER_MS,
  messageOf,
  notStartedResult,
  OutputPublisher,
  requireCommand,
  requireJobs,
  requireLive,
  sealPort,
  TREE_UNSEEN,
} from "../../kernel/index.js";
import { HeadTailBuffer } from "../../text/index.js";
import { unsupported } from "./faults.js";
import type { CoreGuard } from "./guard.js";

/** What a core gets beyond the grace to report by itself before its command counts as lost. */
const SLACK_MS = 2_000;

type CoreResult = Awaited<ReturnType<CoreShell["exec"]>>;

export class CorePortShell implements Shell {
  readonly #name: string;
  readonly #core: CoreShell | undefined;
  readonly #guard: CoreGuard;
  readonly #clock: Clock;
  readonly #closing: AbortHub;
  readonly #callEnds: AbortHub | undefined;
  readonly #bound: Binding | undefined;

  constructor(
    about: {
      readonly name: string;
      readonly shell: CoreShell | undefined;
      readonly guard: CoreGuard;
      readonly clock: Clock;
      /** Fires when the backend is closed. */
      readonly closing: AbortHub;
    },
    bound?: Binding,
  ) {
    this.#name = about.name;
    this.#core = about.shell;
    this.#guard = about.guard;
    this.#clock = about.clock;
    this.#closing = about.closing;
    this.#bound = bound;
    this.#callEnds = bound === undefined ? undefined : new AbortHub(bound.call.signal);
  }

  async exec(command: string, asked: ShellOptions): Promise<ShellResult> {
    const { core, options } = this.#requireShell(command, asked, "foreground");
    const startedMs = Math.trunc(this.#clock.now());
    if (options.signal?.aborted) return notStartedResult(startedMs, "cancelled");
    if (this.#limitMs(options) <= 0) return notStartedResult(startedMs, "deadline");
    const problem = commandProblem(command, options) ?? (await this.#directoryProblem(options.cwd));
    if (problem !== undefined) return notStartedResult(startedMs, "spawn-error", problem);
    const cwd = await this.#guard.checkDirectory(command, options.cwd);
    return this.#run(core, command, { ...options, cwd }, startedMs);
  }

  async spawn(command: string, options: ShellOptions): Promise<ShellHandle> {
    this.#requireShell(command, options, "background");
    throw unsupported(this.#name, "commands that outlive their call", "Run it without `background`.");
  }

  async attach(): Promise<ShellHandle | null> {
    if (this.#bound !== undefined) requireLive(this.#bound.call);
    if (this.#closing.aborted) throw closedBackend(this.#name);
    return null;
  }

  async jobs({ id }: { readonly id?: string } = {}): Promise<readonly JobInfo[]> {
    await this.attach();
    if (this.#bound !== undefined) requireJobs(this.#bound.grant, id);
    return [];
  }

  #requireShell(command: string, asked: ShellOptions, how: "foreground" | "background") {
    if (this.#bound !== undefined) requireLive(this.#bound.call);
    const options = requireCommand(this.#bound?.grant, command, asked, how);
    if (this.#closing.aborted) throw closedBackend(this.#name);
    if (this.#core === undefined) throw unsupported(this.#name, "shell", "Use the file tools.");
    return { core: this.#core, options };
  }

  async #directoryProblem(cwd: string): Promise<string | undefined> {
    const info = await this.#guard.statOrMissing(cwd);
    if (info === undefined) return cwdProblem(cwd, "absent");
    return info.isDirectory ? undefined : cwdProblem(cwd, "file");
  }

  async #run(core: CoreShell, command: string, options: ShellOptions, startedMs: number): Promise<ShellResult> {
    const stop = this.#stopOf(options);
    try {
      const already = stop.why();
      if (already !== "itself") return notStartedResult(startedMs, already);
      const done = await Promise.race([answerOf(core, command, options, stop), stop.lost]);
      const reported = this.#reported(done, stop.why(), options, startedMs);
      if (typeof done === "object" && "result" in done) await this.#report(done.result, options);
      return reported;
    } finally {
      stop.release();
    }
  }

  /** All of a stream comes at once, when the command has ended: nothing is left that could wait for the listener. */
  async #report(result: CoreResult, options: ShellOptions): Promise<void> {
    if (options.onOutput === undefined) return;
    const streams = (["stdout", "stderr"] as const).map((stream) => {
      const publisher = new OutputPublisher((bytes, offset) => options.onOutput?.(stream, bytes, offset));
      const bytes = result[stream];
      if (bytes.length > 0) publisher.publish(bytes, 0);
      return publisher;
    });
    await finishPublishing(streams, (ms, done) => this.#clock.timer(ms, done));
  }

  /** The signal that the core gets, why it fired, and a promise that resolves once a core that does not answer counts as lost. */
  #stopOf(options: ShellOptions) {
    const graceMs = graceOf(options.graceMs);
    const controller = new AbortController();
    const limit = Math.max(0, this.#limitMs(options));
    const limitMs = limit > MAX_TIMER_MS ? undefined : Math.ceil(limit);
    let why: "itself" | "cancelled" | "deadline" = "itself";
    let startGrace = (): void => {};
    const cancels: (() => void)[] = [];
    const lost = new Promise<"lost">((resolve) => {
      startGrace = () => cancels.push(this.#clock.timer(graceMs + SLACK_MS, () => resolve("lost")));
    });
    const end = (reason: "cancelled" | "deadline"): void => {
      if (why !== "itself") return;
      why = reason;
      controller.abort();
      startGrace();
    };
    if (limitMs !== undefined) cancels.push(this.#clock.timer(limitMs, () => end("deadline")));
    const cancel = (): void => end("cancelled");
    const own = options.signal === undefined ? undefined : new AbortHub(options.signal);
    for (const hub of [own, this.#callEnds, this.#closing]) if (hub !== undefined) cancels.push(hub.on(cancel));
    return {
      signal: controller.signal,
      limitMs,
      lost,
      why: () => why,
      release() {
        for (const one of cancels) one();
      },
    };
  }

  #limitMs({ timeoutMs = Number.POSITIVE_INFINITY }: ShellOptions): number {
    const left = this.#bound === undefined ? Number.POSITIVE_INFINITY : this.#bound.call.deadline - this.#clock.now();
    return Math.min(timeoutMs, left);
  }

  #reported(
    done: { readonly result: CoreResult } | { readonly problem: string } | "lost",
    why: "itself" | "cancelled" | "deadline",
    options: ShellOptions,
    startedMs: number,
  ): ShellResult {
    const tookMs = Math.max(0, Math.trunc(this.#clock.now()) - startedMs);
    // The processes that are left were not looked for, so nothing is reported about them.
    const tree = TREE_UNSEEN;
    if (done === "lost")
      return {
        ...notStartedResult(startedMs, "channel-lost", "the backend did not answer"),
        began: "yes",
        ended: why,
        tree,
        tookMs,
      };
    if ("problem" in done) {
      const ended = why === "itself" ? "spawn-error" : why;
      return {
        ...notStartedResult(startedMs, "spawn-error", done.problem),
        began: why === "itself" ? "unknown" : "yes",
        ended,
        tree,
        tookMs,
      };
    }
    const { result } = done;
    const ended = result.timedOut === true ? "deadline" : why;
    return {
      began: "yes",
      exit: exitOf(result.code),
      ended,
      stdout: captured(result.stdout, options),
      stderr: captured(result.stderr, options),
      tree,
      startedMs,
      tookMs,
    };
  }
}

sealPort(CorePortShell);

/** What a core answers, or why it does not. It may throw before it gives a promise. */
async function answerOf(
  core: CoreShell,
  command: string,
  { cwd, env, input }: ShellOptions,
  { limitMs, signal }: { readonly limitMs: number | undefined; readonly signal: AbortSignal },
): Promise<{ readonly result: CoreResult } | { readonly problem: string }> {
  try {
    const result = await core.exec(command, {
      cwd,
      ...(env === undefined ? {} : { env }),
      ...(input === undefined ? {} : { input }),
      ...(limitMs === undefined ? {} : { timeoutMs: limitMs }),
      signal,
    });
    return { result };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

function exitOf(code: number | null): ShellExit {
  // A core reports that a signal ended the command, but not which one.
  return code === null ? { by: "signal", signal: "UNKNOWN" } : { by: "code", code };
}

function captured(data: Uint8Array, options: ShellOptions): Captured {
  const { head, tail } = options.keep ?? DEFAULT_KEEP;
  const kept = new HeadTailBuffer(head, tail);
  kept.push(data);
  return {
    head: kept.head(),
    tail: kept.tail(),
    produced: kept.produced,
    omittedBytes: kept.omittedBytes,
    final: true,
  };
}
