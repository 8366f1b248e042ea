/** Jobs of earlier hosts in the state directory, known by their directories and processes. */

import {
  killTree,
  type Leader,
  machinePlace,
  ProcessTree,
  processStart,
  send,
  survivorsOf,
} from "../../../host/index.js";
import {
  type Captured,
  DEFAULT_GRACE_MS,
  DEFAULT_KEEP,
  HaftError,
  inputClosed,
  type JobInfo,
  type KillOptions,
  type Lifetime,
  type ShellHandle,
  type ShellResult,
  TREE_GONE,
  TREE_UNSEEN,
  type TreeState,
} from "../../../kernel/index.js";
import { killPlan } from "../../exit-status.js";
import { exitEvent, jobStillRuns } from "../../job-facts.js";
import type { JobDirectory, StreamName } from "./job-directory.js";
import { infoOfRecord, type JobStore } from "./job-store.js";
import { nextPoll } from "./job-table.js";
import { readSegments } from "./output-segments.js";

export class RecoveredJob {
  readonly directory: JobDirectory;
  readonly #store: JobStore;
  readonly #tree: ProcessTree | undefined;
  readonly #leader: Leader;
  #wasStopped = false;
  #isBeingEnded = false;
  #ended: Promise<void> | undefined;
  isForgotten = false;

  constructor(directory: JobDirectory, store: JobStore) {
    this.directory = directory;
    this.#store = store;
    const { leader, tag, isLaunched } = directory.record;
    // Without a tag, unrelated processes would match.
    const isSeen = leader !== undefined && tag !== undefined && store.isHere(directory.record);
    this.#tree = isSeen ? treeOf(leader, tag, isLaunched === true) : undefined;
    this.#leader = {
      // The pid may have been reused.
      get hasExited() {
        return leader === undefined || processStart(leader.pid) !== leader.start;
      },
      exited: new Promise(() => {}),
    };
  }

  get id(): string {
    return this.directory.id;
  }

  /** Polls its processes and records its end when none is left. */
  info(): JobInfo {
    return infoOfRecord(this.directory, this.#poll());
  }

  handle(): ShellHandle {
    const result = this.#result();
    return {
      id: this.id,
      pid: this.#leader.hasExited ? null : (this.directory.record.leader?.pid ?? null),
      result,
      write: async () => this.#refuseInput(),
      closeInput: async () => {},
      output: async (stream, from, max) => this.#output(stream, from, max),
      kill: (signal, options) => this.#kill(signal, options),
      onExit: exitEvent(result),
      info: async () => this.info(),
      forget: async () => this.forget(),
    };
  }

  /** Deletes the job. @throws `CALL_INVALID` while it runs. */
  forget(): void {
    if (this.#poll()) throw jobStillRuns(this.id);
    this.isForgotten = true;
    this.directory.remove();
  }

  /** Stops all of its processes. */
  async end(graceMs: number): Promise<TreeState> {
    if (!this.#poll()) return TREE_GONE;
    if (this.#tree === undefined) return TREE_UNSEEN;
    this.#wasStopped = true;
    const tree = await killTree(this.#tree, this.#leader, graceMs);
    this.#poll();
    return tree;
  }

  async #kill(name: string, options?: KillOptions): Promise<TreeState> {
    const plan = killPlan(this.id, name, options);
    if ("graceMs" in plan) return this.end(plan.graceMs);
    if (!this.#poll()) return TREE_GONE;
    if (this.#tree === undefined) return TREE_UNSEEN;
    const survivors = survivorsOf(send(this.#tree, this.#leader, plan.signal));
    return { state: survivors.length === 0 ? "gone" : "alive", survivors, endedBy: null };
  }

  /** @returns Whether one of its visible processes runs. */
  #poll(): boolean {
    const { record } = this.directory;
    if (record.ended !== undefined) return false;
    // Its host is alive and records its end.
    if (!this.#store.isLeft(record)) return this.#tree !== undefined && this.#isAlive(this.#tree);
    if (this.#tree === undefined) {
      const isOfPreviousBoot = machinePlace() !== undefined && machinePlace()?.boot !== record.host.boot;
      if (isOfPreviousBoot || record.leader === undefined) this.#noteEnd("host");
      return false;
    }
    if (this.#isAlive(this.#tree)) {
      this.#endWithHost(this.#tree);
      return true;
    }
    this.#noteEnd(this.#wasStopped || record.lifetime === "keep" ? "stopped" : "host");
    return false;
  }

  /** A launcher runs before the first process that is found. */
  #isAlive(tree: ProcessTree): boolean {
    return !this.#leader.hasExited || tree.find(false).length > 0;
  }

  /** The watcher does this, too, but it may have been killed with its host. */
  #endWithHost(tree: ProcessTree): void {
    if (this.directory.record.lifetime === "keep" || this.#isBeingEnded) return;
    this.#isBeingEnded = true;
    void killTree(tree, this.#leader, DEFAULT_GRACE_MS);
  }

  #noteEnd(by: "stopped" | "host"): void {
    const reported = this.directory.exit();
    const produced = this.directory.produced();
    this.directory.update({
      ended: {
        atMs: reported?.atMs ?? Date.now(),
        by: reported === undefined || this.#wasStopped ? by : "itself",
        ...(reported === undefined ? {} : { exit: reported.exit }),
        produced,
      },
      // The caller that stopped it knows of its end.
      ...(this.#wasStopped ? { isReported: true } : {}),
    });
  }

  #output(stream: StreamName, from: number, max: number) {
    const isOver = !this.#poll();
    const { bytes, next, droppedBytes, produced } = readSegments(this.directory.prefixOf(stream), from, max);
    return { bytes, next, droppedBytes, ended: isOver && next >= produced };
  }

  #refuseInput(): never {
    throw inputClosed(this.id, "its stdin was closed when the host that started it ended");
  }

  async #result(): Promise<ShellResult> {
    this.#ended ??= this.#untilEnded();
    await this.#ended;
    const { record } = this.directory;
    const { ended } = record;
    return {
      began: "yes",
      exit: ended?.exit ?? { by: "none" },
      ended: ended?.by === "itself" ? "itself" : ended === undefined ? "channel-lost" : "cancelled",
      stdout: captured(this.directory, "stdout"),
      stderr: captured(this.directory, "stderr"),
      tree: ended === undefined ? TREE_UNSEEN : TREE_GONE,
      job: this.id,
      ...(ended?.by === "host" ? { problem: "it was stopped when its host ended" } : {}),
      startedMs: record.startedMs,
      tookMs: Math.max(0, (ended?.atMs ?? Date.now()) - record.startedMs),
    };
  }

  async #untilEnded(): Promise<void> {
    while (this.#poll()) await nextPoll();
  }
}

function treeOf(
  leader: { readonly pid: number; readonly start: number },
  tag: string,
  isLaunched: boolean,
): ProcessTree {
  return new ProcessTree({
    ...(isLaunched ? { isLaunched } : {}),
    leader: leader.pid,
    leaderStart: leader.start,
    tag,
    pipes: { stdout: "", stderr: "" },
    isOfAnother: () => false,
    isLeader: () => false,
  });
}

function captured(directory: JobDirectory, stream: StreamName): Captured {
  const prefix = directory.prefixOf(stream);
  const produced = directory.produced()[stream];
  const { head, tail } = DEFAULT_KEEP;
  const isWhole = produced <= head + tail;
  const first = readSegments(prefix, 0, isWhole ? head + tail : head);
  const start = first.droppedBytes === 0 ? first.bytes : new Uint8Array();
  const end =
    isWhole && first.droppedBytes === 0 ? new Uint8Array() : readSegments(prefix, produced - tail, tail).bytes;
  return { head: start, tail: end, produced, omittedBytes: produced - start.length - end.length, final: true };
}

/** An ended job that the next host reports. */
export interface EndedJob {
  readonly id: string;
  readonly command: string;
  readonly lifetime: Lifetime;
  /** "host": with the host that started it. Absent: not known. */
  readonly endedBy?: NonNullable<JobInfo["endedBy"]>;
  readonly endedMs: number;
}

/** All of them; each is opened once. */
export class RecoveredJobs {
  readonly #store: JobStore;
  readonly #known = new Map<string, RecoveredJob>();
  readonly #isOwn: (id: string) => boolean;
  #isCleaned = false;

  /** @param isOwn - Whether this backend started the job. */
  constructor(store: JobStore, isOwn: (id: string) => boolean) {
    this.#store = store;
    this.#isOwn = isOwn;
  }

  /** Undefined for an unknown job, and for one of a running host. */
  find(id: string): RecoveredJob | undefined {
    if (this.#isOwn(id)) return undefined;
    const known = this.#known.get(id);
    if (known !== undefined && !known.isForgotten) return known;
    const directory = this.#store.find(id);
    if (directory === undefined || !this.#isFree(directory.record)) return undefined;
    const job = new RecoveredJob(directory, this.#store);
    this.#known.set(id, job);
    return job;
  }

  /** @throws `STORE_NEWER` for a job that only a newer version can read. */
  requireKnown(id: string): void {
    const why = this.#isOwn(id) ? undefined : this.#store.newer(id);
    if (why !== undefined) throw new HaftError("STORE_NEWER", `Did not read "${id}": ${why}.`, { details: { id } });
  }

  /** Oldest first. */
  all(): readonly RecoveredJob[] {
    return this.#store
      .ids()
      .map((id) => this.find(id))
      .filter((job) => job !== undefined);
  }

  infos(): readonly JobInfo[] {
    return this.all().map((job) => job.info());
  }

  /** Jobs that ended with their host or later and were not reported yet. Expired ones are removed first. */
  takeEnded(): readonly EndedJob[] {
    if (!this.#isCleaned) this.#store.clean();
    this.#isCleaned = true;
    const reported: EndedJob[] = [];
    for (const job of this.all()) {
      const info = job.info();
      const { directory } = job;
      if (info.status !== "ended" || directory.record.isReported === true) continue;
      directory.update({ isReported: true });
      const { command, lifetime, endedBy, endedMs = 0 } = info;
      reported.push({ id: job.id, command, lifetime, ...(endedBy === undefined ? {} : { endedBy }), endedMs });
    }
    return reported;
  }

  /** Its host is gone, or it has ended. */
  #isFree(record: Parameters<JobStore["isLeft"]>[0]): boolean {
    return record.ended !== undefined || this.#store.isLeft(record);
  }
}
