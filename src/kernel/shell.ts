/**
 * The port to commands. A command is handed to the backend's POSIX shell as one string (`sh -c`), in a session and
 * process group of its own, without a controlling terminal, with standard input at end of file unless `input` is given,
 * and with default signal dispositions. Proved by the `shell:` conformance suite in `testing/`.
 */
import type { Io } from "./fs.js";

/** How a command is run. */
export interface ShellOptions extends Io {
  readonly cwd: string;
  /** Laid over what the backend passes on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Becomes standard input, then end of file. */
  readonly input?: Uint8Array;
  /** Milliseconds between TERM and KILL. Default 3000. */
  readonly graceMs?: number;
  /** Bytes kept of each stream, first and last. Default 8192 and 24576. */
  readonly keep?: { readonly head: number; readonly tail: number };
  /**
   * Called with every chunk as it comes; `offset` counts the bytes of that stream before it. The bytes are the listener's to keep.
   *
   * A promise holds this stream back: its next chunk is told when the promise has settled, and no more of it is read than
   * the way to the command holds (a pipe; 5 MiB on a far machine), so that the command waits in its `write`. The other stream
   * goes on. A throw or a rejection harms nothing and counts as taken. So a slow listener gets every byte in order.
   *
   * A promise that stays open keeps nothing from ending: the deadline, a cancel and the end of the leader are what they are
   * without it. When the command has ended, what is left waits 1 s more for the listener, is then told at once without
   * waiting, and the result comes. A backend that tells output at the end only cannot make a command wait.
   */
  onOutput?(stream: "stdout" | "stderr", bytes: Uint8Array, offset: number): void | Promise<void>;
}

/** One stream of a command. `produced` = kept + dropped, always. */
export interface Captured {
  readonly head: Uint8Array;
  /** Empty while everything fits into `head`. */
  readonly tail: Uint8Array;
  readonly produced: number;
  readonly dropped: number;
  /** False while something still holds the stream open. */
  readonly final: boolean;
  /** Id of the artifact that holds the whole stream, where one was made. */
  readonly artifact?: string;
}

/** How the leader of a command ended, as far as the backend can tell. */
export type ShellExit =
  | { readonly by: "code"; readonly code: number }
  /** `signal` without "SIG": "KILL", "TERM". */
  | { readonly by: "signal"; readonly signal: string }
  /** A shell status over 128 that a remote shell cannot tell from a signal. */
  | { readonly by: "status"; readonly status: number }
  | { readonly by: "none" };

/** A process of the command's tree that was still there. */
export interface Survivor {
  readonly pid: number;
  readonly name: string;
  readonly holds: "stdout" | "stderr" | "none";
}

/** What is left of the process tree. "gone" means looked for by group, session, parentage, tag and open files, and not found. */
export interface TreeState {
  readonly state: "gone" | "alive" | "unseen";
  readonly survivors: readonly Survivor[];
  readonly endedBy: "TERM" | "KILL" | null;
}

/** How a command ended and what it printed. A failed command is a result, not a rejection. */
export interface ShellResult {
  /** "no": the command never started, so it is safe to send again. */
  readonly began: "yes" | "no" | "unknown";
  readonly exit: ShellExit;
  readonly ended: "itself" | "cancelled" | "deadline" | "output-limit" | "spawn-error" | "channel-lost";
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly tree: TreeState;
  /** The job that survivors of this command became. */
  readonly job?: string;
  /** Why the command could not be started, for "spawn-error" and "channel-lost": a clause without its full stop. */
  readonly problem?: string;
  readonly startedMs: number;
  readonly tookMs: number;
}

/** A command that runs in the background. Got through a bound port, it acts no more once that call has ended. */
export interface ShellHandle {
  readonly id: string;
  readonly pid: number | null;
  readonly result: Promise<ShellResult>;
  write(bytes: Uint8Array): Promise<void>;
  closeInput(): Promise<void>;
  /** Output from byte `from`, at most `max` bytes; `lost` counts bytes before the first that is still kept. */
  output(
    stream: "stdout" | "stderr",
    from: number,
    max: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly next: number; readonly lost: number; readonly ended: boolean }>;
  /** Sends a signal ("TERM", "INT", …) to the whole tree and reports what is left. TERM and KILL wait until the tree has ended, 3 s then KILL. */
  kill(signal: string): Promise<TreeState>;
  /** Tells the listener once, also when the command has already ended. Returns the unsubscribe. */
  onExit(listener: (result: ShellResult) => void): () => void;
}

/** When a background command is ended at the latest: with its session, with the host, or (keep) never. */
export type Lifetime = "session" | "host" | "keep";

/** The commands of one backend. The contract for implementers stands at the head of this file. */
export interface Shell {
  /**
   * Runs one command to its end. A non-zero exit, a time-out, a cancel and a failed start are results, not errors: a `signal`
   * that has fired already gives "cancelled" with began "no", a missing `cwd` "spawn-error" with began "no".
   * Settles 100 ms after the leader exits even when a descendant still holds a stream; survivors are named.
   * At the deadline or on abort the whole tree gets TERM, `graceMs`, KILL.
   */
  exec(command: string, options: ShellOptions): Promise<ShellResult>;
  /**
   * Starts a command that outlives the call. `timeoutMs` is ignored; it ends with its lifetime.
   * @throws `SHELL_SPAWN` when it cannot be started: a missing `cwd`, for one.
   */
  spawn(command: string, options: ShellOptions & { readonly lifetime: Lifetime }): Promise<ShellHandle>;
  /** The handle of a command started before, or null when the id is unknown. */
  attach(id: string): Promise<ShellHandle | null>;
}

/** What a third party must supply; `completeBackend` builds the rest of `Shell` on it. */
export type CoreShell = {
  exec(
    command: string,
    options: {
      readonly cwd: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly input?: Uint8Array;
      readonly timeoutMs?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<{
    readonly stdout: string | Uint8Array;
    readonly stderr: string | Uint8Array;
    readonly code: number | null;
    readonly timedOut?: boolean;
  }>;
};
