/** The shell port over a command channel. */
import {
  type Binding,
  closedBackend,
  DEFAULT_KEEP,
  graceOf,
  HaftError,
  type Io,
  type JobInfo,
  notStarted,
  type Shell,
  type ShellHandle,
  type ShellOptions,
  type ShellResult,
  type SpawnOptions,
  sealPort,
} from "../../../kernel/index.js";
import { wholeNumber } from "../../../text/index.js";
import { ShellCall, stopWith } from "../../shell-call.js";
import { ChannelLost } from "../channel/channel.js";
import type { RemoteAgent } from "../channel/remote-agent.js";
import { unavailable } from "../channel/remote-shell.js";
import type { RemoteJobTable } from "../jobs/job-table.js";
import { keptRecord } from "../jobs/kept-record.js";
import {
  commandRequest,
  Directories,
  directoryChanges,
  enterProblem,
  InputNotStaged,
  NO_TRAILER,
  refuseCommand,
  stageInput,
} from "./command-request.js";
import { CommandRun, MAX_SENDS } from "./command-run.js";

export class PosixShell implements Shell {
  readonly #name: string;
  readonly #remote: RemoteAgent;
  readonly #jobs: RemoteJobTable;
  readonly #call: ShellCall;

  constructor(name: string, remote: RemoteAgent, jobs: RemoteJobTable, bound?: Binding) {
    this.#name = name;
    this.#remote = remote;
    this.#jobs = jobs;
    this.#call = new ShellCall(() => {
      if (remote.state === "closed") throw closedBackend(name);
    }, bound);
  }

  async exec(command: string, asked: ShellOptions): Promise<ShellResult> {
    const options = this.#call.requireCommand(command, asked, "foreground");
    const run = new CommandRun(this.#remote, this.#jobs, command, requireByteCounts(options), {
      signals: this.#call.signals(options),
      timeoutMs: this.#call.leftMs(options.timeoutMs),
      directories: new Directories(this.#call.binding, command, options.cwd),
      facts: { ...this.#call.facts(command, options.cwd, "session"), adopted: "call" },
    });
    return run.result();
  }

  async spawn(command: string, asked: SpawnOptions): Promise<ShellHandle> {
    const options = this.#call.requireCommand(command, asked, "background");
    const problem = refuseCommand(command, options);
    if (problem !== undefined) throw notStarted(problem);
    // Kept jobs have a tag of their own, so that closing this backend does not end them.
    const tag = options.lifetime === "keep" ? `${this.#remote.tag}k-` : `${this.#remote.tag}-`;
    const control = new AbortController();
    const release = stopWith(this.#call.signals(options), Number.POSITIVE_INFINITY, () => control.abort());
    const { id, words, exited } = await this.#send(command, options, tag, control.signal).finally(release);
    const [, what, pid = ""] = words;
    if (what === "nocwd") throw notStarted(enterProblem(options.cwd, pid));
    if (what === "nonote") throw withoutTrailer();
    if (what !== "spawned") throw unavailable(this.#name, "the connection was replaced by another one");
    const { keep = DEFAULT_KEEP, lifetime } = requireByteCounts(options);
    const facts = this.#call.facts(command, options.cwd, lifetime);
    const job = this.#jobs.add(id, pid === "" ? null : Number(pid), { tag, keep, facts });
    // From now on the table itself reports its exit.
    void exited.then(() => job.exited());
    return this.#call.handle(job, "spawn");
  }

  /** Sends the request until the remote shell enters a directory that was authorized. */
  async #send(command: string, options: SpawnOptions, tag: string, signal: AbortSignal) {
    const notSent = (thrown: unknown): never => {
      if (thrown instanceof InputNotStaged) throw withoutTrailer();
      if (!(thrown instanceof ChannelLost)) throw thrown;
      if (!signal.aborted || thrown.wasSent) throw unavailable(this.#name, thrown.why);
      this.#call.requireLive();
      throw new HaftError("CALL_CANCELLED", "Did not start the command: it was cancelled.");
    };
    const directories = new Directories(this.#call.binding, command, options.cwd);
    for (let sends = 1; ; sends += 1) {
      const input = await stageInput(this.#remote, options.input, signal).catch(notSent);
      const id = this.#remote.nextId();
      const what = { id, tag, command, input, directories };
      const facts = this.#call.facts(command, options.cwd, options.lifetime);
      const record = options.lifetime === "keep" ? keptRecord(facts, Date.now()) : "no";
      const request = commandRequest("spawn", what, options, [record]);
      const exited = this.#jobs.exited(id);
      const sent = this.#remote.request(request, signal).finally(() => this.#jobs.forgetExit(id));
      const frame = await sent.catch(notSent);
      if (frame.words[1] !== "moved") return { id, words: frame.words, exited };
      this.#jobs.forget(id);
      if (sends === MAX_SENDS) throw notStarted(directoryChanges(options.cwd));
      await directories.authorize(frame);
    }
  }

  async attach(id: string): Promise<ShellHandle | null> {
    this.#call.requireJob(id);
    const job = await this.#jobs.find(id);
    return job === undefined || !this.#call.maySee(job.facts) ? null : this.#call.handle(job, "attach");
  }

  /** Jobs of this backend, and kept jobs of others on the same machine. */
  async jobs(options: Io & { readonly id?: string } = {}): Promise<readonly JobInfo[]> {
    const { id } = options;
    this.#call.requireJobs(id);
    const one = id === undefined ? undefined : await this.#jobs.find(id);
    const jobs =
      id === undefined
        ? await this.#jobs.list({ reconnects: this.#call.binding !== undefined })
        : one === undefined
          ? []
          : [one];
    return Promise.all(jobs.filter((job) => this.#call.maySee(job.facts)).map((job) => job.info()));
  }
}

sealPort(PosixShell);

/** Rounds numbers to integers that a shell can compute with. */
function requireByteCounts<T extends ShellOptions>(options: T): T {
  const { keep, graceMs } = options;
  return {
    ...options,
    ...(keep === undefined ? {} : { keep: { head: wholeNumber(keep.head), tail: wholeNumber(keep.tail) } }),
    graceMs: graceOf(graceMs),
  };
}

function withoutTrailer(): HaftError {
  return notStarted(NO_TRAILER, "Free some space there and start it again.");
}
