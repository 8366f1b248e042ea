import { type ChildProcess, spawn } from "node:child_process";
import { processStart, sendSignal } from "../../../host/index.js";
import type { RipgrepProgram } from "./ripgrep-program.js";

/** Milliseconds after which a run is watched; most have ended by then. */
const WATCH_AFTER_MS = 250;

/** Ends registered processes when this process has ended. */
export interface ProcessWatch {
  /** Starts it unless it already runs. */
  begin(): void;
  /** @param start - When the process started, in ticks. */
  add(pid: number, start: number | undefined): void;
  remove(pid: number): void;
}

interface RipgrepStart {
  readonly program: RipgrepProgram;
  readonly arguments: readonly string[];
  /** The working directory, as a path through a pinned directory, so that a swapped one is not entered. */
  readonly cwd: string;
  /** Kills it at once. */
  readonly signal: AbortSignal;
  /** Called with what it writes to stderr. */
  readonly onError: (chunk: Buffer) => void;
  /** Absent: if the host is killed, a run ends at its next write or when it is finished. */
  readonly watch?: ProcessWatch | undefined;
}

/** Undefined when the system cannot start a process: too many processes, no free descriptor, or arguments too long. */
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

/** One run of ripgrep, with an empty environment and no stdin. The caller must call `stop` in every case. */
class RipgrepProcess {
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

  /** Its stdout. A slow reader blocks it. */
  async *output(): AsyncGenerator<Buffer, void> {
    if (this.#child.stdout === null) return;
    try {
      for await (const chunk of this.#child.stdout) {
        // Its earlier stderr output has arrived by then and is delivered first.
        await new Promise(setImmediate);
        yield chunk as Buffer;
      }
    } catch (thrown) {
      // `stop` destroys the stream on purpose.
      if (!this.#isStopped) throw thrown;
    }
  }

  /** Its exit status after all stdout and stderr was delivered; undefined when it was killed or did not start. */
  ended(): Promise<number | undefined> {
    return this.#ended;
  }

  /** Kills it if it still runs and waits until it has ended. */
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
