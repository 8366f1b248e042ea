/** The process that reads a job's output once its host is gone. */
import { spawn } from "node:child_process";
import { closeSync, writeSync } from "node:fs";
import { helperEnvironment, type PipePool, SHELL } from "../../../host/index.js";
import { PUMP_SCRIPT } from "./keeper-scripts.js";

export interface OutputPump {
  /** It leads a session of its own and belongs to no command. */
  readonly pid: number;
  /** The job has ended, and all of its output was taken: it is not needed. */
  dismiss(): void;
  /** Nobody reads here any more: it does from now on. */
  takeOver(): void;
}

/**
 * Starts a pump that waits for its turn.
 *
 * @param readers - A read end of each stream, blocking; closed here.
 * @param prefixes - What the names of the files of either stream begin with.
 * @returns Undefined where no process or pipe is to be had.
 */
export function startOutputPump(
  pool: PipePool,
  readers: { readonly out: number; readonly err: number },
  prefixes: { readonly stdout: string; readonly stderr: string },
): OutputPump | undefined {
  const control = pool.take();
  let input: number | undefined;
  let end: number | undefined;
  try {
    input = control?.openWriteEnd("non-blocking");
    end = control?.openReadEnd();
    if (input === undefined || end === undefined) return undefined;
    const child = spawn(SHELL, ["-c", PUMP_SCRIPT, "haft-pump", prefixes.stdout, prefixes.stderr], {
      detached: true,
      cwd: "/",
      env: helperEnvironment(),
      stdio: [end, "ignore", "ignore", readers.out, readers.err],
    });
    child.on("error", () => {});
    child.unref();
    if (child.pid === undefined) return undefined;
    const pump = { pid: child.pid, ...controlOf(input) };
    input = undefined;
    return pump;
  } catch {
    return undefined;
  } finally {
    for (const one of [control?.readEnd, input, end, readers.out, readers.err]) if (one !== undefined) closeSync(one);
  }
}

function controlOf(input: number): Pick<OutputPump, "dismiss" | "takeOver"> {
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(input);
    isOpen = false;
  };
  return {
    dismiss() {
      try {
        if (isOpen) writeSync(input, "ended\n");
      } catch {
        // It has gone already.
      }
      close();
    },
    takeOver: close,
  };
}
