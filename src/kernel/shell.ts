/**
 * The port to commands. A command is handed to the backend's POSIX shell as one string (`sh -c`), in a session and
 * process group of its own, without a controlling terminal, with standard input at end of file unless `input` is given,
 * and with default signal dispositions. Proved by the `shell:` conformance suite in `testing/`.
 */
import type { Io } from "./fs.js";

/** How a command is run. */
export interface ShellOptions extends Io {
  /** Absolute. */
  readonly cwd: string;
  /** Laid over what the backend passes on. Names as a shell takes them: letters, digits and "_", no digit first. */
  readonly env?: Readonly<Record<string, string>>;
  /** Becomes standard input, then end of file. */
  readonly input?: Uint8Array;
  /** Milliseconds between TERM and KILL. Default 3000. */
  readonly graceMs?: number;
  /** Bytes kept of each stream, first and last. Default 8192 and 24576. */
  readonly keep?: { readonly head: number; readonly tail: number };
  /**
   * Called with every chunk as it comes; `offset` counts the bytes of that stream before it. The bytes are the listener's to
   * keep, but where it `borrowsOutput`.
   *
   * A promise holds this stream back: its next chunk is reported when the promise has settled, and no more of it is read than
   * the way to the command holds (a pipe; 5 MiB on a remote machine), so that the command waits in its `write`. The other stream
   * continues. A throw or a rejection harms nothing and counts as taken. So a slow listener gets every byte in order.
   *
   * A promise that stays open keeps nothing from ending: the deadline, a cancel and the end of the leader are what they are
   * without it. When the command has ended, what is left waits 1 s more for the listener, is then told at once without
   * waiting, and the result comes. A backend that tells output at the end only cannot make a command wait.
   */
  onOutput?(stream: "stdout" | "stderr", bytes: Uint8Array, offset: number): void | Promise<void>;
  /** The bytes that `onOutput` is given may be overwritten once it has returned: it copies what it keeps. Default false. */
  readonly borrowsOutput?: boolean;
  /**
   * When it fires while the command runs, `exec` settles at once with "detached" and what was printed until then; the command
   * continues as a job of the session, without time limit, and its listener is reported no more. A backend without the flag
   * `detach` waits for the end. `spawn` does not look at it.
   */
  readonly detach?: AbortSignal;
  /**
   * Told at most once, when a process of the command is seen to wait for somebody to type; silence alone is no sign of that.
   * Only by a backend that can look at its processes. `spawn` has `waiting` for it.
   */
  onWaiting?(waiting: WaitingFor): void;
}

/** A process that waits for somebody to type. */
export interface WaitingFor {
  readonly pid: number;
  readonly name: string;
  /** "input": the standard input that the command was given; "terminal": a terminal that it has opened. */
  readonly on: "input" | "terminal";
  /** The last line that the command has printed, which may be the question; at most 200 characters. */
  readonly prompt: string;
}

/** One stream of a command. `produced` = kept + dropped, always. */
export interface Captured {
  readonly head: Uint8Array;
  /** Empty while everything fits into `head`. */
  readonly tail: Uint8Array;
  readonly produced: number;
  readonly omittedBytes: number;
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
  readonly ended: "itself" | "cancelled" | "deadline" | "output-limit" | "spawn-error" | "channel-lost" | "detached";
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly tree: TreeState;
  /** The job that survivors of this command became, or the command itself where it was detached. */
  readonly job?: string;
  /** Why the command could not be started, for "spawn-error" and "channel-lost": a clause without its full stop. */
  readonly problem?: string;
  readonly startedMs: number;
  readonly tookMs: number;
}

/** How long a write waits for a command that does not read. */
export interface InputOptions {
  /** Milliseconds; 0: none. Default: until it has read everything, closed its input or ended. */
  readonly waitMs?: number;
  /** Ends the wait as if the time were up. */
  readonly signal?: AbortSignal;
}

/** What became of bytes that were written to standard input. */
export interface InputAccepted {
  /** The first so many were taken, and need not be written again; the others were not. */
  readonly acceptedBytes: number;
  /** Of all that was ever taken, at most so many of the last still wait on this side. 0 to 65,536. */
  readonly waitingBytes: number;
  /** Nobody reads any more: the command has ended or closed its input. What was taken may not have been read then. */
  readonly isClosed: boolean;
}

/** What follows a signal. */
export interface KillOptions {
  /** Sends the named signal and no other. Default: false. */
  readonly once?: boolean;
}

/** A command that runs in the background. Got through a bound port, it acts no more once that call has ended. */
export interface ShellHandle {
  readonly id: string;
  readonly pid: number | null;
  readonly result: Promise<ShellResult>;
  /**
   * Hands bytes over for standard input, behind those of earlier writes. Resolves once the command's pipe has taken them, or
   * when `waitMs` have passed; by then the pipe is full since nobody reads, an earlier write still waits, or the way there is
   * slow. One block of at most 64 KiB may then still wait, and reaches the command when it reads on; all behind it is dropped,
   * and is to be written again. What is taken never ends within a character of UTF-8. `bytes` stay as they are until this has
   * resolved.
   * @throws `JOB_INPUT_CLOSED` when none of them was taken, because the command has ended, has closed its input, or was given all
   * of it; `BACKEND_UNSUPPORTED` where a running command can be given none; `BACKEND_UNAVAILABLE` when the way there was cut, with
   * `details.began` "unknown" where some may have arrived.
   */
  write(bytes: Uint8Array, options?: InputOptions): Promise<InputAccepted>;
  /**
   * End of file, behind all writes that were called before. Resolves once it was handed over, or at once where a write or a
   * block is before it. Idempotent, and no error once the command has ended.
   * @throws `BACKEND_UNAVAILABLE` when the way there was cut; asked again, it is tried again.
   */
  closeInput(): Promise<void>;
  /** Output from byte `from`, at most `max` bytes; `droppedBytes` counts bytes before it that are no longer stored. */
  output(
    stream: "stdout" | "stderr",
    from: number,
    max: number,
  ): Promise<{
    readonly bytes: Uint8Array;
    readonly next: number;
    readonly droppedBytes: number;
    readonly ended: boolean;
  }>;
  /**
   * Sends a signal ("TERM", "INT", …) to the whole tree and reports what is left. KILL is the first and only signal, and is
   * waited for. TERM is followed by KILL after 3 s, unless `once`: then nothing follows and nothing is waited for.
   */
  kill(signal: string, options?: KillOptions): Promise<TreeState>;
  /** Tells the listener once, also when the command has already ended. Returns the unsubscribe. */
  onExit(listener: (result: ShellResult) => void): () => void;
  /** What `Shell.jobs` tells of it; the call that has it needs no other claim. */
  info(): Promise<JobInfo>;
  /** The process that waits for somebody to type now; null when none is seen to. Absent where nobody can look. */
  waiting?(): Promise<WaitingFor | null>;
  /**
   * Removes the job and its output from what is remembered. Absent where nothing is stored for longer than the backend lives.
   * @throws `CALL_INVALID` while something of it runs.
   */
  forget?(): Promise<void>;
}

/** When a background command is ended at the latest: with its session, with the host, or (keep) never. */
export type Lifetime = "session" | "host" | "keep";

/** What is known of a background command. */
export interface JobInfo {
  /** Unique on its backend, also beside what earlier hosts have left there. */
  readonly id: string;
  /** As it was given; at most 64 KiB of it. */
  readonly command: string;
  readonly cwd: string;
  readonly lifetime: Lifetime;
  /** The session whose call started it; absent when the host itself did. */
  readonly session?: string;
  /** Whose sessions may know of it, where hosts tell their clients apart. */
  readonly owner?: string;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  /** "running": something of it is alive. "lost": nobody can say what became of it. */
  readonly status: "running" | "ended" | "lost";
  /** How its leader ended, once it has and as far as that was seen. */
  readonly exit?: ShellExit;
  /** What ended it: the command itself, somebody who stopped it, or the end of its host. */
  readonly endedBy?: "itself" | "stopped" | "host";
  readonly endedMs?: number;
  /** "call": what went on after the command of a call. "host": it was started by a host that has ended. */
  readonly adopted?: "call" | "host";
  /** Bytes that it has printed to both streams. */
  readonly outputBytes: number;
}

/** The commands of one backend. The contract for implementers stands at the head of this file. */
export interface Shell {
  /**
   * Runs one command to its end. A non-zero exit, a time-out, a cancel and a failed start are results, not errors: a `signal`
   * that has fired already gives "cancelled" with began "no", a missing `cwd` "spawn-error" with began "no".
   * Settles 100 ms after the leader exits even when a descendant still holds a stream; survivors are named.
   * At the deadline or on abort the whole tree gets TERM, `graceMs`, KILL; a deadline that is past already, or a `timeoutMs`
   * of 0, gives "deadline" with began "no".
   */
  exec(command: string, options: ShellOptions): Promise<ShellResult>;
  /**
   * Starts a command that outlives the call. `timeoutMs` is ignored; it ends with its lifetime.
   * @throws `SHELL_SPAWN` when it cannot be started: a missing `cwd`, for one.
   */
  spawn(command: string, options: SpawnOptions): Promise<ShellHandle>;
  /** The handle of a command started before, or null when the id is unknown or that of a job which the call's session may not know. */
  attach(id: string): Promise<ShellHandle | null>;
  /**
   * What runs in the background and what is still remembered of what did, oldest first: the session's own jobs, and those of
   * its owner with the lifetimes "host" and "keep".
   *
   * @param options.id - Only that one; without it the call must have claimed a list of jobs.
   */
  jobs(options?: Io & { readonly id?: string }): Promise<readonly JobInfo[]>;
}

/** How a background command is started. */
export interface SpawnOptions extends ShellOptions {
  readonly lifetime: Lifetime;
  /**
   * An absolute directory that the call may write to: the output is stored there, in files whose names begin with the job's id, and
   * not in the backend's own place. A backend that keeps no output in files does not look at it.
   */
  readonly outputDirectory?: string;
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
