/** What a POSIX backend is opened with. */
import type { OpenChannel } from "./channel/channel.js";

export interface PosixBackendOptions {
  /** The target, for people and messages: "ssh:user@host". */
  readonly name: string;
  /** Opens a channel to a far shell, or the command that does when it is started, each time anew. */
  readonly open: OpenChannel | readonly string[];
  /** Where relative paths and commands start: absolute, over there. Default: where the far shell starts. */
  readonly cwd?: string;
  /** The folder over there that gets the private spool folder. Made when missing. Default: the far TMPDIR, else /tmp. */
  readonly stateDir?: string;
  /** The shell over there that commands are handed to. Default: "sh". */
  readonly commandShell?: readonly string[];
  /** After a cut, milliseconds that running commands go on for a new channel to take them over. Default 60,000. */
  readonly orphanMs?: number;
  /** Milliseconds without a sign of life from here until the far side counts the channel as cut. Default 60,000. */
  readonly leaseMs?: number;
  /** Milliseconds that opening a channel may take. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** Commands that may run at once; what comes beyond waits. Ending one and looking at jobs never waits for that. Default 250. */
  readonly maxCommands?: number;
  /** Channels for file bytes that may be open at once. Default 2. */
  readonly maxBulkChannels?: number;
}

export const POSIX_DEFAULTS = Object.freeze({
  commandShell: Object.freeze(["sh"]),
  orphanMs: 60_000,
  leaseMs: 60_000,
  connectTimeoutMs: 30_000,
  maxCommands: 250,
  maxBulkChannels: 2,
});
