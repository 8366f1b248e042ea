/** Options of a POSIX backend. */
import type { OpenChannel } from "./channel/channel.js";
import type { Transport } from "./transport.js";

export interface PosixBackendOptions {
  /** The target, for messages: "ssh:user@host". */
  readonly name: string;
  /** The machine that is reached; see `Backend.machine`. Default: `name`. */
  readonly machine?: string;
  /**
   * Opens a channel to a remote shell, or the command that connects to one when it is started, or a transport, with which
   * `commandShell` is started. The backend closes the transport.
   */
  readonly open: OpenChannel | readonly string[] | Transport;
  /** The working directory: an absolute remote path. Default: where the remote shell starts. */
  readonly cwd?: string;
  /** Variables for every command. They are sent over stdin, so that no process list shows them. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The remote parent of the private spool directory. Created if missing. Default: the remote TMPDIR, else /tmp.
   */
  readonly stateDir?: string;
  /** The remote shell that runs commands. Default: "sh". */
  readonly commandShell?: readonly string[];
  /** Milliseconds that commands continue after the channel was lost, so that a new one can take them over. Default 60,000. */
  readonly orphanMs?: number;
  /** Milliseconds without a heartbeat after which the remote side treats the channel as lost. Default 60,000. */
  readonly leaseMs?: number;
  /** Milliseconds that opening a channel may take. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** Commands that may run at once; more of them wait. Stopping commands and listing jobs never waits. Default 250. */
  readonly maxCommands?: number;
  /** Bulk channels that may be open at once. Default 2. */
  readonly maxBulkChannels?: number;
  /** Whether searches use the ripgrep of the remote machine, if it is one of version 13 to 15. Default true. */
  readonly useRipgrep?: boolean;
  /**
   * Whether the first search on a machine without such a ripgrep copies that of Haft's package there, about 6 MB, into the spool
   * directory, where the machine is of the same kind as this one. Default false.
   */
  readonly copyRipgrep?: boolean;
}

/**
 * Milliseconds that another machine may take until its shell answers, connecting included: less than a call waits for its target,
 * so that the cause is reported.
 */
export const REMOTE_CONNECT_MS = 12_000;

export const POSIX_DEFAULTS = Object.freeze({
  commandShell: Object.freeze(["sh"]),
  orphanMs: 60_000,
  leaseMs: 60_000,
  connectTimeoutMs: 30_000,
  maxCommands: 250,
  maxBulkChannels: 2,
});
