/** Detects that the reader of stdout is gone while nothing is written that would fail with EPIPE. */
import { type ChildProcess, spawn } from "node:child_process";
import { fstatSync } from "node:fs";
import { sendSignal, systemProgram } from "../../../../host/index.js";

/** Short calls are not watched. */
const WATCH_AFTER_MS = 500;

/**
 * Calls `onClosed` once the reader of the pipe on stdout is gone. Node.js cannot poll a write-only descriptor, but GNU tail does:
 * it ends by SIGPIPE. Another `tail` ends with an error, and nothing is detected. The returned function stops the watch.
 */
export function watchStdout(onClosed: () => void): () => void {
  if (!fstatSync(1).isFIFO()) return () => {};
  let stop = (): void => {};
  const timer = setTimeout(() => {
    const args = ["-f", `--pid=${process.pid}`, "/dev/null"];
    const program = systemProgram("tail");
    if (program === undefined) return;
    let tail: ChildProcess;
    try {
      tail = spawn(program, args, { stdio: ["ignore", 1, "ignore"] });
    } catch {
      return; // no process could be started, so nothing is watched
    }
    tail.on("error", () => {});
    tail.on("exit", (_, signal) => {
      if (signal === "SIGPIPE") onClosed();
    });
    tail.unref();
    stop = () => void sendSignal(tail, "SIGKILL");
  }, WATCH_AFTER_MS).unref();
  return () => {
    clearTimeout(timer);
    stop();
  };
}
