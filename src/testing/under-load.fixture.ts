import { availableParallelism, loadavg } from "node:os";

/** A limit as it is on an idle machine, longer by as much as more wants to run than there are processors. */
export function underLoad(limitMs: number): number {
  return limitMs * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}
