import type { Captured, ShellResult, TreeState } from "./shell.js";

/** The state of a tree of which nothing is left. */
export const TREE_GONE: TreeState = Object.freeze({ state: "gone", survivors: Object.freeze([]), endedBy: null });

/** The state of a tree that could not be looked at. */
export const TREE_UNSEEN: TreeState = Object.freeze({ state: "unseen", survivors: Object.freeze([]), endedBy: null });

/** A stream that nothing was printed to. */
export const NO_BYTES: Captured = Object.freeze({
  head: new Uint8Array(),
  tail: new Uint8Array(),
  produced: 0,
  dropped: 0,
  final: true,
});

/** The result of a command that never started: safe to send again. `problem` says why, as a clause without its full stop. */
export function unbegunResult(startedMs: number, ended: ShellResult["ended"], problem?: string): ShellResult {
  return {
    began: "no",
    exit: { by: "none" },
    ended,
    stdout: NO_BYTES,
    stderr: NO_BYTES,
    tree: TREE_GONE,
    ...(problem === undefined ? {} : { problem: problem.replace(/\.$/, "") }),
    startedMs,
    tookMs: 0,
  };
}
