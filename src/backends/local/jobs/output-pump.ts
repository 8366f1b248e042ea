/** The process that reads a job's output once its host is gone. */
import { spawn } from "node:child_process";
import { closeSync, writeSync } from "node:fs";
import { helperEnvironment, type PipePool, SHELL } from "../../../host/index.js";
import { PUMP_SCRIPT } from "./keeper-scripts.js";

export interface OutputPump {
  /** Leads its own session; not part of any command. */
  readonly pid: number;
  /** Exits: the job has ended and all of its output was read. */
  dismiss(): void;
  /** Starts reading: this process has stopped. */
  takeOver(): void;
}

/**
 * Starts a pump that waits until the host is gone.
 *
 * @param readers - A read end of each stream, blocking; closed here.
 * @param prefixes - The path prefixes of the files of both streams.
 * @returns Undefined if no process or pipe could be created.
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
        // It has already exited.
      }
      close();
    },
    takeOver: close,
  };
}
