/** A byte pipe to a shell at the far end, and the way to one: a program that is started here and talks on its streams. */
import { type ChildProcess, spawn } from "node:child_process";
import { sendSignal } from "../../../host/index.js";
import { HaftError, messageOf } from "../../../kernel/index.js";

/** Both listeners are set once, before anything else is called. */
export interface Channel {
  /** Never blocks and never throws; what cannot be sent any more is dropped, and the end is told. */
  write(bytes: Uint8Array | string): void;
  onBytes(listener: (bytes: Uint8Array) => void): void;
  /** Told once, with words for a person about why. */
  onEnd(listener: (why: string) => void): void;
  /** End of file for the far side. */
  end(): void;
  /** Ends this side at once. */
  destroy(): void;
}

export type OpenChannel = () => Promise<Channel>;

export interface ProcessChannelOptions {
  readonly cwd?: string;
  /** All of the program's environment. Absent: this process's. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Rejects a request whose channel ended before it was answered. Not visible outside of this backend. */
export class ChannelLost extends Error {
  /** Whether the request was sent. If not, it can safely be sent again. */
  readonly wasSent: boolean;

  constructor(why: string, wasSent: boolean) {
    super(why);
    this.wasSent = wasSent;
  }
}

/** Milliseconds that the last output of a program that has ended is waited for. */
const FINAL_STDERR_MS = 100;
/** Milliseconds that a program may take to end after its channel was closed here. */
const HANGING_MS = 5_000;
/** Last words of a program that are kept for the message about its end. */
const MAX_STDERR_BYTES = 2_048;

/**
 * Opens channels by starting a program, each time anew: a shell, or a client that leads to one.
 * The program gets a session of its own, so that a signal from this terminal does not reach it.
 */
export function processChannel(argv: readonly string[], options: ProcessChannelOptions = {}): OpenChannel {
  const [program, ...args] = argv;
  if (program === undefined) throw new HaftError("CONFIG_INVALID", "Cannot open a channel: the command is empty.");
  return () =>
    new Promise<Channel>((resolve, reject) => {
      const child = spawn(program, args, {
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        ...(options.env === undefined ? {} : { env: options.env }),
      });
      child.once("error", (error) => reject(unavailable(program, messageOf(error))));
      child.once("spawn", () => resolve(new ProcessChannel(child)));
    });
}

function unavailable(program: string, why: string): HaftError {
  return new HaftError("BACKEND_UNAVAILABLE", `Did not start "${program}": ${why}. Check that it is installed.`, {
    details: { backend: program },
  });
}

class ProcessChannel implements Channel {
  readonly #child: ChildProcess;
  #stderr = "";
  #ended: string | undefined;
  #onEnd: ((why: string) => void) | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    // A failed write is told by the end of the program; as an event without a listener it would end this process.
    child.stdin?.on("error", () => {});
    child.stdout?.on("error", () => {});
    child.on("error", () => {});
    child.stderr?.on("data", (bytes: Buffer) => {
      this.#stderr = (this.#stderr + bytes.toString("utf8")).slice(-MAX_STDERR_BYTES);
    });
    // What it wrote last may come after the news of its end; something that it left behind may hold its output open.
    child.once("exit", (code, signal) => {
      const how = code === null ? `it ended by ${signal}` : `it ended with status ${code}`;
      setTimeout(() => this.#finish(how), FINAL_STDERR_MS);
    });
    child.once("close", (code, signal) =>
      this.#finish(code === null ? `it ended by ${signal}` : `it ended with status ${code}`),
    );
  }

  write(bytes: Uint8Array | string): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(bytes);
  }

  onBytes(listener: (bytes: Uint8Array) => void): void {
    this.#child.stdout?.on("data", listener);
  }

  onEnd(listener: (why: string) => void): void {
    this.#onEnd = listener;
    if (this.#ended !== undefined) listener(this.#ended);
  }

  end(): void {
    this.#child.stdin?.end();
  }

  destroy(): void {
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    // It sees its end of file and finishes what it is at; one that hangs is not waited for.
    const timer = setTimeout(() => {
      // The program leads a group of its own: what it started goes with it.
      sendSignal({ groupOf: this.#child }, "SIGKILL");
    }, HANGING_MS);
    timer.unref();
    this.#child.once("exit", () => clearTimeout(timer));
    this.#child.unref();
    this.#finish("it was closed here");
  }

  #finish(how: string): void {
    if (this.#ended !== undefined) return;
    const words = this.#stderr.trim();
    this.#ended = words === "" ? how : `${how}: ${words}`;
    this.#onEnd?.(this.#ended);
  }
}
