import { availableParallelism, loadavg } from "node:os";

/** A time limit of an idle machine, extended by the load of this one. */
export function underLoad(limitMs: number): number {
  return limitMs * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}
