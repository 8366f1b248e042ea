import type { ChildProcess } from "node:child_process";
import {
  allProcesses,
  descriptorTargets,
  hasEnvironmentEntry,
  isDead,
  isInNamespace,
  newestPid,
  type ProcessEntry,
  processEntry,
  processesSince,
} from "./process-table.js";
import { sendSignal } from "./signal.js";

/** How the processes of one command are identified. */
export interface TreeCriteria {
  /** The first process; it leads a session and a group of its own. */
  readonly leader: number;
  /** The child process; absent for a leader started by an earlier host. */
  readonly child?: ChildProcess;
  /** When the leader started, in ticks since boot; absent while it is certain to exist. */
  readonly leaderStart?: number;
  /** "NAME=value" in the environment of all that did not clear it. */
  readonly tag: string;
  /** How `/proc/PID/fd` shows the streams that the command was given; only its processes hold them. */
  readonly pipes: { readonly stdout: string; readonly stderr: string };
  /**
   * The command runs in a PID namespace of its own: the leader and the first process there only start it and wait. They are not
   * reported, and get no signal but KILL. Which processes these are is read from the kernel, so that none can pose as one.
   */
  readonly isLaunched?: boolean;
  /** Whether another command of this host leads the session: then none of its processes is of this tree. */
  isOfAnother(session: number): boolean;
  /** Whether the pid belonged to a recent command of this host. */
  isLeader(pid: number): boolean;
}

export interface TreeMember extends ProcessEntry {
  readonly holds: "stdout" | "stderr" | "none";
}

/** Pids after the leader's that are compared with those of other commands before `/proc` is searched. */
const MAX_COMPARED = 64;
/** While a command is younger, pids cannot have wrapped around. */
const YOUNG_MS = 2_000;

/** Finds the living processes of one command: by session, group, environment, held pipe, and their children. */
export class ProcessTree {
  readonly criteria: TreeCriteria;
  #leaderStart: number | undefined;
  readonly #began: number;

  /** Create it while the leader exists, dead or alive, unless its start is given. */
  constructor(criteria: TreeCriteria) {
    this.criteria = criteria;
    this.#leaderStart = criteria.leaderStart ?? processEntry(criteria.leader)?.start;
    this.#began = criteria.leaderStart === undefined ? performance.now() : Number.NEGATIVE_INFINITY;
  }

  /** In ticks since boot; undefined if processes cannot be searched, as without `/proc` or a free descriptor. */
  get leaderStart(): number | undefined {
    const { child, leader } = this.criteria;
    // Until the child is reaped its pid is not reused.
    if (this.#leaderStart === undefined && child?.exitCode === null && child.signalCode === null)
      this.#leaderStart = processEntry(leader)?.start;
    return this.#leaderStart;
  }

  /** Whether processes can be searched at all; otherwise the state of a tree is "unseen". */
  get canSee(): boolean {
    return this.leaderStart !== undefined;
  }

  /**
   * True when the only processes started since the leader are commands of this host, so that there is nothing to search. Takes
   * 10 µs.
   */
  hasNoChildren(): boolean {
    const newest = newestPid();
    const { leader } = this.criteria;
    if (!this.canSee || newest === undefined || newest < leader || newest - leader > MAX_COMPARED) return false;
    for (let pid = leader + 1; pid <= newest; pid++) if (!this.criteria.isLeader(pid)) return false;
    return true;
  }

  /**
   * Searches `/proc`: about 10 µs a process, 40 for those started since the leader; for a young command older processes are
   * skipped. Zombies are omitted.
   * @param pipesAreHeld - False when both pipes are at end of file, so that no process has one open.
   */
  find(pipesAreHeld = true): TreeMember[] {
    const all = this.findAll(pipesAreHeld);
    return this.criteria.isLaunched === true ? all.filter((one) => isInNamespace(one.pid)) : all;
  }

  /** The same, with the processes that only carry a launched command. */
  findAll(pipesAreHeld = true): TreeMember[] {
    const since = this.leaderStart;
    if (since === undefined) return [];
    const { leader } = this.criteria;
    const isYoung = performance.now() - this.#began < YOUNG_MS;
    const candidates = (isYoung ? processesSince(leader) : allProcesses()).filter(
      (one) => one.start >= since && one.pid !== process.pid && !isDead(one) && !this.criteria.isOfAnother(one.session),
    );
    if (candidates.length === 0) return [];
    // A reused pid belongs to another session and group.
    const isOwnNumber = (processEntry(leader)?.start ?? since) === since;
    const found = new Map<number, TreeMember>();
    for (const one of candidates) {
      const isNear = isOwnNumber && (one.session === leader || one.group === leader);
      const isOurs = isNear || hasEnvironmentEntry(one.pid, this.criteria.tag);
      const holds = pipesAreHeld ? this.#holds(one.pid) : "none";
      if (isOurs || holds !== "none") found.set(one.pid, { ...one, holds });
    }
    for (let before = -1; before !== found.size; ) {
      before = found.size;
      for (const one of candidates) {
        if (!found.has(one.pid) && found.has(one.parent)) found.set(one.pid, { ...one, holds: "none" });
      }
    }
    return [...found.values()];
  }

  /** Sends a signal to each, if it is still the process that was found. Returns how many were signalled. */
  signal(members: readonly TreeMember[], signal: NodeJS.Signals): number {
    let sent = 0;
    for (const { pid, start } of members) {
      if (sendSignal({ pid, start }, signal)) sent++;
    }
    return sent;
  }

  /** Signals the whole group at once, so that forks cannot escape; only until the leader is reaped. */
  signalGroup(signal: NodeJS.Signals): void {
    const { child, leader } = this.criteria;
    if (child !== undefined) sendSignal({ groupOf: child }, signal);
    else if (this.leaderStart !== undefined) sendSignal({ group: leader, start: this.leaderStart }, signal);
  }

  #holds(pid: number): TreeMember["holds"] {
    const targets = descriptorTargets(pid);
    if (targets.includes(this.criteria.pipes.stdout)) return "stdout";
    return targets.includes(this.criteria.pipes.stderr) ? "stderr" : "none";
  }
}
