/** The port to terminals that a user may watch (tmux). Only some backends have it. */
import type { ShellOptions, ShellResult } from "./shell.js";

/** One pane of a terminal and its state. */
export interface PaneState {
  /** Its id, such as "%3". */
  readonly pane: string;
  readonly session: string;
  readonly title: string;
  /** Columns and rows. */
  readonly size: readonly [number, number];
  /** "prompt": its shell waits for a command. "unknown": the pane was not made by this backend, so that its shell reports nothing. */
  readonly shell: "prompt" | "busy" | "gone" | "unknown";
  /** The name of its foreground program. */
  readonly command: string;
  /** Whether a program such as `less` shows its own screen. */
  readonly alternate: boolean;
  /** Whether this backend made the pane. Others are neither closed nor used for commands. */
  readonly owned: boolean;
  /** What happened that the call did not ask for, as a sentence: the default pane was gone and another one was opened. */
  readonly notice?: string;
}

/** Text is typed as it is, and a newline in it is Enter. Unknown key names are rejected. */
export type Keys = { readonly text: string } | { readonly key: string };

export interface CaptureOptions {
  /** The first line: 0 is the first visible one, negative numbers lie in the history, "-" is its start. Default: the first visible one. */
  readonly from?: number | "-";
  /** The last line; "-" is the last visible one. Default: that. */
  readonly to?: number | "-";
  /** Joins lines that the terminal wrapped. */
  readonly join: boolean;
  /** Keeps whitespace at the end of lines. */
  readonly trailing: boolean;
  /** Keeps colors and other attributes as escape sequences. */
  readonly escapes: boolean;
  /** Shows characters that cannot be printed as `\ooo`. */
  readonly escapeNonPrintable: boolean;
  /** The screen that an alternate-screen program has saved; without such a program the normal screen, with `fellBack`. */
  readonly alternate: boolean;
}

/** The text of a pane. */
export interface PaneCapture {
  readonly text: string;
  readonly state: PaneState;
  /** The alternate screen was requested, and there is none. */
  readonly fellBack: boolean;
}

/** What a command in a pane printed; stdout and stderr are one stream there. */
export interface PaneResult extends ShellResult {
  readonly merged: true;
  readonly pane: string;
  readonly userTyped: boolean;
}

/** The id under which the pane is meant that commands run in: made with its session when it is first used. */
export const DEFAULT_PANE = "default";

/** How a user finds a terminal that was started. */
export interface StartedTerminal {
  /** For a shell of this machine: there the user sees the terminal and types in it. Absent where no command of this machine shows it. */
  readonly attachCommand?: string;
  /** The name of the session that the user chose, where none of that name existed and it was created. */
  readonly createdSession?: string;
}

/**
 * The terminals of a backend. `pane` is an id such as "%3", or `DEFAULT_PANE`. A pane that is gone is `TERMINAL_PANE_GONE`, one that
 * belongs to somebody else `TERMINAL_NOT_OWNED`, one whose shell is busy `TERMINAL_BUSY`. `run` and `dispatch` need the claim of the
 * command, and none of the pane.
 */
export interface Terminal {
  list(): Promise<readonly PaneState[]>;
  /** See {@link StartedTerminal}. Whoever may list panes may call it. */
  attachCommand?(): Promise<string | undefined>;
  open(options: {
    readonly name?: string;
    readonly cwd?: string;
    readonly size?: readonly [number, number];
  }): Promise<PaneState>;
  close(pane: string): Promise<void>;
  capture(pane: string, options: CaptureOptions): Promise<PaneCapture>;
  /** Types. The pane's program reads it, whatever it is. */
  send(pane: string, keys: readonly Keys[]): Promise<PaneState>;
  /** Runs a command in a subshell of the pane's shell and waits for its end. */
  run(pane: string, command: string, options: ShellOptions): Promise<PaneResult>;
  /** Types a command and Enter into a pane whose shell waits for one, and returns. */
  dispatch(pane: string, command: string, options: { readonly cwd?: string }): Promise<PaneState>;
}

/** Names of keys that end a line as Enter does. */
const ENTERS: ReadonlySet<string> = new Set(["enter", "kpenter", "c-m", "^m", "c-j", "^j"]);

/** What is typed, as one text for claims and questions: text as it is, Enter as a newline, other keys as `<Up>`. */
export function keysAsText(keys: readonly Keys[]): string {
  return keys
    .map((one) => ("text" in one ? one.text : ENTERS.has(one.key.toLowerCase()) ? "\n" : `<${one.key}>`))
    .join("");
}
