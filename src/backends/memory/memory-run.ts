/** One command from its start to its result: time limit, cancel, survivors. */
import {
  type AbortHub,
  BlockInput,
  type Captured,
  type Clock,
  DEFAULT_KEEP,
  finishPublishing,
  graceOf,
  type JobInfo,
  type KillOptions,
  MAX_TIMER_MS,
  SETTLE_MS,
  type ShellExit,
  type ShellHandle,
  type ShellOptions,
  type ShellResult,
  type Survivor,
  type TreeState,
  withTimeout,
} from "../../kernel/index.js";
import { killPlan } from "../exit-status.js";
import { exitEvent, type JobFacts } from "../job-facts.js";
import { type JobPlan, planCommand, Unsupported } from "./command-plan.js";
import type { MemoryProcess, ProcessEnd } from "./process-table.js";
import { freshState, type Machine, ScriptRunner } from "./script-runner.js";
import { BytePipe, Capture, NO_INPUT, type Source, sourceOf } from "./streams.js";

export interface MemoryRunOptions extends ShellOptions {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input stays open for `write`. */
  readonly isOpenEnded: boolean;
  /** Milliseconds from now. */
  readonly limitMs: number;
  readonly stops: readonly AbortHub[];
  /** Lets the command continue after its call. */
  readonly detached?: AbortHub;
}

type Ended = "itself" | "cancelled" | "deadline" | "detached";

export class MemoryRun {
  readonly id: string;
  readonly facts: JobFacts;
  readonly leader: MemoryProcess;
  readonly result: Promise<ShellResult>;
  /** The result of its handle: for a detached command, its real end. */
  readonly #jobResult: Promise<ShellResult>;
  readonly #onExit: ShellHandle["onExit"];
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #stdout: Capture;
  readonly #stderr: Capture;
  readonly #input: BytePipe | undefined;
  readonly #blocks: BlockInput;
  readonly #startedMs: number;
  readonly #onSurvivors: (run: MemoryRun) => void;
  #isSettled = false;
  #wasStopped = false;
  #endedMs: number | undefined;
  #lastEnd: ProcessEnd | undefined;

  constructor(
    machine: Machine,
    id: string,
    facts: JobFacts,
    options: MemoryRunOptions,
    onSurvivors: (run: MemoryRun) => void,
  ) {
    this.id = id;
    this.facts = facts;
    this.#machine = machine;
    this.#clock = machine.table.clock;
    this.#onSurvivors = onSurvivors;
    this.#startedMs = Math.trunc(this.#clock.now());
    const reported = options.onOutput?.bind(options);
    this.#stdout = new Capture(
      options.keep ?? DEFAULT_KEEP,
      reported && ((bytes, offset) => reported("stdout", bytes, offset)),
    );
    this.#stderr = new Capture(
      options.keep ?? DEFAULT_KEEP,
      reported && ((bytes, offset) => reported("stderr", bytes, offset)),
    );
    this.#input = options.isOpenEnded && options.input === undefined ? new BytePipe() : undefined;
    const end = { send: (block: Uint8Array) => this.#send(block), close: () => this.#input?.sink.release() };
    this.#blocks = new BlockInput(end, this.#clock);
    this.leader = this.#startLeader(facts.command, options);
    this.result = this.#settle(options);
    this.#jobResult = this.result.then((result) => (result.ended === "detached" ? this.#laterResult() : result));
    this.#onExit = exitEvent(this.#jobResult);
    void this.#noteEnd();
  }

  #startLeader(command: string, options: MemoryRunOptions): MemoryProcess {
    const stdin: Source =
      this.#input?.source ?? (options.input === undefined ? NO_INPUT : sourceOf(options.input.slice()));
    const streams = { stdin, stdout: this.#stdout, stderr: this.#stderr };
    this.#stdout.retain();
    this.#stderr.retain();
    return this.#machine.table.start({ name: "sh", parent: 1, streams }, async (process) => {
      let jobs: readonly JobPlan[];
      try {
        jobs = planCommand(command);
      } catch (thrown) {
        if (!(thrown instanceof Unsupported)) throw thrown;
        await process.write("stderr", new TextEncoder().encode(`sh: ${thrown.message}\n`));
        return 2;
      }
      return new ScriptRunner(this.#machine, process, freshState(options.env, options.cwd, process.pid)).run(
        jobs,
        streams,
      );
    });
  }

  async #settle(options: MemoryRunOptions): Promise<ShellResult> {
    const stop = this.#stopRequest(options);
    const why = await Promise.race([stop.requested, this.leader.done.then(() => "itself" as const)]);
    let endedBy: TreeState["endedBy"] = null;
    if (why === "detached") endedBy = null;
    else if (why !== "itself") endedBy = await this.#endGroup("TERM", graceOf(options.graceMs));
    else if (this.#members().length > 0) await this.#wait(this.#machine.table.whenGone(this.leader.group), SETTLE_MS);
    stop.release();
    const end = await this.#endNow();
    const result = this.#result(why, end, endedBy);
    await finishPublishing([this.#stdout.publisher, this.#stderr.publisher], (ms, done) => this.#clock.timer(ms, done));
    this.#isSettled = true;
    return result;
  }

  async #laterResult(): Promise<ShellResult> {
    const end = await this.leader.done;
    if (this.#members().length > 0) await this.#wait(this.#machine.table.whenGone(this.leader.group), SETTLE_MS);
    return this.#result("itself", end, null);
  }

  /** How the leader has ended; null while it runs. */
  #endNow(): Promise<ProcessEnd | null> {
    return Promise.race([this.leader.done, Promise.resolve(null)]);
  }

  async #noteEnd(): Promise<void> {
    this.#lastEnd = await this.leader.done;
    await this.#machine.table.whenGone(this.leader.group);
    this.#endedMs = Math.trunc(this.#clock.now());
  }

  #stopRequest(options: MemoryRunOptions): { readonly requested: Promise<Exclude<Ended, "itself">>; release(): void } {
    let release = (): void => {};
    const requested = new Promise<Exclude<Ended, "itself">>((resolve) => {
      const cancel = (): void => resolve("cancelled");
      const stopListening = options.stops.map((hub) => hub.on(cancel));
      if (options.detached !== undefined) stopListening.push(options.detached.on(() => resolve("detached")));
      const stopTimer =
        options.limitMs > MAX_TIMER_MS
          ? () => {}
          : this.#clock.timer(Math.max(0, options.limitMs), () => resolve("deadline"));
      release = () => {
        stopTimer();
        for (const stop of stopListening) stop();
      };
    });
    return { requested, release: () => release() };
  }

  /** Sends the signal, then KILL if a process remains after the grace period. Returns the signal that was needed, null if none lived. */
  async #endGroup(signal: "TERM" | "KILL", graceMs: number): Promise<TreeState["endedBy"]> {
    const { table } = this.#machine;
    if (this.#members().length === 0) return null;
    table.sendToGroup(this.leader.group, signal);
    const isGone = await this.#wait(table.whenGone(this.leader.group), graceMs);
    if (isGone) return signal;
    table.sendToGroup(this.leader.group, "KILL");
    await table.whenGone(this.leader.group);
    return "KILL";
  }

  /** True when `work` was done before `ms` had passed. */
  async #wait(work: Promise<void>, ms: number): Promise<boolean> {
    return withTimeout<boolean>(
      { clock: this.#clock, ms },
      () => work.then(() => true),
      () => false,
    );
  }

  #members(): readonly MemoryProcess[] {
    return this.#machine.table.ofGroup(this.leader.group);
  }

  #result(ended: Ended, end: ProcessEnd | null, endedBy: TreeState["endedBy"]): ShellResult {
    const tree = this.tree(endedBy);
    if (tree.state === "alive") this.#onSurvivors(this);
    return {
      began: "yes",
      exit: exitOf(end),
      ended,
      stdout: capturedOf(this.#stdout),
      stderr: capturedOf(this.#stderr),
      tree,
      ...(tree.state === "alive" ? { job: this.id } : {}),
      startedMs: this.#startedMs,
      tookMs: Math.trunc(this.#clock.now()) - this.#startedMs,
    };
  }

  tree(endedBy: TreeState["endedBy"]): TreeState {
    const survivors = this.#members().map((process): Survivor => {
      const { stdout, stderr } = process.streams;
      const holds = (stream: Capture) => stdout === stream || stderr === stream;
      return {
        pid: process.pid,
        name: process.name,
        holds: holds(this.#stdout) ? "stdout" : holds(this.#stderr) ? "stderr" : "none",
      };
    });
    return { state: survivors.length === 0 ? "gone" : "alive", survivors, endedBy };
  }

  handle(): ShellHandle {
    return {
      id: this.id,
      pid: this.leader.pid,
      result: this.#jobResult,
      write: (bytes, options) => this.#blocks.write(this.id, bytes, options),
      closeInput: () => this.#blocks.close(),
      output: async (stream, from, max) => {
        const capture = stream === "stdout" ? this.#stdout : this.#stderr;
        return { ...capture.from(from, max), ended: !capture.isOpen };
      },
      kill: async (signal, options) => this.kill(signal, options),
      info: async () => this.info(),
      onExit: this.#onExit,
    };
  }

  /** False when the reader has closed it. */
  #send(block: Uint8Array): boolean | Promise<boolean> {
    if (this.#input === undefined) return false;
    const taken = this.#input.sink.write(block).then(
      () => true,
      () => false,
    );
    return Promise.race([taken, this.leader.done.then(() => false)]);
  }

  /** What is known of it as a job. */
  info(): JobInfo {
    const end = this.#lastEnd;
    return {
      id: this.id,
      ...this.facts,
      startedMs: this.#startedMs,
      status: this.#endedMs === undefined ? "running" : "ended",
      ...(end === undefined ? {} : { exit: exitOf(end) }),
      ...(this.#endedMs === undefined
        ? {}
        : { endedBy: this.#wasStopped ? "stopped" : "itself", endedMs: this.#endedMs }),
      outputBytes: this.#stdout.kept.produced + this.#stderr.kept.produced,
    };
  }

  async kill(signal: string, options?: KillOptions): Promise<TreeState> {
    const plan = killPlan(this.id, signal, options);
    if (this.#endedMs === undefined) this.#wasStopped = true;
    if ("graceMs" in plan) return this.tree(await this.#endGroup(plan.graceMs === 0 ? "KILL" : "TERM", plan.graceMs));
    this.#machine.table.sendToGroup(this.leader.group, plan.signal.slice("SIG".length));
    return this.tree(null);
  }

  /** The result is set and all processes of the command have ended. */
  get hasEnded(): boolean {
    return this.#isSettled && this.#members().length === 0;
  }
}

function exitOf(end: ProcessEnd | null): ShellExit {
  if (end === null) return { by: "none" };
  return "code" in end ? { by: "code", code: end.code } : { by: "signal", signal: end.signal };
}

function capturedOf(capture: Capture): Captured {
  const { kept } = capture;
  return {
    head: kept.head(),
    tail: kept.tail(),
    produced: kept.produced,
    omittedBytes: kept.omittedBytes,
    final: !capture.isOpen,
  };
}
