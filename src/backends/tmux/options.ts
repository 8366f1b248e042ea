/** How tmux is reached, and which of its sessions is used. */
export interface TmuxOptions {
  /** The local command that runs `argv` on the machine of the backend, as `Transport.command`. For this machine: `(argv) => argv`. */
  readonly run: (argv: readonly string[]) => readonly string[];
  /** The same as a user types it, with a terminal. Default: on this machine `(argv) => argv`; on others there is no `attachCommand`. */
  readonly interactive?: (argv: readonly string[]) => readonly string[];
  /** The environment of that command. Default: that of this process; on this machine only what commands commonly need. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * A session of the user's own tmux server, created if it does not exist. Absent: a private server, which ends with the backend.
   */
  readonly session?: string;
  /** The session that this process runs in, by `$TMUX_PANE`. The default pane for `capture` and `send` is then that pane. */
  readonly current?: boolean;
  /** "pane": the commands of `Shell.exec` run in a pane, too. Default: only those of `Terminal`. */
  readonly shell?: "pane";
  /** The shell of panes that are made here, as a command. Default: the user's login shell if it is a POSIX shell, or else `/bin/sh`. */
  readonly paneShell?: readonly string[];
  /** How many panes may be made. Default 16. */
  readonly maxPanes?: number;
  /** Milliseconds that a private server waits for this process to connect again, before it ends with its files. Default 60,000 on this machine, 12 hours on another. */
  readonly orphanMs?: number;
  /** Lines of history of a new private session. Default 50,000. */
  readonly historyLines?: number;
}
