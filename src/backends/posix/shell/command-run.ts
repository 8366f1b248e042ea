/** Runs one command, from request to result. */

import { setTimeout as pause } from "node:timers/promises";
import {
  DEFAULT_KEEP,
  graceOf,
  notStartedResult,
  SETTLE_MS,
  type ShellOptions,
  type ShellResult,
  TREE_UNSEEN,
} from "../../../kernel/index.js";
import type { JobFacts } from "../../job-facts.js";
import { stopWith } from "../../shell-call.js";
import { ChannelLost, WorkerKilled } from "../channel/channel.js";
import type { Frame } from "../channel/frames.js";
import { orAfter } from "../channel/or-after.js";
import type { RemoteAgent } from "../channel/remote-agent.js";
import type { RemoteJobTable } from "../jobs/job-table.js";
import { type CommandReport, isCopying, type KeepBytes, readEnding, readReport } from "./capture.js";
import {
  commandRequest,
  directoryChanges,
  enterProblem,
  InputNotStaged,
  NO_TRAILER,
  refuseCommand,
  type StartDirectories,
  stageInput,
} from "./command-request.js";
import { OutputPoller } from "./output-poller.js";
import { recoverCommand } from "./recover-command.js";

/** Milliseconds that a kill and its report may take beyond the grace. */
const KILL_MARGIN_MS = 2_500;
/** Milliseconds after which a line that does not answer is not waited for any longer. */
const LINE_MS = 2_500;
/** Bytes of the head and of the tail that are stored at most. */
const MAX_KEEP_BYTES = 8 * 1024 * 1024;
/** How often a command that did not begin is sent. */
export const MAX_SENDS = 3;

type Stop = "cancelled" | "deadline";
type Event =
  | { readonly is: "answer"; readonly frame: Frame }
  | { readonly is: "failed"; readonly thrown: unknown }
  | { readonly is: "left" }
  | { readonly is: "stop"; readonly why: Stop };

/** Limits of a command beside its options. */
interface RunLimits {
  /** Each one stops the command. */
  readonly signals: readonly AbortSignal[];
  /** Milliseconds from now. */
  readonly timeoutMs: number;
  readonly directories: StartDirectories;
  /** Facts of the job that its background processes become. */
  readonly facts: JobFacts;
  /** It starts no other processes, and its output is not needed once it was stopped. Default false. */
  readonly isSingle?: boolean;
}

export class CommandRun {
  readonly #remote: RemoteAgent;
  readonly #jobs: RemoteJobTable;
  readonly #command: string;
  readonly #options: ShellOptions;
  readonly #keep: KeepBytes;
  readonly #tag: string;
  readonly #facts: JobFacts;
  readonly #isSingle: boolean;
  readonly #directories: StartDirectories;
  readonly #startedMs = Date.now();
  readonly #startedAt = performance.now();
  readonly #stop: Promise<Event>;
  #why: Stop | undefined;
  #release: () => void = () => {};
  #outputPoller: OutputPoller | undefined;
  /** Settled when the remote shell that runs the command has answered or is lost. */
  #answer: Promise<unknown> = Promise.resolve();

  constructor(remote: RemoteAgent, jobs: RemoteJobTable, command: string, options: ShellOptions, limits: RunLimits) {
    this.#remote = remote;
    this.#jobs = jobs;
    this.#command = command;
    this.#options = options;
    const { head, tail } = options.keep ?? DEFAULT_KEEP;
    this.#keep = { head: Math.min(head, MAX_KEEP_BYTES), tail: Math.min(tail, MAX_KEEP_BYTES) };
    this.#tag = `${remote.tag}-`;
    this.#facts = limits.facts;
    this.#isSingle = limits.isSingle ?? false;
    this.#directories = limits.directories;
    this.#stop = this.#watch(limits);
  }

  /** @throws `BACKEND_UNAVAILABLE` when the remote side could not be reached and the command did not begin. */
  async result(): Promise<ShellResult> {
    try {
      if (this.#why !== undefined) return this.#notStarted(this.#why);
      const problem = refuseCommand(this.#command, this.#options);
      if (problem !== undefined) return this.#notStarted("spawn-error", problem);
      for (let sends = 1; ; sends += 1) {
        const result = await this.#once(sends === MAX_SENDS);
        if (result !== "again") return result;
      }
    } finally {
      this.#release();
    }
  }

  async #once(isLast: boolean): Promise<ShellResult | "again"> {
    const id = this.#remote.nextId();
    const spool = this.#remote.spoolName;
    const answer = this.#send(id).then(
      (frame): Event => ({ is: "answer", frame }),
      (thrown: unknown): Event => ({ is: "failed", thrown }),
    );
    this.#answer = answer;
    const left = this.#jobs.exited(id).then(() => pause<Event>(SETTLE_MS, { is: "left" }));
    try {
      const event = await Promise.race([answer, left, this.#stop]);
      switch (event.is) {
        case "answer":
          if (event.frame.words[1] === "refused" && this.#why === undefined && !isLast) {
            // Another channel is the current one: open a new one.
            this.#remote.drop();
            return "again";
          }
          if (event.frame.words[1] === "moved" && this.#why === undefined) {
            this.#jobs.forget(id);
            if (isLast) return this.#notStarted("spawn-error", directoryChanges(this.#options.cwd));
            await this.#directories.authorize(event.frame);
            return "again";
          }
          return await this.#answered(id, event.frame);
        case "left":
          return await this.#outlived(id, answer);
        case "stop":
          return await this.#end(id, event.why, answer);
        case "failed":
          return await this.#failed(id, event.thrown, spool, isLast, answer);
        default:
          return event satisfies never;
      }
    } finally {
      this.#jobs.forgetExit(id);
      this.#outputPoller?.stop();
    }
  }

  async #send(id: number): Promise<Frame> {
    const { input, onOutput } = this.#options;
    const controller = new AbortController();
    this.#stop.then(() => controller.abort());
    const staged = await stageInput(this.#remote, input, controller.signal);
    if (this.#why !== undefined) throw new ChannelLost("it was stopped before it began", false);
    const { head, tail } = this.#keep;
    const what = { id, tag: this.#tag, command: this.#command, input: staged, directories: this.#directories };
    const pace = onOutput === undefined ? "go" : "hold";
    const request = commandRequest("exec", what, this.#options, [String(head), String(tail), pace]);
    const sent = this.#remote.request(request, controller.signal);
    if (onOutput !== undefined) this.#outputPoller = new OutputPoller(this.#remote, id, onOutput, this.#keep);
    return sent;
  }

  async #answered(id: number, frame: Frame): Promise<ShellResult> {
    const [, what, why] = frame.words;
    if (what === "nocwd") return this.#notStarted("spawn-error", enterProblem(this.#options.cwd, why));
    if (what === "nonote") return this.#notStarted("spawn-error", NO_TRAILER);
    if (what === "refused" || what === "moved") return this.#notStarted(this.#why ?? "channel-lost");
    return this.#ended(id, readReport(frame, this.#keep), "itself");
  }

  /**
   * The leader has exited, but not all output has arrived. Either another process holds the streams, which becomes a job, or
   * the remote side still copies the output to disk, which is waited for.
   */
  async #outlived(id: number, answer: Promise<Event>): Promise<ShellResult> {
    const exitedAt = performance.now();
    for (;;) {
      const latest = this.#poll(id);
      const event = await Promise.race([answer, latest, this.#stop]);
      if (event !== undefined && "is" in event && event.is === "answer") return this.#answered(id, event.frame);
      // On a line that is silent the look does not come back.
      const report =
        event !== undefined && "is" in event && event.is === "stop" ? await orAfter(latest, LINE_MS) : await latest;
      if (report === undefined && this.#why !== undefined) return this.#end(id, this.#why, answer);
      if (report === undefined) return this.#disconnected("yes", "the remote side did not return its output");
      if (this.#why !== undefined || !isCopying(report, exitedAt)) return this.#ended(id, report, "itself");
      await orAfter(Promise.race([answer, this.#stop]), SETTLE_MS);
    }
  }

  async #end(id: number, why: Stop, answer: Promise<Event>): Promise<ShellResult> {
    if (this.#remote.withdraw(id)) return this.#notStarted(why);
    if (this.#isSingle) {
      const killed = await orAfter(
        this.#remote.ask("kill", [String(id)]).catch(() => undefined),
        KILL_MARGIN_MS,
      );
      if (killed?.words[2] === "yes") {
        // Its files are removed when the remote shell has answered.
        void answer.then(() => this.#jobs.forget(id));
        return this.#result(why, "yes");
      }
    }
    const graceMs = graceOf(this.#options.graceMs);
    const words = [String(id), this.#tag, String(Math.ceil(graceMs / 10))];
    const asked = this.#remote.ask("end", words).catch(() => undefined);
    // On a line that is interrupted the request waits, and ends the command when it arrives. The caller does not.
    const isAnswering = this.#remote.isAnswering(LINE_MS);
    const silent = isAnswering.then((isSo) => (isSo ? new Promise<undefined>(() => {}) : undefined));
    const ended = await orAfter(Promise.race([asked, silent]), graceMs + KILL_MARGIN_MS);
    const tree = ended === undefined ? TREE_UNSEEN : readEnding(ended);
    const event = await orAfter(answer, ended === undefined ? 0 : 300);
    if (event?.is === "failed" && !wasSent(event.thrown)) return this.#notStarted(why);
    if (event?.is === "answer") {
      const result = await this.#answered(id, event.frame);
      return result.began === "no" ? { ...result, ended: why } : { ...result, ended: why, tree };
    }
    const report = (await isAnswering) ? await orAfter(this.#poll(id), 1_000) : undefined;
    if (report === undefined) return { ...this.#unreported(why, "unknown"), tree };
    return this.#ended(
      id,
      { ...report, tree: tree.state === "gone" ? tree : { ...report.tree, endedBy: tree.endedBy } },
      why,
    );
  }

  /** Handles a request that failed with its channel, or because none could be opened. */
  async #failed(
    id: number,
    thrown: unknown,
    spool: string | undefined,
    isLast: boolean,
    answer: Promise<Event>,
  ): Promise<ShellResult | "again"> {
    if (thrown instanceof InputNotStaged) return this.#notStarted("spawn-error", thrown.message);
    if (!(thrown instanceof ChannelLost)) throw thrown;
    if (this.#why !== undefined && !thrown.wasSent) return this.#notStarted(this.#why);
    if (!thrown.wasSent) return isLast ? this.#notStarted("channel-lost", thrown.message) : "again";
    const { head, tail } = this.#keep;
    const isStopped = () => this.#why !== undefined;
    const lost = { id, spool, keep: this.#keep, words: [String(id), this.#tag, String(head), String(tail)] };
    // A command whose own shell was killed reports no end.
    const waits = !(thrown instanceof WorkerKilled);
    const recovered = recoverCommand(this.#remote, { ...lost, waits, isStopped });
    const found = await Promise.race([recovered, this.#stop.then(() => undefined)]);
    if (found === undefined) return this.#end(id, this.#why ?? "cancelled", answer);
    switch (found.is) {
      case "not-begun":
        return isLast ? this.#notStarted("channel-lost", thrown.message) : "again";
      case "ended":
        return this.#ended(id, found.report, "itself");
      case "lost":
        return { ...(await this.#ended(id, found.report, "channel-lost")), problem: thrown.message };
      case "unknown":
        return this.#disconnected(found.began, thrown.message);
      default:
        return found satisfies never;
    }
  }

  #poll(id: number): Promise<CommandReport | undefined> {
    const { head, tail } = this.#keep;
    const words = [String(id), this.#tag, String(head), String(tail)];
    return this.#remote.ask("look", words).then(
      (frame) => readReport(frame, this.#keep),
      () => undefined,
    );
  }

  async #ended(id: number, report: CommandReport, ended: ShellResult["ended"]): Promise<ShellResult> {
    const result = { ...this.#result(ended, "yes"), ...report };
    await this.#outputPoller?.finish(report.stdout, report.stderr, this.#stop);
    // Where the channel was lost its leader may still run, but its output is no longer reported.
    if (this.#outputPoller !== undefined && report.tree.state === "alive") this.#remote.send("release", [String(id)]);
    if (report.tree.state !== "alive") {
      // Until then the remote shell may be sending the files; a frame without them would break the channel.
      void this.#answer.then(() => this.#jobs.forget(id));
      return result;
    }
    return { ...result, job: this.#jobs.adopt(id, this.#tag, result, this.#facts).id };
  }

  #disconnected(began: ShellResult["began"], problem: string): ShellResult {
    return { ...this.#unreported("channel-lost", began), tree: TREE_UNSEEN, problem };
  }

  /** A result without a report of the remote side, with the output that arrived before. */
  #unreported(ended: ShellResult["ended"], began: ShellResult["began"]): ShellResult {
    const received = this.#outputPoller?.received();
    const hasBegun = received !== undefined && received.stdout.produced + received.stderr.produced > 0;
    return { ...this.#result(ended, hasBegun ? "yes" : began), ...(hasBegun ? received : {}) };
  }

  #notStarted(ended: ShellResult["ended"], problem?: string): ShellResult {
    return {
      ...notStartedResult(this.#startedMs, ended, problem),
      tookMs: Math.round(performance.now() - this.#startedAt),
    };
  }

  /** A result without exit, output and background processes. */
  #result(ended: ShellResult["ended"], began: ShellResult["began"]): ShellResult {
    return { ...this.#notStarted(ended), began };
  }

  #watch({ signals, timeoutMs }: RunLimits): Promise<Event> {
    return new Promise<Event>((resolve) => {
      const stop = (why: Stop): void => {
        this.#why ??= why;
        resolve({ is: "stop", why: this.#why });
      };
      this.#release = stopWith(signals, timeoutMs, stop);
    });
  }
}

function wasSent(thrown: unknown): boolean {
  return thrown instanceof ChannelLost && thrown.wasSent;
}
