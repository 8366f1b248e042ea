/** Parses the remote side's reports on commands. */
import type { Captured, ShellExit, Survivor, TreeState } from "../../../kernel/index.js";
import { exitOfStatus } from "../../exit-status.js";
import type { Frame } from "../channel/frames.js";

/**
 * Milliseconds after the exit that the remote side may take to copy the rest of the output to disk; a stream that is open
 * longer is held by a process that cannot be seen. Where no process can be seen, the second value.
 */
const COPY_MS = 10_000;
const UNSEEN_COPY_MS = 2_000;

/** Milliseconds without a process and without an exit status after which a command counts as lost. */
export const LOST_AFTER_MS = 3_000;

export interface KeepBytes {
  readonly head: number;
  readonly tail: number;
}

/** A parsed report; the remote side writes it in `hf_report`. */
export interface CommandReport {
  readonly exit: ShellExit;
  readonly stdout: Captured;
  readonly stderr: Captured;
  /** `endedBy` is null. */
  readonly tree: TreeState;
}

export function readReport(frame: Frame, keep: KeepBytes): CommandReport {
  const [, , status = "", polled, ...counts] = frame.words;
  const [oTotal, oFirst, oLast, oEnded, eTotal, eFirst, eLast, eEnded, names] = counts.map(Number) as number[];
  const out = (oFirst ?? 0) + (oLast ?? 0);
  const err = out + (eFirst ?? 0) + (eLast ?? 0);
  const { bytes } = frame;
  return {
    exit: status === "" ? { by: "none" } : exitOfStatus(Number(status)),
    stdout: captured(bytes.subarray(0, out), oTotal ?? 0, oFirst ?? 0, oEnded === 1, keep),
    stderr: captured(bytes.subarray(out, err), eTotal ?? 0, eFirst ?? 0, eEnded === 1, keep),
    tree: readTree(bytes.subarray(err, err + (names ?? 0)), polled === "yes"),
  };
}

/** Whether no process of the command is left, but its output has not ended. @param exitedAt - As `performance.now()`. */
export function isCopying({ stdout, stderr, tree }: CommandReport, exitedAt: number): boolean {
  if (tree.state === "alive" || (stdout.final && stderr.final)) return false;
  return performance.now() - exitedAt < (tree.state === "gone" ? COPY_MS : UNSEEN_COPY_MS);
}

/** Since when a command has had no process, as `performance.now()`; undefined if it may have one. @param before - What this was before. */
export function goneSince({ tree }: CommandReport, before: number | undefined): number | undefined {
  return tree.state === "gone" ? (before ?? performance.now()) : undefined;
}

/** Whether a command without an exit status has had no process for so long that none will be recorded. */
export function isLost(goneAt: number | undefined): boolean {
  return goneAt !== undefined && performance.now() - goneAt >= LOST_AFTER_MS;
}

/** Parses the response to "end": "BY,SCANNED,SIZE" and the names of the processes that are left. */
export function readEnding(frame: Frame): TreeState {
  const [, , by, polled] = frame.words;
  const endedBy = by === "TERM" || by === "KILL" ? by : null;
  return { ...readTree(frame.bytes, polled === "yes"), endedBy };
}

/** Parses lines "PID HOLDS NAME". */
export function readTree(names: Uint8Array, wasLooked: boolean): TreeState {
  const survivors = new TextDecoder()
    .decode(names)
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Survivor => {
      const [pid = "0", holds = "none", ...name] = line.split(" ");
      return { pid: Number(pid), name: name.join(" "), holds: holds as Survivor["holds"] };
    });
  const state = survivors.length > 0 ? "alive" : wasLooked ? "gone" : "unseen";
  return { state, survivors, endedBy: null };
}

function captured(kept: Uint8Array, produced: number, first: number, final: boolean, keep: KeepBytes): Captured {
  const cut = produced > kept.length ? first : Math.min(kept.length, keep.head);
  return { head: kept.slice(0, cut), tail: kept.slice(cut), produced, omittedBytes: produced - kept.length, final };
}
