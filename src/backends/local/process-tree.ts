import {
  allProcesses,
  hasEnvironmentEntry,
  isDead,
  newestPid,
  openTargets,
  type ProcessEntry,
  processEntry,
  processStart,
} from "./process-table.js";

/** What the processes of one command are known by. */
export interface TreeMarks {
  /** The first process; it leads a session and a group of its own. */
  readonly leader: number;
  /** "NAME=value" in the environment of all that did not clear it. */
  readonly tag: string;
  /** How `/proc` shows the pipes that the command was given; only its processes hold their write ends. */
  readonly pipes: { readonly stdout: string; readonly stderr: string } | undefined;
}

export interface TreeMember extends ProcessEntry {
  readonly holds: "stdout" | "stderr" | "none";
}

/** The living processes that one command has led to: by session, group, environment, held pipe, and their children. */
export class ProcessTree {
  readonly marks: TreeMarks;
  readonly #leaderStart: number | undefined;

  /** Made while the leader is there, dead or alive. */
  constructor(marks: TreeMarks) {
    this.marks = marks;
    this.#leaderStart = processEntry(marks.leader)?.start;
  }

  /** Whether processes can be looked for at all; else the state of a tree is "unseen". */
  get canSee(): boolean {
    return this.#leaderStart !== undefined;
  }

  /** True when the kernel has started no process since the leader, so that there is nothing to look for. Costs 10 µs. */
  hasNoOffspring(): boolean {
    return this.canSee && newestPid() === this.marks.leader;
  }

  /**
   * Looks through `/proc`: about 10 µs a process of the machine, 25 for those started since. Dead ones that nobody has
   * reaped yet are left out.
   */
  find(): TreeMember[] {
    const since = this.#leaderStart;
    if (since === undefined) return [];
    // A number that was taken anew names another session and group.
    const isOwnNumber = (processEntry(this.marks.leader)?.start ?? since) === since;
    const candidates = allProcesses().filter((one) => one.start >= since && one.pid !== process.pid && !isDead(one));
    const found = new Map<number, TreeMember>();
    for (const one of candidates) {
      const holds = this.#holds(one.pid);
      const isNear = isOwnNumber && (one.session === this.marks.leader || one.group === this.marks.leader);
      if (isNear || holds !== "none" || hasEnvironmentEntry(one.pid, this.marks.tag)) {
        found.set(one.pid, { ...one, holds });
      }
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
      if (processStart(pid) !== start) continue;
      try {
        process.kill(pid, signal);
        sent++;
      } catch {
        // Gone in this moment, or of another user.
      }
    }
    return sent;
  }

  /** The group at once, so that it cannot fork away; only while the leader has not been reaped. */
  signalGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.marks.leader, signal);
    } catch {
      // All have gone.
    }
  }

  #holds(pid: number): TreeMember["holds"] {
    if (this.marks.pipes === undefined) return "none";
    const targets = openTargets(pid);
    if (targets.includes(this.marks.pipes.stdout)) return "stdout";
    return targets.includes(this.marks.pipes.stderr) ? "stderr" : "none";
  }
}
