import { closedBackend, commandProblem, type Lifetime, type ShellOptions } from "../../kernel/index.js";
import { TAG_NAME } from "./command-environment.js";
import { JobTable } from "./job-table.js";
import { newNonce } from "./nonce.js";
import type { PipePool } from "./pipe-pool.js";
import { RunningCommand } from "./running-command.js";
import { startCommand } from "./start-command.js";
import { READ_BYTES } from "./stream-reader.js";
import type { Watcher } from "./watcher.js";

/** A command that still runs then is told to the watcher; telling one costs as much as a tenth of starting it. */
const TELL_AFTER_MS = 25;

const REMEMBERED_LEADERS = 128;

export interface CommandHostOptions {
  /** Closed with the host. */
  readonly pool: PipePool;
  readonly env: Readonly<Record<string, string>>;
  /** Absent: nobody ends what runs when this process is killed. */
  readonly watcher?: Watcher;
}

export interface StartKind {
  readonly stdin: Uint8Array | "open" | "none";
  readonly latestBytes: number;
  readonly readAtOnce: boolean;
  /** Absent for a command that is waited for. */
  readonly lifetime?: Lifetime;
}

/** What all commands of one backend share: their pipes, their tags, the jobs, and the watcher over them. */
export class CommandHost {
  readonly jobs = new JobTable((running) => this.ended(running));
  readonly #options: CommandHostOptions;
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  /** By the number of the leader. */
  readonly #running = new Map<number, RunningCommand>();
  /** Not guessable, so that nobody else's process is taken for ours. */
  readonly #nonce: string;
  /** Numbers of the latest commands, oldest first. */
  readonly #leaders = new Set<number>();
  #count = 0;
  #isClosed = false;

  constructor(options: CommandHostOptions) {
    this.#options = options;
    this.#nonce = options.watcher?.nonce ?? newNonce();
  }

  requireOpen(): void {
    if (this.#isClosed) throw closedBackend("local");
  }

  start(command: string, options: ShellOptions, kind: StartKind): RunningCommand | { readonly problem: string } {
    const problem = commandProblem(command, options);
    if (problem !== undefined) return { problem };
    const { watcher } = this.#options;
    const isKept = kind.lifetime === "keep";
    // The mark at the end keeps the first tag from being the beginning of the tenth.
    const tag = `${isKept ? "keep-" : ""}${this.#nonce}.${++this.#count}.`;
    if (!isKept) watcher?.begin();
    const env = { ...this.#options.env, ...options.env, [TAG_NAME]: tag };
    const started = startCommand({ command, cwd: options.cwd, env, stdin: kind.stdin }, this.#options.pool);
    if ("problem" in started) return started;
    const running = new RunningCommand(started, {
      keep: options.keep,
      onOutput: options.onOutput?.bind(options),
      latestBytes: kind.latestBytes,
      tag: `${TAG_NAME}=${tag}`,
      isOfAnother: (session) => this.#running.has(session),
      isLeader: (pid) => this.#leaders.has(pid),
      buffer: this.#buffer,
      pool: this.#options.pool,
      readAtOnce: kind.readAtOnce,
    });
    this.#running.set(running.pid, running);
    this.#remember(running.pid);
    if (watcher !== undefined && !isKept) this.#tellSoon(running, watcher);
    return running;
  }

  #remember(pid: number): void {
    this.#leaders.delete(pid);
    this.#leaders.add(pid);
    if (this.#leaders.size > REMEMBERED_LEADERS) this.#leaders.delete(this.#leaders.values().next().value!);
  }

  /**
   * Tells the watcher of a command that does not end at once. What is quick needs no telling: its tag begins as all tags of
   * this host do, and that is what the watcher looks for first.
   */
  #tellSoon(running: RunningCommand, watcher: Watcher): void {
    const timer = setTimeout(() => {
      if (this.#running.get(running.pid) === running) watcher.add(running.pid, running.tree.leaderStart);
    }, TELL_AFTER_MS);
    timer.unref();
  }

  /** Nothing of the command is left. */
  ended(running: RunningCommand): void {
    running.closeStreams();
    if (this.#running.get(running.pid) !== running) return;
    this.#running.delete(running.pid);
    this.#options.watcher?.remove(running.pid);
  }

  /** Ends everything but jobs to be kept. @returns What could not be ended, by number and name. */
  async close(graceMs: number): Promise<string[]> {
    this.#isClosed = true;
    const kept = new Set(this.jobs.alive.filter((job) => job.facts.lifetime === "keep").map((job) => job.running));
    const toEnd = [...this.#running.values()].filter((running) => !kept.has(running));
    const left = await Promise.all(
      toEnd.map(async (running) => {
        running.stop("cancelled", graceMs);
        const { survivors } = await running.end(graceMs);
        running.closeStreams();
        return survivors.map(({ pid, name }) => `${pid} (${name})`);
      }),
    );
    this.#options.watcher?.close();
    this.#options.pool.close();
    return left.flat();
  }
}
