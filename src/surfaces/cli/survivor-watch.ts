/** Noticing what a call leaves running, so that its end can be told. */
import type { Hooks } from "../../kernel/index.js";

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
      const names = found.map((one) => `${one.name} (process ${one.pid})`).join(", ");
      return [`ended what the call left running: ${names}.`, ...lines];
    },
  };
}

function survivorsIn(data: unknown): readonly Named[] {
  const { survivors } = (data ?? {}) as { readonly survivors?: readonly Named[] };
  return Array.isArray(survivors) ? survivors : [];
}
