import type { PaneState } from "../../kernel/index.js";

/** What tmux reports about a pane. */
export interface PaneFacts {
  readonly state: Omit<PaneState, "shell">;
  /** Of its first program. */
  readonly pid: number;
  /** A mode such as the copy mode is open, which would take keys. */
  readonly inMode: boolean;
  readonly dead: boolean;
  /** Ours by its option, also before it is used. */
  readonly isMarked: boolean;
  /** Its window is the current one of the session. */
  readonly isCurrent: boolean;
}

/** Names and titles contain anything but a newline, so each stands at the end of a line. */
export const PANE_FORMATS = [
  "#{pane_id} #{pane_pid} #{pane_width} #{pane_height} #{alternate_on} #{pane_in_mode} #{pane_dead} #{window_active} -#{@haft} #{session_name}",
  "#{pane_current_command}",
  "#{pane_title}",
];

/**
 * @param lines - What `PANE_FORMATS` printed of one pane.
 * @param owner - Marks panes of ours.
 * @param isKnown - Whether the pane with this id was made or taken over here.
 */
export function parsePaneFacts(
  [line, command, title]: readonly [string, string, string],
  { owner, isKnown }: { readonly owner: string; isKnown(pane: string): boolean },
): PaneFacts {
  const [pane = "", pid, columns, rows, alternate, mode, dead, current, mark, ...name] = line.split(" ");
  const isMarked = mark === `-${owner}`;
  const state = {
    pane,
    session: name.join(" "),
    title,
    size: [Number(columns), Number(rows)] as const,
    command,
    alternate: alternate === "1",
    owned: isMarked && isKnown(pane),
  };
  return { state, pid: Number(pid), inMode: mode === "1", dead: dead === "1", isMarked, isCurrent: current === "1" };
}
