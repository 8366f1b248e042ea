/** The jobs of one remote machine: reports their ends and deletes files that are not needed any more. */
import { DEFAULT_KEEP, type ShellResult } from "../../../kernel/index.js";
import type { JobFacts } from "../../job-facts.js";
import { orAfter } from "../channel/or-after.js";
import type { RemoteAgent } from "../channel/remote-agent.js";
import type { KeepBytes } from "../shell/capture.js";
import { RemoteJob } from "./job.js";
import { type KeptJob, keptFiles, keptId, readKept } from "./kept-record.js";

/** Ended jobs that are remembered, of this backend and of others each; older ones are deleted. */
const MAX_ENDED = 2_000;
/** Remote files are deleted in batches of this size. */
const FORGET_AT_ONCE = 24;
const FORGET_AFTER_MS = 200;
/** Milliseconds that deleting files may take on close. */
const CLOSE_MS = 2_000;
/** How long an ended job with lifetime "keep" is stored. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;

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
    const files = keptFiles(id);
    if (!this.#jobs.has(id) && files !== undefined) await this.#findKept([files]);
    const job = this.#jobs.get(id);
    job?.watch();
    return job;
  }

  /**
   * All jobs of this backend and the kept ones of others, oldest first. Those that ended over `RETENTION_MS` ago are deleted.
   * @param options.reconnects - Opens a lost channel to find the others; else only known ones are returned then.
   */
  async list(options: { readonly reconnects: boolean }): Promise<readonly RemoteJob[]> {
    if (options.reconnects || this.#remote.state === "open") await this.#findKept([]);
    return [...this.#jobs.values()].sort((one, other) => one.startedMs - other.startedMs);
  }

  /** Adds a spawned job. */
  add(
    number: number,
    pid: number | null,
    options: { readonly tag: string; readonly keep: KeepBytes; readonly facts: JobFacts },
  ): RemoteJob {
    const { tag, keep, facts } = options;
    const id = facts.lifetime === "keep" ? keptId(this.#remote.spoolName, number) : this.#idOf(number);
    const what = { id, ref: String(number), tag, pid, keep, isWatched: false, startedMs: Date.now(), facts };
    return this.#enter(number, new RemoteJob(this.#remote, { ...what, forget: this.#delete }));
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
        forget: this.#delete,
      }),
    );
  }

  /** Deletes the remote files of a command. */
  forget(number: number): void {
    this.#forgetRef(String(number));
  }

  /** Deletes the files of all ended jobs but kept ones. Call it before the remote side is closed. */
  async close(): Promise<void> {
    clearTimeout(this.#forgetting);
    const isOver = (job: RemoteJob) => job.hasEnded && job.facts.lifetime !== "keep";
    const ended = [...this.#forgotten.splice(0), ...[...this.#jobs.values()].filter(isOver).map(({ ref }) => ref)];
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

  /** @param files - The names of one job's files; none: of all. */
  async #findKept(files: readonly string[]): Promise<void> {
    const listed = readKept((await this.#remote.ask("kept", files)).bytes);
    // What is of this backend is known, or is being added.
    const others = listed.filter(({ id }) => !this.#jobs.has(id) && !id.startsWith(`${this.#remote.spoolName}.`));
    const found = await Promise.all(others.map((one) => this.#foundJob(one)));
    for (const job of found) {
      if (job === undefined || this.#jobs.has(job.id)) job?.close();
      else this.#jobs.set(job.id, job);
    }
    this.#forgetOld();
  }

  async #foundJob({ id, ref, quietMs, wasStopped, facts, startedMs }: KeptJob): Promise<RemoteJob | undefined> {
    const [, what, tag = "", pid = ""] = (await this.#remote.ask("find", [ref])).words;
    if (what !== "found" || pid === "") return undefined;
    const job = new RemoteJob(this.#remote, {
      id,
      ref,
      tag,
      pid: Number(pid),
      keep: DEFAULT_KEEP,
      isWatched: false,
      startedMs: startedMs ?? Date.now(),
      facts,
      wasStopped,
      forget: this.#delete,
    });
    await job.refresh(quietMs ?? 0);
    if (!job.hasEnded || (quietMs ?? 0) < RETENTION_MS) return job;
    this.#forgetRef(ref);
    return undefined;
  }

  readonly #delete = async (job: RemoteJob): Promise<void> => {
    this.#drop(job);
    await this.#remote.ask("forget", [job.ref]);
  };

  #drop(job: RemoteJob): void {
    this.#jobs.delete(job.id);
    if (this.#byNumber.get(Number(job.ref)) === job) this.#byNumber.delete(Number(job.ref));
  }

  #enter(number: number, job: RemoteJob): RemoteJob {
    this.#jobs.set(job.id, job);
    this.#byNumber.set(number, job);
    this.#forgetOld();
    return job;
  }

  #forgetOld(): void {
    const ended = [...this.#jobs.values()].filter((one) => one.hasEnded);
    if (ended.length <= MAX_ENDED) return;
    const isOwn = (one: RemoteJob) => this.#byNumber.get(Number(one.ref)) === one;
    for (const some of [ended.filter(isOwn), ended.filter((one) => !isOwn(one))]) {
      some.sort((one, other) => other.startedMs - one.startedMs);
      for (const one of some.slice(MAX_ENDED)) {
        this.#drop(one);
        this.#forgetRef(one.ref);
      }
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
