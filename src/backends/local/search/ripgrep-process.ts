import { type ChildProcess, spawn } from "node:child_process";
import { processStart, sendSignal } from "../../../host/index.js";
import type { RipgrepProgram } from "./ripgrep-program.js";

/** Milliseconds after which a run is watched; most are over by then. */
const WATCH_AFTER_MS = 250;

/** Ends the processes that it was reported of when this one is gone. */
export interface ProcessWatch {
  /** Sees to it that it runs. */
  begin(): void;
  /** @param start - When the process started, in ticks. */
  add(pid: number, start: number | undefined): void;
  remove(pid: number): void;
}

export interface RipgrepStart {
  readonly program: RipgrepProgram;
  readonly arguments: readonly string[];
  /** Where it runs; a path through a held directory, so that no swapped one is entered. */
  readonly cwd: string;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** What it writes to its error stream. */
  readonly onError: (chunk: Buffer) => void;
  /** Absent: a run whose host is killed ends when it prints the next time, or is done. */
  readonly watch?: ProcessWatch | undefined;
}

/** Undefined when the system starts no process: too many of them, no descriptor free, or arguments too long. */
export function startRipgrep(start: RipgrepStart): RipgrepProcess | undefined {
  try {
    const ripgrep = new RipgrepProcess(start);
    if (ripgrep.hasStarted) return ripgrep;
    void ripgrep.stop();
    return undefined;
  } catch {
    return undefined;
  }
}

/** One run of ripgrep. It gets no environment and no input. Whoever starts it calls `stop`, however the run went. */
export class RipgrepProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | undefined>;
  readonly #signal: AbortSignal;
  readonly #watch: ProcessWatch | undefined;
  #watchTimer: NodeJS.Timeout | undefined;
  #isStopped = false;
  readonly #kill = (): void => void sendSignal(this.#child, "SIGKILL");

  constructor(start: RipgrepStart) {
    this.#child = spawn(start.program.path, start.arguments, {
      cwd: start.cwd,
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", () => resolve(undefined));
      this.#child.once("close", (code) => resolve(code ?? undefined));
    });
    void this.#ended.then(() => this.#unwatch());
    this.#child.stderr?.on("data", start.onError);
    this.#watch = start.watch;
    if (start.watch !== undefined) this.#watchTimer = setTimeout(() => this.#beWatched(), WATCH_AFTER_MS).unref();
    this.#signal = start.signal;
    if (this.#signal.aborted) this.#kill();
    else this.#signal.addEventListener("abort", this.#kill, { once: true });
  }

  get hasStarted(): boolean {
    return this.#child.pid !== undefined;
  }

  /** What it prints. A reader that is slow holds it up. */
  async *output(): AsyncGenerator<Buffer, void> {
    if (this.#child.stdout === null) return;
    try {
      for await (const chunk of this.#child.stdout) {
        // What it logged before has come as well then, and is handed on first.
        await new Promise(setImmediate);
        yield chunk as Buffer;
      }
    } catch (thrown) {
      // `stop` cuts the stream off, and its reader knows.
      if (!this.#isStopped) throw thrown;
    }
  }

  /** Its exit status once all output and errors have been handed on; undefined when it was killed or never came to run. */
  ended(): Promise<number | undefined> {
    return this.#ended;
  }

  /** Kills it if it still runs and waits until it is gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#signal.removeEventListener("abort", this.#kill);
    this.#kill();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    await this.#ended;
  }

  #beWatched(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    this.#watch?.begin();
    this.#watch?.add(pid, processStart(pid));
  }

  #unwatch(): void {
    clearTimeout(this.#watchTimer);
    if (this.#child.pid !== undefined) this.#watch?.remove(this.#child.pid);
  }
}
