/**
 * The command port. The backend's POSIX shell runs each command string (`sh -c`) in a new session and process group, without
 * a controlling terminal, with stdin at end of file unless `input` is given, and with default signal dispositions. The
 * `shell:` conformance suite in `testing/` checks this contract.
 */
import type { Io } from "./fs.js";

/** How a command is run. */
export interface ShellOptions extends Io {
  /** Absolute. */
  readonly cwd: string;
  /** Added to the environment that the backend passes on. Names consist of letters, digits and "_" and do not begin with a digit. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to stdin, followed by end of file. A bound port takes only the UTF-8 bytes of the text that the call claimed. */
  readonly input?: Uint8Array;
  /** Milliseconds between SIGTERM and SIGKILL. Default 3,000, at most 5,000. */
  readonly graceMs?: number;
  /** Bytes to keep from the start and the end of each stream. Default `DEFAULT_KEEP` (8,192 and 24,576). */
  readonly keep?: { readonly head: number; readonly tail: number };
  /**
   * Called with each chunk as it arrives; `offset` is the number of bytes of that stream before it. The listener may keep
   * the bytes unless it sets `borrowsOutput`.
   *
   * Returning a promise applies backpressure to this stream: the next chunk is delivered when the promise has settled, and
   * reading pauses once the buffer to the command is full (a pipe; 5 MiB on a remote machine), so the command blocks in its
   * `write`. The other stream continues. A throw or rejection is ignored, and the chunk counts as consumed.
   *
   * A pending promise does not delay the deadline, a cancel or the exit of the command. After the exit, the remaining output
   * waits up to 1 s for the listener; then it is delivered without waiting, and the result follows. A backend that reports
   * output only at the end cannot apply backpressure.
   *
   * Bytes that a remote backend could not fetch, because the connection was lost or within 1 s of a cancel or the deadline,
   * are omitted: `offset` skips them, or the last chunk ends before `produced` of the result.
   */
  onOutput?(stream: "stdout" | "stderr", bytes: Uint8Array, offset: number): void | Promise<void>;
  /** The buffer passed to `onOutput` may be reused after it returns, so the listener copies what it keeps. Default false. */
  readonly borrowsOutput?: boolean;
  /**
   * Aborting it while the command runs settles `exec` at once with "detached" and the output so far. The command continues
   * as a job of the session, without a time limit and without calls of `onOutput`. A backend without the flag `detach` waits
   * for the end. `spawn` ignores it.
   */
  readonly detach?: AbortSignal;
  /**
   * Called at most once, when a process of the command is seen waiting for typed input; silence alone does not count. Only
   * backends that can inspect their processes call it. For `spawn`, see `ShellHandle.waiting`.
   */
  onWaiting?(waiting: WaitingFor): void;
}

/** A process that waits for typed input. */
export type WaitingFor = {
  readonly pid: number;
  readonly name: string;
  /** "input": the stdin that the command was given; "terminal": a terminal that it has opened. */
  readonly on: "input" | "terminal";
  /** The last line that the command printed, often the prompt; at most 200 characters. */
  readonly prompt: string;
};

/** Captured output of one stream. `produced` is the length of `head` and `tail` plus `omittedBytes`. */
export interface Captured {
  readonly head: Uint8Array;
  /** Empty while everything fits into `head`. */
  readonly tail: Uint8Array;
  readonly produced: number;
  readonly omittedBytes: number;
  /** False if the stream had not ended: a process still has it open, or a remote machine has not stored all of it. */
  readonly final: boolean;
  /** Id of the artifact with the whole stream, if one was created. */
  readonly artifact?: string;
}

/** How the command's main process ended, as far as the backend can observe. */
export type ShellExit =
  | { readonly by: "code"; readonly code: number }
  /** `signal` without "SIG": "KILL", "TERM". */
  | { readonly by: "signal"; readonly signal: string }
  /** A shell status over 128, which a remote shell cannot distinguish from a signal. */
  | { readonly by: "status"; readonly status: number }
  | { readonly by: "none" };

/** A process of the command's tree that was still running. */
export type Survivor = {
  readonly pid: number;
  readonly name: string;
  readonly holds: "stdout" | "stderr" | "none";
};

/** State of the process tree. "gone": no process was found by group, session, parentage, tag or open files. */
export interface TreeState {
  readonly state: "gone" | "alive" | "unseen";
  readonly survivors: readonly Survivor[];
  readonly endedBy: "TERM" | "KILL" | null;
}

/** How a command ended and its output. A failed command is a result, not a rejection. */
export interface ShellResult {
  /** "no": the command never started, so it is safe to retry. */
  readonly began: "yes" | "no" | "unknown";
  readonly exit: ShellExit;
  readonly ended: "itself" | "cancelled" | "deadline" | "output-limit" | "spawn-error" | "channel-lost" | "detached";
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly tree: TreeState;
  /** Id of the job that owns the surviving processes, or the command itself if it was detached. */
  readonly job?: string;
  /** For "spawn-error" and "channel-lost": the reason, as a clause without a full stop. */
  readonly problem?: string;
  /** The id of the pane (`Terminal`) that it ran in, where stdout and stderr are one stream; absent outside of a pane. */
  readonly pane?: string;
  /** Whether a user typed in that pane while it ran; absent outside of a pane. */
  readonly userTyped?: boolean;
  /** As `PaneState.notice`, or that output may be missing because the connection to the pane was lost. Absent outside of a pane. */
  readonly notice?: string;
  readonly startedMs: number;
  readonly tookMs: number;
}

/** How long a write waits while the command does not read its stdin. */
export interface InputOptions {
  /** Milliseconds; 0 does not wait. Default: until the command has read everything, closed its stdin or exited. */
  readonly waitMs?: number;
  /** Aborting it ends the wait as if `waitMs` had passed. */
  readonly signal?: AbortSignal;
}

/** The result of a write to stdin. */
export interface InputAccepted {
  /** How many of the first bytes were accepted; the rest must be written again. */
  readonly acceptedBytes: number;
  /** Upper bound of the accepted bytes that are still buffered on this side. 0 to 65,536. */
  readonly waitingBytes: number;
  /** The command has exited or closed its stdin. Accepted bytes may not have been read. */
  readonly isClosed: boolean;
}

/** What follows a signal. */
export interface KillOptions {
  /** Sends only this signal, without a later SIGKILL. Default false. */
  readonly once?: boolean;
}

/**
 * A command that runs in the background. A handle from a bound port rejects every operation that the call did not claim, and
 * every one after the call has ended. The call that started the command may read, signal and stop it, and close its stdin.
 */
export interface ShellHandle {
  readonly id: string;
  readonly pid: number | null;
  readonly result: Promise<ShellResult>;
  /**
   * Writes bytes to stdin, after those of earlier writes. Resolves once the command's pipe has accepted them, or after
   * `waitMs`: the pipe is then full, an earlier write is still pending, or the connection is slow. One block of at most
   * 64 KiB may stay buffered and reaches the command when it reads again; the bytes after it are not accepted and must be
   * written again. Accepted bytes never end inside a UTF-8 character. `bytes` must not change until this resolves.
   * @throws `JOB_INPUT_CLOSED` when no byte was accepted because the command has exited or closed its stdin, or after
   * `closeInput`; `BACKEND_UNSUPPORTED` when the backend cannot write to a running command; `BACKEND_UNAVAILABLE` when the
   * connection was lost, with `details.began` "unknown" if some bytes may have arrived.
   */
  write(bytes: Uint8Array, options?: InputOptions): Promise<InputAccepted>;
  /**
   * Sends end of file after all earlier writes. Resolves once it was sent, or at once if a write or a buffered block comes
   * before it. Idempotent, and no error after the command has exited.
   * @throws `BACKEND_UNAVAILABLE` when the connection was lost; calling it again retries.
   */
  closeInput(): Promise<void>;
  /** Returns up to `max` bytes of output from byte `from`; `droppedBytes` counts bytes from there that are no longer stored. */
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
   * Sends a signal ("TERM", "INT", …; case-insensitive, with or without "SIG") to the whole process tree and returns its state.
   * After "KILL" it waits for the tree to end. "TERM" is followed by "KILL" after 3 seconds; with `once` it neither escalates nor waits.
   *
   * @throws `CALL_INVALID` for an unknown signal; nothing was sent.
   */
  kill(signal: string, options?: KillOptions): Promise<TreeState>;
  /** Calls the listener once, even if the command has already exited. Returns a function that unsubscribes. */
  onExit(listener: (result: ShellResult) => void): () => void;
  /** The entry that `Shell.jobs` returns for this job, without a further claim. */
  info(): Promise<JobInfo>;
  /** The process that waits for typed input, or null. Absent when the backend cannot inspect processes. */
  waiting?(): Promise<WaitingFor | null>;
  /**
   * Deletes the stored record and output of the job. Absent when the backend stores nothing beyond its own lifetime.
   * @throws `CALL_INVALID` while a process of it runs.
   */
  forget?(): Promise<void>;
}

export const LIFETIMES = ["session", "host", "keep"] as const;
/** When a background command is stopped: with its session, with the host, or ("keep") never. Each includes those before it. */
export type Lifetime = (typeof LIFETIMES)[number];

/** The state of a background command. */
export interface JobInfo {
  /** Unique on its backend, including jobs of earlier hosts. */
  readonly id: string;
  /** The command string, truncated to 64 KiB. */
  readonly command: string;
  readonly cwd: string;
  readonly lifetime: Lifetime;
  /** The session whose call started it; absent when the host started it. */
  readonly session?: string;
  /** The owner whose sessions can see the job, when the host distinguishes clients. */
  readonly owner?: string;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  /** "running": a process of it is alive. "lost": its state cannot be determined. */
  readonly status: "running" | "ended" | "lost";
  /** How its main process ended, once it has and if that was observed. */
  readonly exit?: ShellExit;
  /** Why it ended: by itself, stopped by a call, or with its host. */
  readonly endedBy?: "itself" | "stopped" | "host";
  readonly endedMs?: number;
  /** "call": processes that outlived the command of a call. "host": started by a host that has ended. */
  readonly adopted?: "call" | "host";
  /** Bytes printed to both streams. */
  readonly outputBytes: number;
}

/** Runs the commands of one backend. The contract for implementers is at the top of this file. */
export interface Shell {
  /**
   * Runs one command to its end. A non-zero exit, a timeout, a cancel and a failed start are results, not errors: an aborted
   * `signal` gives "cancelled" with `began: "no"`, a missing `cwd` gives "spawn-error" with `began: "no"`.
   * Settles 100 ms after the main process exits even if a descendant still has a stream open; survivors are listed.
   * At the deadline or on abort, the whole process tree gets SIGTERM and, after `graceMs`, SIGKILL. A deadline that has
   * already passed, or a `timeoutMs` of 0, gives "deadline" with `began: "no"`.
   */
  exec(command: string, options: ShellOptions): Promise<ShellResult>;
  /**
   * Starts a command that outlives the call. `timeoutMs` is ignored; `lifetime` limits how long it runs.
   * @throws `SHELL_SPAWN` when it cannot be started, for example because `cwd` does not exist.
   */
  spawn(command: string, options: SpawnOptions): Promise<ShellHandle>;
  /** The handle of a running or finished job, or null when the id is unknown or the call's session may not see the job. */
  attach(id: string): Promise<ShellHandle | null>;
  /**
   * Lists running and finished jobs, oldest first: those of the session, and those of its owner with the lifetimes "host"
   * and "keep".
   *
   * @param options.id - Returns only this job. Without it, the call must have claimed the list of jobs.
   */
  jobs(options?: Io & { readonly id?: string }): Promise<readonly JobInfo[]>;
}

/** How a background command is started. */
export interface SpawnOptions extends ShellOptions {
  readonly lifetime: Lifetime;
  /**
   * An absolute directory that the call may write to. The output is stored there, in files whose names begin with the job id,
   * instead of in the backend's default directory. A backend that stores no output in files ignores it.
   */
  readonly outputDirectory?: string;
}

/** The minimal shell that a third party implements; `completeBackend` builds the rest of `Shell` on it. */
export type CoreShell = {
  /**
   * Runs `command` in a POSIX shell (`sh -c`) and resolves once it has ended, whatever its exit code. That is the report that it
   * has ended: where it may still run, reject or stay pending. A rejection is a command that did not start, with the message of
   * the error; after `signal` has fired, it is one that may still run.
   */
  exec(
    command: string,
    options: {
      /** A directory that exists: its real path, absolute. */
      readonly cwd: string;
      /** Added to the environment that the shell has anyway. */
      readonly env?: Readonly<Record<string, string>>;
      /** All of stdin, followed by end of file. Absent: end of file at once. A command need not read it. */
      readonly input?: Uint8Array;
      /** Whole milliseconds, 1 or more, after which `signal` fires: for a shell whose other side can end the command itself. */
      readonly timeoutMs?: number;
      /**
       * Fires when the command has to end: at its deadline, on a cancel, and when the backend is closed. End the command with all
       * its processes, then resolve with what it has printed. It has not fired when `exec` is called. A shell that has not settled
       * 2 s and the grace (`graceMs`, by default 3 s) after it is no longer waited for: the command may still run.
       */
      readonly signal?: AbortSignal;
    },
  ): Promise<{
    /** All that was printed, as bytes. */
    readonly stdout: Uint8Array;
    readonly stderr: Uint8Array;
    /** The exit code; null if a signal ended the command, or `exec` did. */
    readonly code: number | null;
    /** True if the shell's own timer ended it, before or instead of `signal`. Default false. */
    readonly timedOut?: boolean;
  }>;
};
