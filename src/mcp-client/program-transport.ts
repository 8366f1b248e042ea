import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Watcher } from "../host/index.js";
import { killTree, ProcessTree, processStart, systemClock, TAG_NAME } from "../host/index.js";
import { messageOf, withTimeout } from "../kernel/index.js";
import { showControls, truncateToTail } from "../text/index.js";
import { MessageLines } from "./message-lines.js";

/** Bytes that may wait for a program that does not read. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** Bytes of its stderr that are kept to report why it ended. */
const STDERR_BYTES = 512;
const GRACE_MS = 2_000;
/** Milliseconds that its pipes are read once it has ended. */
const FINAL_STDERR_MS = 200;

interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Distinguishes the processes of this program from those of all others of the watcher. */
  readonly count: number;
  readonly watcher: Watcher;
}

/**
 * Speaks MCP with a program that it starts, line by line. The program leads a session of its own; its whole tree ends with
 * `close`, with its own end, or, by the watcher, when this process is killed. What it writes is bounded: see MessageLines.
 */
export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  /** Why it ended, as a clause; undefined while it runs and where we ended it. */
  problem: string | undefined;
  readonly #options: ProgramOptions;
  #child: ChildProcessWithoutNullStreams | undefined;
  #tree: ProcessTree | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #hasExited = false;
  #ending: Promise<readonly string[]> | undefined;
  #stderr = "";

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    if (this.#ending !== undefined) return Promise.reject(new Error("it was closed"));
    const { command, args, cwd, env, watcher, count } = this.#options;
    const tag = `${watcher.nonce}.${count}.`;
    watcher.begin();
    const child = spawn(command, args, { cwd, env: { ...env, [TAG_NAME]: tag }, detached: true, stdio: "pipe" });
    return new Promise((resolve, reject) => {
      child.once("error", (error) => {
        this.problem ??= `it could not be started (${messageOf(error)})`;
        reject(new Error(this.problem));
      });
      const { pid } = child;
      if (pid === undefined) return;
      this.#child = child;
      watcher.add(pid, processStart(pid));
      this.#tree = new ProcessTree({
        leader: pid,
        child,
        tag: `${TAG_NAME}=${tag}`,
        pipes: { stdout: "none", stderr: "none" },
        isOfAnother: () => false,
        isLeader: () => false,
      });
      this.#exited = new Promise((ended) => {
        child.once("exit", (code, signal) => {
          this.#hasExited = true;
          ended(undefined);
          void this.#afterStderr(child).then(() => {
            this.problem ??= `it ended with ${signal ?? `status ${code}`}${this.#stderrTail()}`;
            void this.end();
          });
        });
      });
      this.#listen(child);
      resolve();
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#ending !== undefined || !child.stdin.writable)
      return Promise.reject(new Error(this.problem ?? "it has exited"));
    if (child.stdin.writableLength > MAX_WAITING_BYTES) {
      this.#fail("it does not read its stdin");
      return Promise.reject(new Error(this.problem));
    }
    child.stdin.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.end();
  }

  /** Ends the whole tree: TERM, two seconds, KILL. @returns What could not be ended, by number and name. Idempotent. */
  end(): Promise<readonly string[]> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<readonly string[]> {
    const child = this.#child;
    const tree = this.#tree;
    if (child === undefined || tree === undefined) return [];
    child.stdin.end();
    const transport = this;
    const leader = {
      get hasExited() {
        return transport.#hasExited;
      },
      exited: this.#exited,
    };
    const { survivors } = await killTree(tree, leader, GRACE_MS);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    if (survivors.length === 0 && child.pid !== undefined) this.#options.watcher.remove(child.pid);
    this.onclose?.();
    return survivors.map(({ pid, name }) => `${pid} (${name})`);
  }

  #listen({ stdin, stdout, stderr }: ChildProcessWithoutNullStreams): void {
    const lines = new MessageLines();
    stdout.on("data", (chunk: Buffer) => {
      if (this.#ending !== undefined) return;
      try {
        for (const message of lines.take(chunk)) this.onmessage?.(message);
      } catch (error) {
        this.#fail(messageOf(error));
      }
    });
    stderr.on("data", (chunk: Buffer) => {
      this.#stderr = truncateToTail(this.#stderr + chunk.subarray(-STDERR_BYTES).toString("utf8"), STDERR_BYTES).text;
    });
    // A pipe that breaks is reported by the end of the program.
    for (const stream of [stdin, stdout, stderr]) stream.on("error", () => {});
  }

  /** What it wrote before its end may still be in the pipes, an answer among it. Something that it has started may hold them open. */
  #afterStderr({ stdout, stderr }: ChildProcessWithoutNullStreams): Promise<unknown> {
    const closed = [stdout, stderr].map((pipe) => new Promise<void>((resolve) => pipe.once("close", resolve)));
    return withTimeout<unknown>(
      { clock: systemClock, ms: FINAL_STDERR_MS },
      () => Promise.all(closed),
      () => undefined,
    );
  }

  #fail(problem: string): void {
    this.problem ??= problem;
    void this.end();
  }

  #stderrTail(): string {
    const words = this.#stderr.trim();
    return words === "" ? "" : `; it last wrote: ${truncateToTail(showControls(words), STDERR_BYTES).text}`;
  }
}
