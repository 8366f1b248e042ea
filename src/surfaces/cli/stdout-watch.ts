/** Notices that nobody reads stdout any more, while there is nothing to write that would fail with EPIPE. */
import { type ChildProcess, spawn } from "node:child_process";
import { fstatSync } from "node:fs";
import { sendSignal } from "../../host/index.js";

/** Milliseconds before the watch begins: short calls do without. */
const WATCH_AFTER_MS = 500;

/**
 * Calls `onClosed` once the reader of the pipe on stdout is gone. Node.js cannot poll a descriptor that it only writes to, and
 * GNU tail does: it ends by SIGPIPE. Where `tail` is another one, it ends with an error and nothing is noticed. The result
 * ends the watch.
 */
export function watchStdout(onClosed: () => void): () => void {
  if (!fstatSync(1).isFIFO()) return () => {};
  let stop = (): void => {};
  const timer = setTimeout(() => {
    const args = ["-f", `--pid=${process.pid}`, "/dev/null"];
    let tail: ChildProcess;
    try {
      tail = spawn("tail", args, { stdio: ["ignore", 1, "ignore"] });
    } catch {
      return; // the machine has no room for another process: nothing is noticed
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
