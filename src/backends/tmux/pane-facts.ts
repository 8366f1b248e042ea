import type { PaneState } from "../../kernel/index.js";

/** What tmux reports about a pane. */
export interface PaneFacts {
  readonly state: Omit<PaneState, "shell">;
  /** Of its first program. */
  readonly pid: number;
  /** The path of its terminal. */
  readonly tty: string;
  /** A mode such as the copy mode is open, which would take keys. */
  readonly inMode: boolean;
  readonly dead: boolean;
  /** Ours by its option, also before it is used. */
  readonly isMarked: boolean;
  /** Its window is the current one of the session. */
  readonly isCurrent: boolean;
}

/**
 * Names and titles contain anything, so each stands at the end of a line. Those of programs may contain newlines: their first lines
 * are recognized by the owner.
 */
export const paneFormats = (owner: string): readonly string[] => [
  "#{pane_id} #{pane_pid} #{pane_tty} #{pane_width} #{pane_height} #{alternate_on} #{pane_in_mode} #{pane_dead} #{window_active} -#{@haft} #{session_name}",
  `${owner} #{pane_id} #{pane_current_command}`,
  `${owner} #{pane_id} #{pane_title}`,
];

/** The texts by pane in an answer to the second or third format, each up to its first newline. */
export function textsByPane(lines: readonly string[], owner: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const line of lines) {
    const [mark, pane = "", ...words] = line.split(" ");
    if (mark === owner) texts.set(pane, words.join(" "));
  }
  return texts;
}

/**
 * @param line - The answer to the first format about one pane.
 * @param texts - Its command and its title, by pane.
 * @param owner - Marks panes of ours.
 * @param isKnown - Whether the pane with this id was made or taken over here.
 */
export function parsePaneFacts(
  line: string,
  [commands, titles]: readonly [ReadonlyMap<string, string>, ReadonlyMap<string, string>],
  { owner, isKnown }: { readonly owner: string; isKnown(pane: string): boolean },
): PaneFacts {
  const [pane = "", pid, tty = "", columns, rows, alternate, mode, dead, current, mark, ...name] = line.split(" ");
  const isMarked = mark === `-${owner}`;
  const state = {
    pane,
    session: name.join(" "),
    title: titles.get(pane) ?? "",
    size: [Number(columns), Number(rows)] as const,
    command: commands.get(pane) ?? "",
    alternate: alternate === "1",
    owned: isMarked && isKnown(pane),
  };
  return {
    state,
    pid: Number(pid),
    tty,
    inMode: mode === "1",
    dead: dead === "1",
    isMarked,
    isCurrent: current === "1",
  };
}
