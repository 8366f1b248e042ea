/** A byte pipe to a remote shell, and channels over the stdin and stdout of a local program. */
import { type ChildProcess, spawn } from "node:child_process";
import { sendSignal } from "../../../host/index.js";
import { HaftError, messageOf, shortageOf, systemCode } from "../../../kernel/index.js";
import type { Transport } from "../transport.js";

/** Both listeners are set once, before any other call. */
export interface Channel {
  /** Never blocks or throws. Bytes written after the end are dropped. */
  write(bytes: Uint8Array | string): void;
  onBytes(listener: (bytes: Uint8Array) => void): void;
  /** Called once, with the reason: a clause, or an error that has the cause and the advice for it. */
  onEnd(listener: (why: EndReason) => void): void;
  /** Sends end of file. */
  end(): void;
  /** Closes the local end at once. */
  destroy(): void;
}

/** Why a channel ended. The clause of an error is `why` in its details. */
export type EndReason = string | HaftError;

export type OpenChannel = () => Promise<Channel>;

export interface ProcessChannelOptions {
  readonly cwd?: string;
  /** The whole environment of the program. Default: that of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Why the program ended, if that can be found out; see `Transport`. */
  readonly explain?: Transport["explain"];
}

/** Rejects a request whose channel ended before it was answered. Not visible outside of this backend. */
export class ChannelLost extends Error {
  readonly why: EndReason;
  /** Whether the request was sent. If not, it can safely be sent again. */
  readonly wasSent: boolean;

  /** The message is a clause. */
  constructor(why: EndReason, wasSent: boolean) {
    super(clauseOf(why));
    this.why = why;
    this.wasSent = wasSent;
  }
}

/** Rejects a request that was stopped before it was sent. */
export function stoppedBefore(): ChannelLost {
  return new ChannelLost("it was stopped before it began", false);
}

/** The channel works, but the remote shell that ran the request was killed. */
export class WorkerKilled extends ChannelLost {
  constructor() {
    super("the remote shell that ran it was killed", true);
  }
}

/** The reason as a clause. */
export function clauseOf(why: EndReason): string {
  if (typeof why === "string") return why;
  return typeof why.details.why === "string" ? why.details.why : why.message;
}

/** Whether everything that ran on the remote side has certainly ended and cannot be asked about; see `Transport.explain`. */
export function isFinal(thrown: unknown): thrown is HaftError {
  return HaftError.is(thrown) && thrown.details.isFinal === true;
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
  const start = () =>
    new Promise<Channel>((resolve, reject) => {
      const child = spawn(program, args, {
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        ...(options.env === undefined ? {} : { env: options.env }),
      });
      child.once("error", reject);
      child.once("spawn", () => resolve(new ProcessChannel(child, options.explain)));
    });
  return () =>
    start().catch((thrown: unknown) => {
      throw unavailable(program, thrown);
    });
}

function unavailable(program: string, thrown: unknown): HaftError {
  const isAbsent = systemCode(thrown) === "ENOENT";
  const { why, next } = shortageOf(thrown) ?? {
    why: messageOf(thrown),
    next: isAbsent ? "Check that it is installed" : "Check that this user can run it",
  };
  return new HaftError("BACKEND_UNAVAILABLE", `Did not start "${program}": ${why}. ${next}.`, {
    cause: thrown,
    details: { backend: program, why },
  });
}

class ProcessChannel implements Channel {
  readonly #child: ChildProcess;
  readonly #explain: Transport["explain"];
  #stderr = "";
  #isEnding = false;
  #ended: EndReason | undefined;
  #onEnd: ((why: EndReason) => void) | undefined;

  constructor(child: ChildProcess, explain: Transport["explain"]) {
    this.#child = child;
    this.#explain = explain;
    // A failed write is reported by the end of the program; as an event without a listener it would end this process.
    child.stdin?.on("error", () => {});
    child.stdout?.on("error", () => {});
    child.on("error", () => {});
    child.stderr?.on("data", (bytes: Buffer) => {
      this.#stderr = (this.#stderr + bytes.toString("utf8")).slice(-MAX_STDERR_BYTES);
    });
    // Its last output may arrive after "exit", and a child of it may keep the pipe open, so "close" alone is not enough.
    child.once("exit", (code, signal) => {
      setTimeout(() => void this.#exited(code, signal), FINAL_STDERR_MS);
    });
    child.once("close", (code, signal) => void this.#exited(code, signal));
  }

  write(bytes: Uint8Array | string): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(bytes);
  }

  onBytes(listener: (bytes: Uint8Array) => void): void {
    this.#child.stdout?.on("data", listener);
  }

  onEnd(listener: (why: EndReason) => void): void {
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

  async #exited(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    if (this.#isEnding || this.#ended !== undefined) return;
    this.#isEnding = true;
    const stderr = this.#stderr.trim();
    const how = code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`;
    const reported = stderr === "" ? how : `${how}: ${stderr}`;
    try {
      this.#finish((await this.#explain?.({ code, signal, stderr })) ?? reported);
    } catch {
      this.#finish(reported);
    }
  }

  #finish(why: EndReason): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#onEnd?.(why);
  }
}
