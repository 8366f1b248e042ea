/** A remote command that outlives the call that started it. */
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../../host/index.js";
import {
  BlockInput,
  HaftError,
  type InputAccepted,
  type InputOptions,
  inputClosed,
  type JobInfo,
  type KillOptions,
  notStartedResult,
  SETTLE_MS,
  type ShellHandle,
  type ShellResult,
  TREE_UNSEEN,
  type TreeState,
} from "../../../kernel/index.js";
import { wholeNumber } from "../../../text/index.js";
import { killPlan } from "../../exit-status.js";
import { exitEvent, type JobFacts, jobStillRuns } from "../../job-facts.js";
import { ChannelLost, clauseOf, isFinal } from "../channel/channel.js";
import type { RemoteAgent } from "../channel/remote-agent.js";
import {
  type CommandReport,
  goneSince,
  isCopying,
  isLost,
  type KeepBytes,
  LOST_AFTER_MS,
  readEnding,
  readReport,
  readTree,
} from "../shell/capture.js";
import { readPoll } from "../shell/output-poller.js";

/** Poll interval of a job whose end is not reported; it grows from the first to the second value. */
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 2_000;
/** How often a job is looked at whose end is reported: the shell that would report it may have been killed. */
const CHECK_MS = 15_000;
/** Bytes of output in one response at most. */
const MAX_PART_BYTES = 1_048_576;

interface JobOptions {
  readonly id: string;
  /** The name of its files in the remote spool directory. */
  readonly ref: string;
  /** The leader; null for background processes of a command. */
  readonly pid: number | null;
  readonly tag: string;
  readonly keep: KeepBytes;
  /** The remote side does not report its end, so the job is polled. */
  readonly isWatched: boolean;
  readonly startedMs: number;
  readonly facts: JobFacts;
  /** An earlier backend has stopped it. */
  readonly wasStopped?: boolean;
  /** Deletes what is stored of it. */
  readonly forget: (job: RemoteJob) => Promise<void>;
}

export class RemoteJob implements ShellHandle {
  readonly id: string;
  readonly pid: number | null;
  readonly ref: string;
  readonly onExit: ShellHandle["onExit"];
  readonly #remote: RemoteAgent;
  readonly #options: JobOptions;
  readonly #input: BlockInput;
  readonly #result: Promise<ShellResult>;
  #resolve: (result: ShellResult) => void = () => {};
  #ended: ShellResult | undefined;
  #endedMs = 0;
  /** When its end was first seen, as `performance.now()`. */
  #exitedAt: number | undefined;
  /** Since when it has had no process and no exit status, as `performance.now()`. */
  #goneAt: number | undefined;
  #wasStopped: boolean;
  /** Milliseconds since its end when the end is first seen. */
  #quietMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  #isWatched: boolean;

  constructor(remote: RemoteAgent, options: JobOptions) {
    this.#remote = remote;
    this.#options = options;
    this.#wasStopped = options.wasStopped ?? false;
    this.#isWatched = options.isWatched;
    this.id = options.id;
    this.ref = options.ref;
    this.pid = options.pid;
    const close = async () => void (await remote.ask("close", [this.ref]));
    this.#input = new BlockInput({ send: (block) => this.#send(block), close }, systemClock);
    this.#result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.onExit = exitEvent(this.#result);
    this.#wait(options.isWatched ? MIN_POLL_MS : CHECK_MS);
  }

  get result(): Promise<ShellResult> {
    return this.#result;
  }

  get startedMs(): number {
    return this.#options.startedMs;
  }

  get facts(): JobFacts {
    return this.#options.facts;
  }

  /** Requests how much has been printed. */
  async info(): Promise<JobInfo> {
    const { facts, startedMs, tag } = this.#options;
    const { stdout, stderr } =
      this.#ended ?? readReport(await this.#remote.ask("look", [this.ref, tag, "0", "0"]), { head: 0, tail: 0 });
    const ended = this.#ended;
    const wasDisconnected = ended?.ended === "channel-lost" && ended.exit.by === "none";
    return {
      id: this.id,
      ...facts,
      startedMs,
      status: ended === undefined ? "running" : wasDisconnected ? "lost" : "ended",
      ...(ended === undefined || ended.exit.by === "none" ? {} : { exit: ended.exit }),
      ...(ended === undefined || wasDisconnected
        ? {}
        : { endedBy: this.#wasStopped ? "stopped" : "itself", endedMs: this.#endedMs }),
      outputBytes: stdout.produced + stderr.produced,
    };
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** The leader may have exited: polls the job soon. */
  exited(): void {
    if (this.#ended !== undefined || this.#isAsking) return;
    clearTimeout(this.#timer);
    this.#wait(0);
  }

  async write(bytes: Uint8Array, options?: InputOptions): Promise<InputAccepted> {
    if (!this.#remote.place.facts.has("mkfifo")) {
      throw new HaftError(
        "BACKEND_UNSUPPORTED",
        `Did not write to "${this.id}": the remote side has no mkfifo. Pass the input when you start the command.`,
        { details: { feature: "input of running commands" } },
      );
    }
    if (this.#ended !== undefined) throw inputClosed(this.id);
    return this.#input.write(this.id, bytes, options);
  }

  closeInput(): Promise<void> {
    return this.#input.close();
  }

  async output(
    stream: "stdout" | "stderr",
    from: number,
    max: number,
  ): Promise<{
    readonly bytes: Uint8Array;
    readonly next: number;
    readonly droppedBytes: number;
    readonly ended: boolean;
  }> {
    const first = wholeNumber(from);
    const count = String(wholeNumber(max, { max: MAX_PART_BYTES }));
    const words = stream === "stdout" ? [String(first), count, "0", "0"] : ["0", "0", String(first), count];
    const part = readPoll(await this.#remote.ask("poll", [this.ref, ...words]))[stream];
    // After the end no output can be added, even if a pump has not recorded its end yet.
    const ended = part.ended ? part.from + part.bytes.length >= part.total : (this.#ended?.[stream].final ?? false);
    const start = Math.max(first, part.from);
    return { bytes: part.bytes, next: start + part.bytes.length, droppedBytes: start - first, ended };
  }

  async kill(signal: string, options?: KillOptions): Promise<TreeState> {
    const plan = killPlan(this.id, signal, options);
    const words = [this.ref, this.#options.tag];
    if (this.#ended === undefined) this.#wasStopped = true;
    if ("signal" in plan) {
      const frame = await this.#remote.ask("signal", [...words, plan.signal.slice("SIG".length)]);
      this.exited();
      return readTree(frame.bytes, frame.words[2] === "yes");
    }
    const tree = readEnding(await this.#remote.ask("end", [...words, String(plan.graceMs / 10)]));
    this.exited();
    return tree;
  }

  /**
   * Finds out whether a job of another backend has ended.
   * @param quietMs - Milliseconds since its files last changed, which is since its end, if it has ended.
   */
  async refresh(quietMs: number): Promise<void> {
    this.#quietMs = quietMs;
    if (!(await this.#poll()) && this.#goneAt !== undefined) {
      // Its shell may be about to record the status.
      await pause(SETTLE_MS);
      this.#goneAt -= LOST_AFTER_MS;
      await this.#poll();
    }
    this.#quietMs = 0;
  }

  /** Its result is waited for, so from now on it is polled often. */
  watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.exited();
  }

  async forget(): Promise<void> {
    if (this.#ended === undefined) throw jobStillRuns(this.id);
    await this.#options.forget(this);
  }

  /** Settles with an unknown end, because the remote side was closed. */
  close(): void {
    clearTimeout(this.#timer);
    this.#settle({ ...this.#empty(), tree: TREE_UNSEEN, problem: "the backend was closed" });
  }

  /** @throws `BACKEND_UNAVAILABLE` */
  async #send(input: Uint8Array): Promise<boolean> {
    const id = this.#remote.nextId();
    const frame = await this.#remote
      .request({ id, operation: "write", words: [this.ref], input })
      .catch((thrown: unknown) => {
        throw thrown instanceof ChannelLost ? unacknowledgedInput(this.id, input.length, thrown) : thrown;
      });
    this.#remote.send("forget", [String(id)]);
    return frame.words[1] === "written";
  }

  #wait(ms: number): void {
    if (this.#ended !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#isAsking = true;
      this.#poll().then(
        (isOver) => {
          this.#isAsking = false;
          const mostMs = this.#isWatched || this.#goneAt !== undefined ? MAX_POLL_MS : CHECK_MS;
          if (!isOver) this.#wait(Math.min(mostMs, Math.max(MIN_POLL_MS, ms * 2)));
        },
        (thrown: unknown) => {
          this.#isAsking = false;
          if (isFinal(thrown)) this.#settle({ ...this.#empty(), problem: clauseOf(thrown) });
          else this.#wait(MAX_POLL_MS);
        },
      );
    }, ms);
    if (ms > 0) this.#timer.unref();
  }

  /** Whether the job has ended: its leader, or all processes where it has no leader. */
  async #poll(): Promise<boolean> {
    const { tag, keep, pid } = this.#options;
    const words = [this.ref, tag, String(keep.head), String(keep.tail)];
    const collected = await this.#remote.ask("collect", words);
    if (collected.words[1] === "absent") {
      this.#settle({ ...this.#empty(), problem: "the remote side has no record of it" });
      return true;
    }
    if (collected.words[1] === "done") {
      const report = readReport(collected, keep);
      // Background processes of a command: the job runs as long as one of them lives.
      if (pid === null && report.tree.state === "alive") return false;
      this.#settle({ ...this.#empty(), ended: "itself", ...report });
      return true;
    }
    const frame = await this.#remote.ask("look", words);
    const report = readReport(frame, keep);
    if (pid === null ? report.tree.state === "alive" : frame.words[2] === "")
      return pid !== null && this.#settleIfLost(report);
    if (pid !== null && report.tree.state === "alive") await pause(SETTLE_MS);
    const last = readReport(await this.#remote.ask("look", words), keep);
    this.#exitedAt ??= performance.now();
    if (isCopying(last, this.#exitedAt)) return false;
    this.#settle({ ...this.#empty(), ended: "itself", ...last });
    return true;
  }

  /** Settles a job that has no process any more, and whose exit status is not recorded and never will be. */
  #settleIfLost(report: CommandReport): boolean {
    this.#goneAt = goneSince(report, this.#goneAt);
    if (!isLost(this.#goneAt)) return false;
    const { stdout, stderr, tree } = report;
    this.#settle({
      ...this.#empty(),
      stdout,
      stderr,
      tree,
      problem: "it was killed together with the shell that ran it",
    });
    return true;
  }

  #empty(): ShellResult {
    const { startedMs } = this.#options;
    return {
      ...notStartedResult(startedMs, "channel-lost"),
      began: "yes",
      tree: TREE_UNSEEN,
      job: this.id,
      tookMs: Math.max(0, Date.now() - this.#quietMs - startedMs),
    };
  }

  #settle(result: ShellResult): void {
    if (this.#ended !== undefined) return;
    this.#ended = result;
    this.#endedMs = Date.now() - this.#quietMs;
    this.#resolve(result);
  }
}

/** The connection was lost: input that was sent may have reached the command, so it is not sent again. */
function unacknowledgedInput(id: string, bytes: number, { message, wasSent }: ChannelLost): HaftError {
  const what = wasSent
    ? `Wrote ${bytes} bytes to "${id}" but it is not known whether they arrived: ${message}. Check its output before you send them again.`
    : `Did not write to "${id}": ${message}. Try again.`;
  return new HaftError("BACKEND_UNAVAILABLE", what, { details: { began: wasSent ? "unknown" : "no" } });
}
