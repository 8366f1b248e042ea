/** How long a tool has. */
import type { CallRun } from "./call-run.js";
import { MAX_TIMER_MS } from "./port-defaults.js";
import type { Clock } from "./services.js";

/** A time of that clock for measuring, which does not jump when the time of the machine is set. */
export function elapsedMs(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now();
}

/** Milliseconds a tool has unless it says otherwise. */
export const DEFAULT_DEADLINE_MS = 30_000;

/**
 * Milliseconds that a tool has to settle after its signal fired; a shell's TERM, 3 s, KILL fit inside. A host's part that is
 * waited for after the run has as long.
 */
export const ABANDON_AFTER_MS = 6_000;

/** The tool's own deadline; the default where it gives no positive number, since a call without a deadline need not settle. */
export function deadlineOf(run: Pick<CallRun, "tool" | "input" | "limits">): number {
  const statedMs = run.tool.body.deadlineMs(run.input, run.limits);
  return statedMs > 0 ? Math.min(statedMs, MAX_TIMER_MS) : DEFAULT_DEADLINE_MS;
}
