import type { Captured, ShellResult } from "./shell.js";

const NOTHING: Captured = Object.freeze({
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
    stdout: NOTHING,
    stderr: NOTHING,
    tree: { state: "gone", survivors: [], endedBy: null },
    ...(problem === undefined ? {} : { problem: problem.replace(/\.$/, "") }),
    startedMs,
    tookMs: 0,
  };
}
