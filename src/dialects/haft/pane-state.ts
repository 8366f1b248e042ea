/** A pane in one line: which it is, and what happens in it. */
import type { PaneState } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";

export function paneLine(state: PaneState): string {
  const { pane, title, session, size, owned, notice } = state;
  const name = title === "" ? "" : ` ${JSON.stringify(showControls(title))}`;
  const foreign = owned ? "" : ", not opened by Haft";
  const reported = notice === undefined ? "" : `. ${showControls(notice)}`;
  return `${showControls(pane)}${name} in ${showControls(session)}, ${size[0]}x${size[1]}${foreign}: ${activityOf(state)}${reported}`;
}

function activityOf({ shell, command, alternate }: PaneState): string {
  const program = JSON.stringify(showControls(command));
  if (shell === "gone") return "its program has ended";
  const screen = alternate ? `, which shows its own screen` : "";
  if (shell === "busy") return `${program} runs${screen}`;
  if (shell === "unknown") return `the foreground program is ${program}${screen}`;
  return "the shell waits for a command";
}
