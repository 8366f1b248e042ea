/** Toolkits on one state that has memories. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { State, ToolOutcome } from "../kernel/index.js";
import { sqliteDriver } from "../stores/sqlite/sqlite-driver.js";
import { sqliteState } from "../stores/sqlite/sqlite-state.js";
import { createToolkit } from "./create-toolkit.js";
import type { ToolkitOptions } from "./toolkit-options.js";

export interface MemoryBench {
  readonly workspace: string;
  readonly state: State;
  /** Milliseconds that the clock of the store is ahead. */
  readonly clock: { aheadMs: number };
  toolkit(options?: ToolkitOptions): ReturnType<typeof createToolkit>;
  /** Calls a tool in a session of its own. */
  call(name: string, input: object, options?: ToolkitOptions): Promise<ToolOutcome & { readonly text: string }>;
}

export function memoryToolsBench(): MemoryBench {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "haft-memory-")));
  const clock = { aheadMs: 0 };
  const state = sqliteState({
    driver: sqliteDriver()!,
    path: join(workspace, "state.db"),
    now: () => Date.now() + clock.aheadMs,
  });
  onTestFinished(async () => {
    await state.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  const toolkit = async (options: ToolkitOptions = {}) => {
    const opened = await createToolkit({ workspace, persist: false, state, autonomy: "full", ...options });
    onTestFinished(() => opened.close().then(() => {}));
    return opened;
  };
  let calls = 0;
  return {
    workspace,
    state,
    clock,
    toolkit,
    async call(name, input, options) {
      const opened = await toolkit(options);
      const outcome = await opened.box().runner.run({ id: `call-${++calls}`, name, input });
      const text = outcome.content.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
      return { ...outcome, text };
    },
  };
}
