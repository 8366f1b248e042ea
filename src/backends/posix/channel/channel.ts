/** A byte pipe to a remote shell, and channels over the stdin and stdout of a local program. */
import { type ChildProcess, spawn } from "node:child_process";
import { sendSignal } from "../../../host/index.js";
import { HaftError, messageOf } from "../../../kernel/index.js";

/** Both listeners are set once, before any other call. */
export interface Channel {
  /** Never blocks or throws. Bytes written after the end are dropped. */
  write(bytes: Uint8Array | string): void;
  onBytes(listener: (bytes: Uint8Array) => void): void;
  /** Called once, with the reason as a clause. */
  onEnd(listener: (why: string) => void): void;
  /** Sends end of file. */
  end(): void;
  /** Closes the local end at once. */
  destroy(): void;
}

export type OpenChannel = () => Promise<Channel>;

export interface ProcessChannelOptions {
  readonly cwd?: string;
  /** The whole environment of the program. Default: that of this process. */
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

/** Milliseconds to wait for the last output of a program that has exited. */
const FINAL_STDERR_MS = 100;
/** Milliseconds that a program has to exit after its channel was closed. */
const HANGING_MS = 5_000;
/** Bytes of a program's stderr that are quoted in the error message. */
const MAX_STDERR_BYTES = 2_048;

/**
 * Opens each channel by starting a program: a shell, or a client that connects to one.
 * The program runs in its own session, so signals of this terminal do not reach it.
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
    // A failed write is reported by the end of the program; as an event without a listener it would end this process.
    child.stdin?.on("error", () => {});
    child.stdout?.on("error", () => {});
    child.on("error", () => {});
    child.stderr?.on("data", (bytes: Buffer) => {
      this.#stderr = (this.#stderr + bytes.toString("utf8")).slice(-MAX_STDERR_BYTES);
    });
    // Its last output may arrive after "exit", and a child of it may keep the pipe open, so "close" alone is not enough.
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
    // It gets end of file and can finish; a program that hangs is killed.
    const timer = setTimeout(() => {
      // It leads its own process group, so its children are killed too.
      sendSignal({ groupOf: this.#child }, "SIGKILL");
    }, HANGING_MS);
    timer.unref();
    this.#child.once("exit", () => clearTimeout(timer));
    this.#child.unref();
    this.#finish("it was closed locally");
  }

  #finish(how: string): void {
    if (this.#ended !== undefined) return;
    const words = this.#stderr.trim();
    this.#ended = words === "" ? how : `${how}: ${words}`;
    this.#onEnd?.(this.#ended);
  }
}
