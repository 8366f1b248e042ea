/** The commands of one far side that somebody may ask about: who waits for which end, and what is not needed any more. */
import { DEFAULT_KEEP, type ShellResult } from "../../../kernel/index.js";
import type { JobFacts } from "../../job-facts.js";
import { orAfter, type RemoteAgent } from "../channel/remote-agent.js";
import type { KeepBytes } from "../shell/capture.js";
import { RemoteJob } from "./job.js";

/** Ended jobs whose output stays to be asked for; older ones are forgotten. */
const MAX_ENDED = 100;
/** Far files that are not needed any more are removed several at a time. */
const FORGET_AT_ONCE = 24;
const FORGET_AFTER_MS = 200;
/** The far side may take so long to remove what is not needed when it is closed. */
const CLOSE_MS = 2_000;
/** The id of a job to be kept says where its files are. */
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
      // What runs over there is ended soon unless a new channel takes it over.
      if (running.length > 0) remote.ensure().catch(() => {});
      for (const job of running) job.exited();
    };
  }

  /** Resolves when the far side tells that the command's leader has ended. */
  exited(id: number): Promise<void> {
    return new Promise((resolve) => {
      this.#exits.set(id, resolve);
    });
  }

  forgetExit(id: number): void {
    this.#exits.delete(id);
  }

  /** The job of that id: of this backend, or one to be kept that another has left on the same machine. */
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

  /** A job that was asked for. */
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

  /** What a command left running becomes a job. */
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

  /** All that are known here, oldest first. */
  get all(): readonly RemoteJob[] {
    return [...this.#jobs.values()];
  }

  /** The far files of a command are not needed any more. */
  forget(number: number): void {
    this.#forgetRef(String(number));
  }

  /** To be called before the far side is closed: jobs that have ended leave nothing there, those to be kept neither. */
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

  /** Those to be kept that were found, too. */
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
