/** The terminal of a target, as users choose it: "+tmux", "+tmux=SESSION", "+tmux=current", each with ",shell=pane". */

/** What follows the target in its string. */
export interface TargetTerminal {
  /** A session of the user's own tmux server. Absent: a session that is made for this process, on a server of its own. */
  readonly session?: string;
  /** The pane that this process runs in. */
  readonly current?: true;
  /** "pane": commands run in the default pane, so that a user can watch them. Absent: they run beside it. */
  readonly shell?: "pane";
}

/** How the suffix is written, for messages. */
export const TERMINAL_SUFFIX = "+tmux[=SESSION|=current][,shell=pane]";

const SUFFIX = /^(.*?)\+tmux(?:=([A-Za-z0-9_][A-Za-z0-9_-]{0,63}))?(,shell=pane)?$/s;

/** The target without its terminal, and the terminal; no terminal where there is no suffix that can be read. */
export function splitTerminal(text: string): { readonly target: string; readonly terminal?: TargetTerminal } {
  const [, target, session, shell] = SUFFIX.exec(text) ?? [];
  if (target === undefined) return { target: text };
  const named = session === undefined ? {} : session === "current" ? { current: true as const } : { session };
  return { target, terminal: { ...named, ...(shell === undefined ? {} : { shell: "pane" as const }) } };
}
