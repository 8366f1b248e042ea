/** The port to the commands of a memory backend. */
import {
  type Captured,
  HaftError,
  type Lifetime,
  requireCommand,
  requireLive,
  type Shell,
  type ShellHandle,
  type ShellOptions,
  type ShellResult,
} from "../../kernel/index.js";
import { MemoryRun, type RunOptions } from "./memory-run.js";
import type { Machine } from "./script-runner.js";
import { LOOKING } from "./tree-errors.js";
import type { Bound } from "./tree-guard.js";

/** Ended commands that `attach` still finds. */
const MAX_ENDED_RUNS = 64;

/** What the shells of all calls share: the machine, its environment, and the runs that outlive their call. */
export interface ShellHost extends Machine {
  readonly env: Readonly<Record<string, string>>;
  readonly runs: Map<string, MemoryRun>;
  nextRunId(): string;
}

export class MemoryShell implements Shell {
  readonly #host: ShellHost;
  readonly #bound: Bound | undefined;

  constructor(host: ShellHost, bound?: Bound) {
    this.#host = host;
    this.#bound = bound;
  }

  async exec(command: string, options: ShellOptions): Promise<ShellResult> {
    this.#requireAllowed(command, options.cwd);
    const refused = this.#refusal(command, options);
    if (refused !== undefined) return refused;
    return this.#start(command, options, false).result;
  }

  async spawn(command: string, options: ShellOptions & { readonly lifetime: Lifetime }): Promise<ShellHandle> {
    this.#requireAllowed(command, options.cwd);
    const refused = this.#refusal(command, options);
    if (refused !== undefined) return settledHandle(this.#host.nextRunId(), refused);
    const run = this.#start(command, options, true);
    this.#keep(run);
    return run.handle();
  }

  async attach(id: string): Promise<ShellHandle | null> {
    if (this.#bound !== undefined) {
      requireLive(this.#bound.call);
      const { jobs } = this.#bound.grant;
      if (!jobs.includes("*") && !jobs.includes(id)) {
        throw new HaftError(
          "CALL_UNCLAIMED",
          `Did not attach to "${id}": the call never claimed it. Claim it in the tool's \`claims\`.`,
          { details: { job: id } },
        );
      }
    }
    return this.#host.runs.get(id)?.handle() ?? null;
  }

  #requireAllowed(command: string, cwd: string): void {
    if (this.#bound === undefined) return;
    requireLive(this.#bound.call);
    requireCommand(this.#bound.grant, command, cwd);
  }

  #start(command: string, options: ShellOptions, isOpenEnded: boolean): MemoryRun {
    const { signal, timeoutMs, ...rest } = options;
    const run: RunOptions = {
      ...rest,
      isOpenEnded,
      env: { ...this.#host.env, ...options.env },
      limitMs: isOpenEnded ? Number.POSITIVE_INFINITY : this.#limitMs(timeoutMs),
      // What was spawned outlives its call, so neither the call's end nor its signal reaches it.
      stopSignals: isOpenEnded ? [] : [signal, this.#bound?.call.signal].filter((one) => one !== undefined),
    };
    return new MemoryRun(this.#host, this.#host.nextRunId(), command, run, (left) => this.#keep(left));
  }

  /** Keeps a run for `attach`; of those that have ended the oldest are forgotten. */
  #keep(run: MemoryRun): void {
    const { runs } = this.#host;
    runs.set(run.id, run);
    const ended = [...runs.values()].filter((one) => one.hasEnded);
    for (const one of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_RUNS))) runs.delete(one.id);
  }

  #limitMs(timeoutMs: number | undefined): number {
    const left =
      this.#bound === undefined ? Number.POSITIVE_INFINITY : this.#bound.call.deadline - this.#host.table.clock.now();
    return Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, left);
  }

  /** The result of a command that is not even begun. */
  #refusal(command: string, options: ShellOptions): ShellResult | undefined {
    const nowMs = Math.trunc(this.#host.table.clock.now());
    if (options.signal?.aborted) return unbegun(nowMs, "cancelled");
    if (command.includes("\0")) return unbegun(nowMs, "spawn-error", "a command cannot hold a NUL byte");
    const problem = this.#folderProblem(options.cwd);
    return problem === undefined ? undefined : unbegun(nowMs, "spawn-error", problem);
  }

  #folderProblem(cwd: string): string | undefined {
    try {
      const { node } = this.#host.tree.walk(cwd, true, LOOKING);
      if (node?.kind === "directory") return undefined;
      return node === undefined ? `the folder "${cwd}" does not exist` : `"${cwd}" is not a folder`;
    } catch {
      return `the folder "${cwd}" is a ring of links`;
    }
  }
}

const NOTHING: Captured = { head: new Uint8Array(), tail: new Uint8Array(), produced: 0, dropped: 0, final: true };

function unbegun(startedMs: number, ended: "cancelled" | "spawn-error", problem?: string): ShellResult {
  return {
    began: "no",
    exit: { by: "none" },
    ended,
    stdout: NOTHING,
    stderr: NOTHING,
    tree: { state: "gone", survivors: [], endedBy: null },
    ...(problem === undefined ? {} : { problem }),
    startedMs,
    tookMs: 0,
  };
}

function settledHandle(id: string, result: ShellResult): ShellHandle {
  return {
    id,
    pid: null,
    result: Promise.resolve(result),
    write: async () => {},
    closeInput: async () => {},
    output: async (_stream, from) => ({ bytes: new Uint8Array(), next: Math.max(0, from), lost: 0, ended: true }),
    kill: async () => result.tree,
    onExit(listener) {
      let isSubscribed = true;
      queueMicrotask(() => {
        if (isSubscribed) listener(result);
      });
      return () => {
        isSubscribed = false;
      };
    },
  };
}
