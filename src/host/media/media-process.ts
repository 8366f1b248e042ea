/** Reads one image or document in a process of its own, so that a hostile file can only break that process. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { HaftError, messageOf } from "../../kernel/index.js";
import { sendSignal } from "../process/signal.js";
import { MEDIA_SCRIPT } from "./media-script.js";

/** Bytes of memory that the process may take, its JavaScript heap half of it. */
export const MAX_MEMORY_BYTES = 1024 * 1024 * 1024;
const MAX_HEAP_MIB = MAX_MEMORY_BYTES / 2 / 1024 / 1024;
/** How often it checks its memory, and whether its host still runs. */
const POLL_INTERVAL_MS = 50;

/** The job, as the script reads it. */
export type MediaTask =
  | {
      readonly kind: "image";
      readonly maxWidth: number;
      readonly maxHeight: number;
      readonly maxBytes: number;
      readonly maxPixels: number;
    }
  | { readonly kind: "pdf"; readonly first: number };

export interface MediaJob {
  readonly task: MediaTask;
  /** Absolute path of the package to use. */
  readonly packagePath: string;
  readonly bytes: Uint8Array;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Receives the output in chunks; returns false to stop. */
  take(chunk: Buffer): boolean;
}

/** done: the output is complete. memory: it exceeded its limit and was killed. */
export type MediaEnd = "done" | "enough" | "time" | "memory" | "crashed";

/**
 * Runs the job; the process has ended when the promise settles. Its environment is empty.
 *
 * @throws `CALL_CANCELLED`, `SHELL_SPAWN` if no process can be started.
 */
export async function runMediaProcess(job: MediaJob): Promise<MediaEnd> {
  const { signal } = job;
  if (signal?.aborted === true) throw cancelled(signal);
  const child = start(job);
  let ended: MediaEnd | "cancelled" | undefined;
  const [, , , answer] = pipesOf(child);
  const stop = (why: typeof ended) => {
    ended ??= why;
    sendSignal(child, "SIGKILL");
    // A process started by a hostile file could keep the pipe open.
    answer?.destroy();
  };
  const onAbort = () => stop("cancelled");
  const timer = setTimeout(() => stop("time"), job.timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    answer?.on("data", (chunk: Buffer) => {
      if (ended === undefined && !job.take(chunk)) stop("enough");
    });
    for (const stream of [answer, child.stdin]) stream?.on("error", () => {});
    child.stdin?.end(job.bytes);
    const own = await exitOf(child);
    if (ended === "cancelled") throw cancelled(signal);
    return ended ?? own;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Absent when the system had no descriptors left; the child's error reports that. */
function pipesOf(child: ChildProcess): readonly (Readable | undefined)[] {
  return ((child.stdio as ChildProcess["stdio"] | undefined) ?? []) as readonly (Readable | undefined)[];
}

/** The reason of the signal, if it is one of our errors. */
export function cancelled(signal: AbortSignal | undefined): HaftError {
  const reason: unknown = signal?.reason;
  return HaftError.is(reason) ? reason : new HaftError("CALL_CANCELLED", "Did not read the file: it was cancelled.");
}

function start({ task, packagePath }: MediaJob): ChildProcess {
  const module = pathToFileURL(packagePath).href;
  const facts = { ...task, module, host: process.pid, maxMemoryBytes: MAX_MEMORY_BYTES, lookMs: POLL_INTERVAL_MS };
  const options = [`--max-old-space-size=${MAX_HEAP_MIB}`, "--no-warnings", "--input-type=module"];
  return spawn(process.execPath, [...options, "--eval", MEDIA_SCRIPT, JSON.stringify(facts)], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "ignore", "ignore", "pipe"],
  });
}

/** How it ended by itself. A full heap ends it with ABRT; its own memory check or the system's with KILL. */
function exitOf(child: ChildProcess): Promise<MediaEnd> {
  return new Promise((resolve, reject) => {
    child.once("error", (thrown) => {
      const system = messageOf(thrown);
      reject(
        new HaftError("SHELL_SPAWN", `Did not start the process that reads the file: ${system}.`, {
          details: { system },
        }),
      );
    });
    child.once("close", (code, signal) => {
      if (code === 0) resolve("done");
      else resolve(signal === "SIGKILL" || signal === "SIGABRT" ? "memory" : "crashed");
    });
  });
}
