/** Noticing what a call leaves running, so that its end can be told. */
import type { Hooks } from "../../kernel/index.js";
import type { EndedAfterKill } from "../../toolkit/index.js";

interface Named {
  readonly pid: number;
  readonly name: string;
}

/** Hooks that collect the survivors which results name, and what to say of them once everything was closed. */
export function survivorWatch(): { readonly hooks: Hooks; report(left: readonly string[]): readonly string[] } {
  const found: Named[] = [];
  return {
    hooks: {
      async aroundRun(_call, run) {
        const result = await run();
        found.push(...survivorsIn(result.data));
        return result;
      },
    },
    report(left) {
      const lines = left.map((one) => `could not end ${one}.`);
      if (found.length === 0) return lines;
      return [`ended what the call left running: ${namesOf(found)}.`, ...lines];
    },
  };
}

/** What became of the commands of a host that was killed, a line each. */
export function endedAfterKill(reports: readonly EndedAfterKill[]): readonly string[] {
  return reports
    .filter((report) => report.processes.length > 0)
    .map(({ processes }) => `an earlier haft was killed; what it had running was ended: ${namesOf(processes)}.`);
}

function namesOf(processes: readonly Named[]): string {
  return processes.map((one) => `${one.name} (process ${one.pid})`).join(", ");
}

function survivorsIn(data: unknown): readonly Named[] {
  const { survivors } = (data ?? {}) as { readonly survivors?: readonly Named[] };
  return Array.isArray(survivors) ? survivors : [];
}
