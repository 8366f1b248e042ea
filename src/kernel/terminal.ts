/** The port to terminals that a user may watch (tmux). Only some backends have it. */
import type { ShellOptions, ShellResult } from "./shell.js";

/** One pane of a terminal and its state. */
export interface PaneState {
  readonly pane: string;
  readonly title: string;
  readonly size: readonly [number, number];
  readonly shell: "prompt" | "busy" | "gone" | "unknown";
  readonly command: string;
  readonly alternate: boolean;
}

/** Unknown key names are rejected. */
export type Keys = { readonly text: string } | { readonly key: string };

/** The terminals of a backend. */
export interface Terminal {
  list(): Promise<PaneState[]>;
  open(options: {
    readonly name?: string;
    readonly cwd?: string;
    readonly size?: readonly [number, number];
  }): Promise<PaneState>;
  close(pane: string): Promise<void>;
  capture(
    pane: string,
    options: {
      readonly from?: number;
      readonly to?: number;
      readonly join: boolean;
      readonly trailing: boolean;
      readonly escapes: boolean;
      readonly alternate: boolean;
    },
  ): Promise<{ readonly text: string; readonly state: PaneState }>;
  send(pane: string, keys: readonly Keys[]): Promise<void>;
  run(
    pane: string,
    command: string,
    options: ShellOptions,
  ): Promise<ShellResult & { readonly merged: true; readonly pane: string; readonly raw: string }>;
}
