/** A workspace with a state that has schedules, and toolkits on it. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { ScheduleRun, State } from "../../kernel/index.js";
import { sqliteDriver, sqliteState } from "../../stores/sqlite/index.js";
import { createToolkit } from "../create-toolkit.js";
import type { ToolkitOptions } from "../toolkit-options.js";

export interface ScheduleBench {
  readonly workspace: string;
  readonly state: State;
  /** Milliseconds that the clock of the store is ahead. */
  clock: { aheadMs: number };
  toolkit(options?: ToolkitOptions): ReturnType<typeof createToolkit>;
  /** Calls a tool in a session of its own. */
  call(
    name: string,
    input: object,
    options?: ToolkitOptions,
  ): Promise<{ readonly text: string; readonly code?: string; readonly data: unknown }>;
  /** Waits until the runs are as asked. */
  runs(isDone: (runs: readonly ScheduleRun[]) => boolean): Promise<readonly ScheduleRun[]>;
  /** The lines of a file in the workspace. */
  lines(name: string): readonly string[];
}

export function scheduleBench(): ScheduleBench {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-schedule-")));
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const state = sqliteState({ driver: sqliteDriver()!, path: join(base, "state.db"), now });
  const schedules = state.schedules!;
  const open = (options: ToolkitOptions = {}) =>
    createToolkit({ workspace: base, persist: false, state, autonomy: "full", ...options });
  onTestFinished(async () => {
    await state.close();
    rmSync(base, { recursive: true, force: true });
  });
  return {
    workspace: base,
    state,
    clock,
    async toolkit(options) {
      const toolkit = await open(options);
      onTestFinished(() => toolkit.close().then(() => {}));
      return toolkit;
    },
    async call(name, input, options) {
      const toolkit = await open(options);
      try {
        const { output, code, data } = await toolkit.box().runner.run({ id: "c", name, input });
        return { text: String(output), ...(code === undefined ? {} : { code }), data };
      } finally {
        await toolkit.close();
      }
    },
    async runs(isDone) {
      for (;;) {
        const runs = await schedules.runs({ limit: 1_000 });
        if (isDone(runs)) return runs;
        await pause(20);
      }
    },
    lines: (name) =>
      existsSync(join(base, name)) ? readFileSync(join(base, name), "utf8").split("\n").filter(Boolean) : [],
  };
}
