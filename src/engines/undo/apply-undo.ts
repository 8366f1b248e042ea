import type { Fs } from "../../kernel/index.js";
import type { UndoStep } from "./plan-undo.js";

/** Makes the steps in their order. Each is refused where its file is not as it was planned; earlier steps then stay made. */
export async function applyUndo(steps: readonly UndoStep[], fs: Fs): Promise<void> {
  for (const step of steps) {
    const { path } = step;
    switch (step.kind) {
      case "write": {
        const expect = step.over === undefined ? "absent" : { sha256: step.over };
        await fs.replaceAtomic(path, await step.bytes(), expect, step.mode === undefined ? {} : { mode: step.mode });
        break;
      }
      case "mkdir":
        await fs.mkdir(path, false);
        break;
      case "remove":
      case "rmdir":
        await fs.rm(path, { recursive: false, ignoreMissing: false });
        break;
      case "rename":
        await fs.rename(step.from, path, { replace: false });
        break;
      default:
        step satisfies never;
    }
  }
}
