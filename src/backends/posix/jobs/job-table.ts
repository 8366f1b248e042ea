/** The jobs of one remote machine: reports their ends and deletes files that are not needed any more. */
import { DEFAULT_KEEP, type ShellResult } from "../../../kernel/index.js";
import type { JobFacts } from "../../job-facts.js";
import { orAfter, type RemoteAgent } from "../channel/remote-agent.js";
import type { KeepBytes } from "../shell/capture.js";
import { RemoteJob } from "./job.js";

/** Ended jobs that are remembered; older ones are deleted. */
const MAX_ENDED = 100;
/** Remote files are deleted in batches of this size. */
const FORGET_AT_ONCE = 24;
const FORGET_AFTER_MS = 200;
/** Milliseconds that deleting files may take on close. */
const CLOSE_MS = 2_000;
/** The id of a kept job names the spool directory and the number of its files. */
const STORED = /^(haft-[0-9a-f]{18})\.([1-9]\d*)$/;

const FOUND: JobFacts = Object.freeze({ command: "", cwd: "/", lifetime: "keep", adopted: "host" });

export class RemoteJobTable {
  readonly #remote: RemoteAgent;
  readonly #jobs = new Map<string, RemoteJob>();
  readonly #byNumber = new Map<number, RemoteJob>();
  readonly #exits = new Map<number, () => void>();
  #forgotten: string[] = [];
  #forgetting: NodeJS.Timeout | undefined;

  constructor(remote: RemoteAgent) {
    this.#remote = remote;
    remote.onExit = (id) => {
      this.#exits.get(id)?.();
      this.#byNumber.get(id)?.exited();
    };
    remote.onDisconnect = () => {
      const running = [...this.#jobs.values()].filter((job) => !job.hasEnded);
      // The remote side ends running jobs soon unless a new channel takes them over.
      if (running.length > 0) remote.ensure().catch(() => {});
      for (const job of running) job.exited();
    };
  }

  /** Resolves when the remote side reports that the command's leader has exited. */
  exited(id: number): Promise<void> {
    return new Promise((resolve) => {
      this.#exits.set(id, resolve);
    });
  }

  forgetExit(id: number): void {
    this.#exits.delete(id);
  }

  /** A job of this backend, or a kept job of another backend on the same machine. */
  async find(id: string): Promise<RemoteJob | undefined> {
    const known = this.#jobs.get(id);
    if (known !== undefined) return known;
    const [, spool, number] = STORED.exec(id) ?? [];
    if (spool === undefined || number === undefined) return undefined;
    const ref = `../${spool}/${number}`;
    const [, what, tag = "", pid = ""] = (await this.#remote.ask("find", [ref])).words;
    if (what !== "found") return undefined;
    const job = new RemoteJob(this.#remote, {
      id,
      ref,
      tag,
      pid: pid === "" ? null : Number(pid),
      keep: DEFAULT_KEEP,
      isWatched: true,
      startedMs: Date.now(),
      facts: FOUND,
    });
    this.#jobs.set(id, job);
    this.#forgetOld();
    return job;
  }

  /** Adds a spawned job. */
  add(
    number: number,
    pid: number | null,
    options: { readonly tag: string; readonly keep: KeepBytes; readonly facts: JobFacts },
  ): RemoteJob {
    const { tag, keep, facts } = options;
    const id = facts.lifetime === "keep" ? `${this.#remote.spoolName}.${number}` : this.#idOf(number);
    const isWatched = false;
    return this.#enter(
      number,
      new RemoteJob(this.#remote, { id, ref: String(number), tag, pid, keep, isWatched, startedMs: Date.now(), facts }),
    );
  }

  /** Turns the background processes of a command into a job. */
  adopt(number: number, tag: string, result: ShellResult, facts: JobFacts): RemoteJob {
    const known = this.#byNumber.get(number);
    if (known !== undefined) return known;
    const { startedMs } = result;
    const id = this.#idOf(number);
    return this.#enter(
      number,
      new RemoteJob(this.#remote, {
        id,
        ref: String(number),
        tag,
        pid: null,
        keep: DEFAULT_KEEP,
        isWatched: true,
        startedMs,
        facts,
      }),
    );
  }

  /** All known jobs, oldest first. */
  get all(): readonly RemoteJob[] {
    return [...this.#jobs.values()];
  }

  /** Deletes the remote files of a command. */
  forget(number: number): void {
    this.#forgetRef(String(number));
  }

  /** Deletes the files of all ended jobs, kept ones too. Call it before the remote side is closed. */
  async close(): Promise<void> {
    clearTimeout(this.#forgetting);
    const ended = [...this.#jobs.values()].filter((job) => job.hasEnded).map((job) => job.ref);
    if (ended.length > 0 && this.#remote.state === "open") {
      await orAfter(
        this.#remote.ask("forget", ended).catch(() => undefined),
        CLOSE_MS,
      );
    }
    for (const job of this.#jobs.values()) job.close();
  }

  #forgetNow(): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = undefined;
    const refs = this.#forgotten.splice(0);
    if (refs.length > 0) this.#remote.send("forget", refs);
  }

  #idOf(number: number): string {
    return `job-${this.#remote.tag.slice(0, 8)}-${number}`;
  }

  #enter(number: number, job: RemoteJob): RemoteJob {
    this.#jobs.set(job.id, job);
    this.#byNumber.set(number, job);
    this.#forgetOld();
    return job;
  }

  /** Includes kept jobs of other backends. */
  #forgetOld(): void {
    const ended = [...this.#jobs.values()].filter((one) => one.hasEnded);
    for (const one of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) {
      this.#jobs.delete(one.id);
      if (this.#byNumber.get(Number(one.ref)) === one) this.#byNumber.delete(Number(one.ref));
      this.#forgetRef(one.ref);
    }
  }

  #forgetRef(ref: string): void {
    this.#forgotten.push(ref);
    if (this.#forgotten.length >= FORGET_AT_ONCE) this.#forgetNow();
    else if (this.#forgetting === undefined) {
      this.#forgetting = setTimeout(() => this.#forgetNow(), FORGET_AFTER_MS);
      this.#forgetting.unref();
    }
  }
}
