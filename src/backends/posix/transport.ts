/** How programs are started on another machine: by a client of this one, such as `ssh`, whose stdin and stdout are theirs. */
import type { HaftError } from "../../kernel/index.js";

/** How a client ended. */
export interface ClientEnd {
  /** Null after a signal. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of what it printed on stderr, at most 2 KiB. */
  readonly stderr: string;
}

/** A connection to one machine or container, without the tools for it. */
export interface Transport {
  /** The target, for messages: "ssh:build@host". */
  readonly name: string;
  /** See `Backend.machine`. */
  readonly machine: string;
  /** The local command that runs `argv` over there, as these exact arguments, with stdin, stdout and stderr passed through and no terminal. */
  command(argv: readonly string[]): readonly string[];
  /** The same for a user at a terminal, which it passes on. Absent: not known. */
  interactive?(argv: readonly string[]): readonly string[];
  /** Called before each client is started: opens the connection again if it was lost. @throws `BACKEND_UNAVAILABLE` with the cause */
  prepare?(): Promise<void>;
  /** What to do where the shell over there ends or is silent before it can be used. Sentences. */
  readonly shellAdvice?: string;
  /** The environment of the client. Default: that of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Why a client ended before its work was done: an error with the cause and the advice that fits, such as an unknown host key or a
   * stopped container. Its details have the cause alone as `why`, a clause, and `isFinal: true` where everything that ran there has
   * ended and cannot be asked about: it is not waited for. Undefined if it is not known; then the exit code and stderr are reported.
   */
  explain?(end: ClientEnd): Promise<HaftError | undefined> | HaftError | undefined;
  /** Releases what belongs to the connection: a control socket, a container of the session. Idempotent. */
  close?(): Promise<void>;
}
