import { graceOf, type Survivor, TREE_GONE, TREE_UNSEEN, type TreeState } from "../../kernel/index.js";
import type { ProcessTree, TreeMember } from "./process-tree.js";

/** After KILL a process ends at once unless it hangs in the kernel; then it is reported as alive. */
const KILL_WAIT_MS = 1_000;
const INITIAL_POLL_MS = 2;
const MAX_POLL_MS = 100;

/** The leader as its parent sees it. */
export interface Leader {
  readonly hasExited: boolean;
  /** Resolves when it exits. */
  readonly exited: Promise<unknown>;
}

/**
 * Ends a whole tree: TERM, `graceMs`, KILL, or KILL alone where `graceMs` is 0; each to the leader's group and to every other
 * process found. Searches again after each step, because processes may have forked meanwhile. Resolves once none is left, at
 * the latest after `graceMs` and one second.
 */
export async function killTree(tree: ProcessTree, leader: Leader, graceMs: number): Promise<TreeState> {
  const grace = graceOf(graceMs);
  if (!tree.canSee) return killUntracked(tree, leader, grace);
  let left = grace === 0 ? tree.find() : send(tree, leader, "SIGTERM");
  // A launched command that has not begun is ended with what would start it.
  const isPending = left.length === 0 && tree.findAll().length > 0;
  if (left.length === 0 && !isPending) return TREE_GONE;
  if (grace > 0 && !isPending) {
    left = await waitGone(tree, leader, grace, () => {});
    if (left.length === 0) return { ...TREE_GONE, endedBy: "TERM" };
  }
  left = await waitGone(tree, leader, KILL_WAIT_MS, () => send(tree, leader, "SIGKILL"));
  return { state: left.length === 0 ? "gone" : "alive", survivors: survivorsOf(left), endedBy: "KILL" };
}

/** Members as a result lists them. */
export function survivorsOf(members: readonly TreeMember[]): Survivor[] {
  return members.map(({ pid, name, holds }) => ({ pid, name, holds }));
}

export function send(tree: ProcessTree, leader: Leader, signal: NodeJS.Signals): TreeMember[] {
  const isLaunched = tree.criteria.isLaunched === true;
  const members = isLaunched && signal === "SIGKILL" ? tree.findAll() : tree.find();
  const isByGroup = !leader.hasExited && !(isLaunched && signal !== "SIGKILL");
  if (isByGroup) tree.signalGroup(signal);
  const others = isByGroup ? members.filter((one) => one.group !== tree.criteria.leader) : members;
  tree.signal(others, signal);
  // A stopped process handles TERM only after it is continued.
  if (signal === "SIGTERM") {
    tree.signal(
      members.filter((one) => one.state === "T"),
      "SIGCONT",
    );
  }
  return members;
}

async function waitGone(
  tree: ProcessTree,
  leader: Leader,
  limitMs: number,
  beforePoll: () => void,
): Promise<TreeMember[]> {
  const end = performance.now() + limitMs;
  for (let pauseMs = INITIAL_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_POLL_MS)) {
    beforePoll();
    const leftMs = end - performance.now();
    await pause(Math.max(1, Math.min(pauseMs, leftMs)), leader);
    const members = tree.find();
    if (members.length === 0 && leader.hasExited) return members;
    if (performance.now() >= end) return members;
  }
}

/** Without `/proc` only the group can be signalled, and its state is unknown. */
async function killUntracked(tree: ProcessTree, leader: Leader, graceMs: number): Promise<TreeState> {
  if (graceMs > 0) {
    tree.signalGroup("SIGTERM");
    await pause(graceMs, leader);
  }
  const endedBy = leader.hasExited ? "TERM" : "KILL";
  tree.signalGroup("SIGKILL");
  await pause(KILL_WAIT_MS, leader);
  return { ...TREE_UNSEEN, endedBy };
}

/** Waits for the delay, or until the leader exits. */
function pause(ms: number, leader: Leader): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (leader.hasExited) return;
    leader.exited.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
