/**
 * The only code that sends signals. `kill` takes 0, -1 and negative numbers for whole groups, up to every process of the
 * user, so a pid that is not certainly one of our processes is refused here.
 */
import type { ChildProcess } from "node:child_process";
import { isDead, processEntry } from "./process-table.js";

/** The target of a signal. `start` is the start time in ticks since boot; a reused pid has a different one. */
export type SignalTarget =
  | ChildProcess
  /** The group led by a child that was started with `detached`. */
  | { readonly groupOf: ChildProcess }
  | { readonly pid: number; readonly start: number }
  /** The group led by the process with this pid. */
  | { readonly group: number; readonly start: number };

/**
 * Sends a signal, and returns whether it was sent. Nothing is sent to a process that has ended, was never started, or is
 * not the one that started at `start`, nor to this process, its group, or a pid that `kill` treats as several processes.
 */
export function sendSignal(target: SignalTarget, signal: NodeJS.Signals): boolean {
  try {
    if ("kill" in target) return isRunningChild(target) && target.kill(signal);
    if ("groupOf" in target) {
      const { pid = 0 } = target.groupOf;
      return isRunningChild(target.groupOf) && !isOwnGroup(pid) && process.kill(-pid, signal);
    }
    if ("group" in target) {
      const { group, start } = target;
      const isLed = isProcess(group, start) && processEntry(group)?.group === group;
      return isLed && !isOwnGroup(group) && process.kill(-group, signal);
    }
    return isProcess(target.pid, target.start) && process.kill(target.pid, signal);
  } catch {
    // It has just ended, or belongs to another user.
    return false;
  }
}

/** Kills the child after `ms`, unless it has ended or the returned function was called. Use this, not spawn's `timeout`. */
export function killAfter(child: ChildProcess, ms: number): () => void {
  const timer = setTimeout(() => sendSignal(child, "SIGKILL"), ms);
  const cancel = () => clearTimeout(timer);
  child.once("error", cancel);
  child.once("exit", cancel);
  return cancel;
}

/** Whether a process with this pid exists, zombies included. Sends nothing. */
export function processExists(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** If spawn failed there is no pid, but Node's handle may contain a random one, which `child.kill` would use. */
function isRunningChild({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return mayBeSignalled(pid) && exitCode === null && signalCode === null;
}

function isProcess(pid: number, start: number): boolean {
  if (!mayBeSignalled(pid)) return false;
  const entry = processEntry(pid);
  return entry !== undefined && !isDead(entry) && entry.start === start;
}

function mayBeSignalled(pid: number | undefined): pid is number {
  return Number.isInteger(pid) && Number(pid) > 1 && pid !== process.pid;
}

function isOwnGroup(group: number): boolean {
  return processEntry(process.pid)?.group === group;
}
