/** Runs conformance plans with vitest; see `src/testing/index.ts`. */
import { afterAll, describe, it } from "vitest";
import type { Clock } from "../kernel/index.js";
import { cannotTable, type Plan, type RunnableCase, runnable, type Suite } from "./index.js";

/**
 * Registers every case of the suites as a test; `cannot` cases are skipped with their reason and printed as a table.
 *
 * @param runs - Selects cases, if another plan tests the same code completely. Default: all.
 */
export function conform<F extends { dispose(): Promise<void> }>(
  plan: Plan<F>,
  suites: readonly Suite<F>[],
  runs: (one: RunnableCase, index: number) => boolean = () => true,
): void {
  describe(plan.name, () => {
    for (const one of runnable(plan, suites).filter(runs)) {
      const title = `${one.id}: ${one.behavior}`;
      if (one.kind === "cannot") it.skip(`${title} (cannot: ${one.reason})`, () => {});
      else it(one.kind === "run" ? title : `${title} (known failure: ${one.reason})`, () => one.run());
    }
    afterAll(() => {
      if (Object.keys(plan.cannot).length > 0) console.log(`What "${plan.name}" cannot do:\n\n${cannotTable([plan])}`);
    });
  });
}

/** The machine's clock, for fixtures of real backends. */
export const realClock: Clock = {
  now: () => Date.now(),
  timer(ms, done) {
    const timer = setTimeout(done, ms);
    return () => clearTimeout(timer);
  },
};
