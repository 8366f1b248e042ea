import type { Pipe, PipePool } from "../../../host/index.js";
import {
  descriptorTarget,
  killTree,
  type Leader,
  ProcessTree,
  send,
  survivorsOf,
  systemClock,
} from "../../../host/index.js";
import {
  type Captured,
  DEFAULT_GRACE_MS,
  DEFAULT_KEEP,
  finishPublishing,
  SETTLE_MS,
  type ShellExit,
  type ShellOptions,
  type ShellResult,
  TREE_GONE,
  TREE_UNSEEN,
  type TreeState,
  type WaitingFor,
} from "../../../kernel/index.js";
import { exitOfStatus } from "../../exit-status.js";
import type { JobRecord } from "../jobs/job-record.js";
import type { OutputSegments } from "../jobs/output-segments.js";
import { CommandInput } from "./command-input.js";
import { OutputCapture } from "./output-capture.js";
import type { Started } from "./spawn-command.js";
import { pipeReader, READ_BYTES, type StreamReader, socketReader } from "./stream-reader.js";
import { waitingProcess } from "./waiting-process.js";

/** When to check for remaining processes, in milliseconds after the exit. */
const POLL_DELAYS_MS = [0, 8, 30, SETTLE_MS];
/**
 * When to check, in milliseconds after the start, whether a command has printed: from then on its output is streamed. Most
 * commands have ended by then; a reader for each stream would cost them a tenth of their time.
 */
const FIRST_READS_MS = [2, 6, 14];
/** Maximum bytes read at once after the leader has exited, because a survivor may print without end. */
const LAST_DRAIN_BYTES = 1024 * 1024;

interface CommandOptions {
  readonly keep?: ShellOptions["keep"];
  readonly onOutput?: ShellOptions["onOutput"];
  readonly borrowsOutput?: boolean | undefined;
  /** Bytes of each stream that `output` can return; 0 for a command that is not a job. */
  readonly latestBytes: number;
  readonly tag: string;
  readonly isOfAnother: (session: number) => boolean;
  readonly isLeader: (pid: number) => boolean;
  readonly buffer: Uint8Array;
  readonly pool: PipePool;
  /** Whether to stream output from the start. Otherwise a quick command is read once, at its end. */
  readonly readAtOnce: boolean;
  /** Where the output of a job is stored. */
  readonly files?: JobFiles;
  /** Another process has a read end of each pipe, and the leader is a shell that reports a signal as a status over 128. */
  readonly isKept?: boolean;
  /** A launcher runs it in a PID namespace, and reports a signal as a status over 128. */
  readonly isLaunched?: boolean;
}

/** The files of both streams of a job. */
interface JobFiles {
  readonly stdout: OutputSegments;
  readonly stderr: OutputSegments;
}

type Ended = ShellResult["ended"];

/** How a command ended, and its output until then, all of which its listener has received. */
interface CommandEnd {
  readonly ended: Ended;
  readonly tree: TreeState;
  readonly stdout: Captured;
  readonly stderr: Captured;
}

/** One started command, until all its processes have ended. */
export class RunningCommand {
  readonly pid: number;
  readonly startedMs = Date.now();
  readonly stdout: OutputCapture;
  readonly stderr: OutputCapture;
  readonly input: CommandInput;
  readonly tree: ProcessTree;
  /**
   * Resolves when the leader has exited, remaining processes were looked up, and the listener has received all output; also
   * when waiting for that was impossible.
   */
  readonly settled: Promise<CommandEnd>;
  /** The same, but not settled early when the command is detached. */
  readonly finished: Promise<CommandEnd>;
  readonly #leader: { hasExited: boolean; readonly exited: Promise<void> };
  readonly #readers: readonly StreamReader[];
  readonly #child: Started["child"];
  readonly #isKept: boolean;
  readonly #isLaunched: boolean;
  readonly #inputShownAs: string | undefined;
  readonly #began = performance.now();
  #tookMs: number | undefined;
  #exit: ShellExit = { by: "none" };
  #settle: (how: CommandEnd) => void = () => {};
  #detach: (how: CommandEnd) => void = () => {};
  #stopping: Promise<TreeState> | undefined;
  #stopReason: Ended | undefined;
  #readTimer: NodeJS.Timeout | undefined;
  /** The next check for remaining processes. */
  #nextPoll: { readonly poll: number; readonly timer: NodeJS.Timeout } | undefined;

  constructor(started: Started, options: CommandOptions) {
    const { child } = started;
    this.#child = child;
    this.#isKept = options.isKept === true;
    this.#isLaunched = options.isLaunched === true;
    this.#inputShownAs = started.inputShownAs;
    const keep = options.keep ?? DEFAULT_KEEP;
    const { onOutput } = options;
    this.pid = child.pid;
    this.input = new CommandInput(started.input);
    const capture = (stream: "stdout" | "stderr") =>
      new OutputCapture(
        keep,
        options.latestBytes,
        onOutput && ((bytes, offset) => onOutput(stream, bytes, offset)),
        options.files?.[stream],
        options.borrowsOutput,
      );
    this.stdout = capture("stdout");
    this.stderr = capture("stderr");
    this.tree = new ProcessTree({
      leader: child.pid,
      child,
      tag: options.tag,
      pipes: { stdout: shownOf(started.out, child.pid, 1), stderr: shownOf(started.err, child.pid, 2) },
      isOfAnother: (session) => session !== child.pid && options.isOfAnother(session),
      isLeader: options.isLeader,
      ...(this.#isLaunched ? { isLaunched: true } : {}),
    });
    const onEnd = () => this.#pollOnceDrained();
    this.#readers = [
      readerOf(started.out, this.stdout, options, onEnd),
      readerOf(started.err, this.stderr, options, onEnd),
    ];
    this.finished = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const detached = new Promise<CommandEnd>((resolve) => {
      this.#detach = resolve;
    });
    this.settled = Promise.race([this.finished, detached]);
    let exited = () => {};
    this.#leader = {
      hasExited: false,
      exited: new Promise((resolve) => {
        exited = resolve;
      }),
    };
    child.once("exit", (code, signal) => {
      this.#leader.hasExited = true;
      clearTimeout(this.#readTimer);
      this.#tookMs = performance.now() - this.#began;
      this.#exit = exitOf(code ?? 0, signal, this.#isKept || this.#isLaunched);
      started.cleanUp();
      exited();
      if (this.#stopping === undefined) this.#pollRemaining(0);
    });
    child.on("error", () => {});
    // The first process of a PID namespace ends a moment after the leader, and with it the output: a reader sees that at once. Making
    // it takes no time while the launcher prepares.
    if (options.readAtOnce || this.#isLaunched) this.#read();
    else this.#readSoon(0);
  }

  /** How a later host finds its processes. */
  get mark(): Pick<JobRecord, "tag" | "isLaunched"> {
    const { tag } = this.tree.criteria;
    return this.#isLaunched ? { tag, isLaunched: true } : { tag };
  }

  get hasExited(): boolean {
    return this.#leader.hasExited;
  }

  get leader(): Leader {
    return this.#leader;
  }

  /** Whether both streams have reached end of file. */
  get isDrained(): boolean {
    return this.#readers.every((reader) => reader.hasEnded);
  }

  /** Ends the whole tree and settles with `reason`. A command whose leader has already exited settles with its exit. */
  stop(reason: Ended, graceMs: number | undefined): void {
    if (this.#leader.hasExited || this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    void this.end(graceMs ?? DEFAULT_GRACE_MS).then((tree) => this.#finish(reason, tree));
  }

  /** Settles now and lets the command continue; its listener is no longer called. Does nothing after its end. */
  detach(): void {
    if (this.#leader.hasExited || this.#stopReason !== undefined) return;
    this.#drain();
    const how: CommandEnd = { ended: "detached", tree: this.remains(), ...this.printed() };
    void this.#finishOutput().then(() => this.#detach(how));
  }

  /** How the leader has ended; undefined while it runs. */
  get exit(): ShellExit | undefined {
    return this.#leader.hasExited ? this.#exit : undefined;
  }

  /** Ends the remaining processes: TERM, `graceMs`, KILL. A concurrent call returns the same promise. */
  end(graceMs: number): Promise<TreeState> {
    this.#stopping ??= this.#end(graceMs).finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  /** Sends one signal to the whole tree and returns which processes remain right after it. */
  signal(signal: NodeJS.Signals): TreeState {
    send(this.tree, this.#leader, signal);
    return this.remains();
  }

  /** The living processes of the tree. */
  remains(): TreeState {
    if (!this.tree.canSee) return TREE_UNSEEN;
    const survivors = survivorsOf(this.tree.find(!this.isDrained));
    const isGone = survivors.length === 0 && this.#leader.hasExited;
    return { state: isGone ? "gone" : "alive", survivors, endedBy: null };
  }

  /** The output so far. */
  printed(): Pick<CommandEnd, "stdout" | "stderr"> {
    return { stdout: this.stdout.captured(), stderr: this.stderr.captured() };
  }

  resultOf({ ended, stdout, stderr, tree }: CommandEnd): ShellResult {
    return {
      began: "yes",
      exit: this.#exit,
      ended,
      stdout,
      stderr,
      tree,
      startedMs: this.startedMs,
      tookMs: Math.round(this.#tookMs ?? performance.now() - this.#began),
    };
  }

  /**
   * Keeps the output readable after the call has settled while processes continue, starting with what is still buffered. It
   * does not keep this process alive.
   */
  outlive(latestBytes: number, files?: JobFiles): void {
    this.stdout.keepLatest(latestBytes, files?.stdout);
    this.stderr.keepLatest(latestBytes, files?.stderr);
    for (const reader of this.#readers) reader.unref();
  }

  /** Reads what is in the pipes, then stops reading. */
  closeStreams(): void {
    this.#drain();
    for (const reader of this.#readers) reader.close();
    this.input.destroy();
    for (const capture of [this.stdout, this.stderr]) capture.closeFiles();
  }

  /** Lets it continue without this process, which it no longer keeps alive. */
  release(): void {
    this.closeStreams();
    this.#child.unref();
  }

  /** Its process that waits for terminal input; undefined if none is found. */
  waiting(): WaitingFor | undefined {
    if (this.hasExited || !this.tree.canSee) return undefined;
    const lines = [this.stdout.lastLine(), this.stderr.lastLine()];
    return waitingProcess(this.tree.find(false), this.#inputShownAs, lines.find((line) => line !== "") ?? "");
  }

  async #end(graceMs: number): Promise<TreeState> {
    const tree = await killTree(this.tree, this.#leader, graceMs);
    // The exit event may come later than the change in `/proc`.
    if (tree.state !== "alive" && !this.#leader.hasExited) {
      await Promise.race([this.#leader.exited, new Promise((resolve) => setTimeout(resolve, SETTLE_MS))]);
    }
    if (tree.state !== "alive" && this.#isLaunched) await this.#drained();
    return tree;
  }

  /** The first process of a PID namespace closes the output a moment after the others have ended. */
  async #drained(): Promise<void> {
    const started = performance.now();
    for (this.#drain(); !this.isDrained && performance.now() - started < SETTLE_MS; this.#drain())
      await new Promise((resolve) => setTimeout(resolve, 2));
  }

  #finish(ended: Ended, tree: TreeState): void {
    this.#drain();
    const how = { ended, tree, ...this.printed() };
    if (this.stdout.held !== undefined || this.stderr.held !== undefined) {
      void this.#finishOutput().then(() => this.#settle(how));
      return;
    }
    this.stdout.stopPublishing();
    this.stderr.stopPublishing();
    this.#settle(how);
  }

  #finishOutput(): Promise<void> {
    return finishPublishing([this.stdout.publisher, this.stderr.publisher], systemClock.timer);
  }

  #pollRemaining(poll: number): void {
    this.#nextPoll = undefined;
    this.#drain();
    const isLast = poll === POLL_DELAYS_MS.length - 1;
    if (this.isDrained || isLast) {
      // The launcher always has a child, so for its commands this test would say nothing.
      const tree = !this.#isLaunched && this.tree.hasNoChildren() ? TREE_GONE : this.remains();
      const isOver = tree.state !== "alive" && this.isDrained;
      if (isOver || isLast) {
        // A stream that is still open is held by a process that is not visible.
        this.#finish("itself", !isOver && tree.state === "gone" ? TREE_UNSEEN : tree);
        return;
      }
    }
    this.#read();
    const next = poll + 1;
    const timer = setTimeout(() => this.#pollRemaining(next), POLL_DELAYS_MS[next]! - POLL_DELAYS_MS[poll]!);
    this.#nextPoll = { poll: next, timer };
  }

  /** Checks for remaining processes at once when the output has ended. */
  #pollOnceDrained(): void {
    if (this.#nextPoll === undefined || !this.isDrained) return;
    clearTimeout(this.#nextPoll.timer);
    this.#pollRemaining(this.#nextPoll.poll);
  }

  #drain(): void {
    for (const reader of this.#readers) reader.drain(LAST_DRAIN_BYTES);
  }

  /** Streams the output. */
  #read(): void {
    for (const reader of this.#readers) reader.start();
  }

  /** Streams the output once there is some, or once the command is not quick. */
  #readSoon(look: number): void {
    this.#readTimer = setTimeout(
      () => {
        for (const reader of this.#readers) reader.drain(READ_BYTES);
        const hasPrinted = this.stdout.produced + this.stderr.produced > 0;
        if (hasPrinted || look === FIRST_READS_MS.length - 1) this.#read();
        else this.#readSoon(look + 1);
      },
      FIRST_READS_MS[look]! - (FIRST_READS_MS[look - 1] ?? 0),
    );
  }
}

function exitOf(code: number, signal: NodeJS.Signals | null, isStatus: boolean): ShellExit {
  if (signal !== null) return { by: "signal", signal: signal.slice(3) };
  return isStatus ? exitOfStatus(code) : { by: "code", code };
}

function isPipe(stream: Started["out"]): stream is Pipe {
  return "readEnd" in stream;
}

/** How `/proc` shows a stream; for a socket, read from the child before it can change its descriptors. */
function shownOf(stream: Started["out"], pid: number, descriptor: number): string {
  return isPipe(stream) ? stream.shownAs : (descriptorTarget(pid, descriptor) ?? "");
}

function readerOf(
  stream: Started["out"],
  capture: OutputCapture,
  { buffer }: Pick<CommandOptions, "buffer">,
  onEnd: () => void,
): StreamReader {
  const take = (chunk: Uint8Array) => capture.push(chunk);
  const end = () => {
    capture.isFinal = true;
    onEnd();
  };
  return isPipe(stream) ? pipeReader(stream, buffer, take, end) : socketReader(stream, take, end);
}
