import type { ChildProcess } from "node:child_process";
import {
  allProcesses,
  hasEnvironmentEntry,
  isDead,
  newestPid,
  openTargets,
  type ProcessEntry,
  processEntry,
  processesSince,
} from "./process-table.js";
import { sendSignal } from "./signal.js";

/** What the processes of one command are known by. */
export interface TreeCriteria {
  /** The first process; it leads a session and a group of its own. */
  readonly leader: number;
  /** The leader as we started it; absent for one of an earlier host. */
  readonly child?: ChildProcess;
  /** When the leader started, in ticks since boot; absent while it is sure to be there. */
  readonly leaderStart?: number;
  /** "NAME=value" in the environment of all that did not clear it. */
  readonly tag: string;
  /** How `/proc/PID/fd` shows the streams that the command was given; only its processes hold them. */
  readonly pipes: { readonly stdout: string; readonly stderr: string };
  /** Whether another command of this host leads the session: then none of its processes is of this tree. */
  isOfAnother(session: number): boolean;
  /** Whether the number was that of a command of this host a moment ago. */
  isLeader(pid: number): boolean;
}

export interface TreeMember extends ProcessEntry {
  readonly holds: "stdout" | "stderr" | "none";
}

/** Numbers since the leader's that are compared with those of other commands before `/proc` is looked through. */
const MAX_COMPARED = 64;
/** While a command is younger, no machine has begun so many processes since that their numbers came round. */
const YOUNG_MS = 2_000;

/** The living processes that one command has led to: by session, group, environment, held pipe, and their children. */
export class ProcessTree {
  readonly criteria: TreeCriteria;
  #leaderStart: number | undefined;
  readonly #began: number;

  /** Made while the leader is there, dead or alive, unless its start is given. */
  constructor(criteria: TreeCriteria) {
    this.criteria = criteria;
    this.#leaderStart = criteria.leaderStart ?? processEntry(criteria.leader)?.start;
    this.#began = criteria.leaderStart === undefined ? performance.now() : Number.NEGATIVE_INFINITY;
  }

  /** In ticks since boot; undefined where processes cannot be looked for, as without `/proc` or a free descriptor. */
  get leaderStart(): number | undefined {
    const { child, leader } = this.criteria;
    // While the child has not been reaped its number is its own.
    if (this.#leaderStart === undefined && child?.exitCode === null && child.signalCode === null)
      this.#leaderStart = processEntry(leader)?.start;
    return this.#leaderStart;
  }

  /** Whether processes can be looked for at all; else the state of a tree is "unseen". */
  get canSee(): boolean {
    return this.leaderStart !== undefined;
  }

  /**
   * True when the kernel has started no process since the leader but commands of this host, so that there is nothing to look
   * for. Costs 10 µs.
   */
  hasNoChildren(): boolean {
    const newest = newestPid();
    const { leader } = this.criteria;
    if (!this.canSee || newest === undefined || newest < leader || newest - leader > MAX_COMPARED) return false;
    for (let pid = leader + 1; pid <= newest; pid++) if (!this.criteria.isLeader(pid)) return false;
    return true;
  }

  /**
   * Looks through `/proc`: about 10 µs a process, 40 for those started since the leader; for a young command the others are
   * not looked at. Dead ones that nobody has reaped yet are left out.
   * @param pipesAreHeld - False when both pipes are at their end, so that nobody holds one.
   */
  find(pipesAreHeld = true): TreeMember[] {
    const since = this.leaderStart;
    if (since === undefined) return [];
    const { leader } = this.criteria;
    // A number that was taken anew names another session and group.
    const isOwnNumber = (processEntry(leader)?.start ?? since) === since;
    const isYoung = performance.now() - this.#began < YOUNG_MS;
    const candidates = (isYoung ? processesSince(leader) : allProcesses()).filter(
      (one) => one.start >= since && one.pid !== process.pid && !isDead(one) && !this.criteria.isOfAnother(one.session),
    );
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

  /** Sends a signal to each, if it is still the process that was found. Returns how many took it. */
  signal(members: readonly TreeMember[], signal: NodeJS.Signals): number {
    let sent = 0;
    for (const { pid, start } of members) {
      if (sendSignal({ pid, start }, signal)) sent++;
    }
    return sent;
  }

  /** The group at once, so that it cannot fork away; only while the leader has not been reaped. */
  signalGroup(signal: NodeJS.Signals): void {
    const { child, leader } = this.criteria;
    if (child !== undefined) sendSignal({ groupOf: child }, signal);
    else if (this.leaderStart !== undefined) sendSignal({ group: leader, start: this.leaderStart }, signal);
  }

  #holds(pid: number): TreeMember["holds"] {
    const targets = openTargets(pid);
    if (targets.includes(this.criteria.pipes.stdout)) return "stdout";
    return targets.includes(this.criteria.pipes.stderr) ? "stderr" : "none";
  }
}
