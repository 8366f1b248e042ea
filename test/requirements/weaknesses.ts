/** Weaknesses of the systems that Haft's dialects imitate, as what Haft does instead. A test of each fails on their way. */
import type { RequirementRow } from "../requirements.js";

export const WEAKNESSES: readonly RequirementRow[] = [
  ["W1", "tmux", "the end of a command is known in bash, whose prompt expands nothing for it"],
  ["W2", "tmux", "what a pane's shell reads is valid in bash, dash, busybox ash and zsh"],
  ["W3", "tmux", "an exit code is the command's own, whatever the prompt runs before it is shown"],
  ["W4", "tmux", "output that does not end in a newline is whole"],
  ["W5", "tmux", "a line of output that ends like the command is output"],
  ["W6", "tmux", "output that imitates an end of the command ends nothing"],
  ["W7", "tmux", "a command of several lines gives one result, of all of it"],
  ["W8", "tmux", "output longer than the history of a pane is whole"],
  ["W9", "tmux", "what is typed arrives as it is: with dashes, semicolons, and of any length"],
  [
    "W10",
    "tmux",
    "a look at a command in a pane starts no process, here or there, and moves what is new, not the history",
  ],
  [
    "W11",
    "tmux",
    "files never go through a pane, so any bytes are exact; stderr is apart where commands do not run in one",
  ],
  ["W12", "tmux", "each wait has an end: a shell that does not answer, and a command at its deadline"],
  ["W27", "shell", "a deadline ends all that a command started, not its first process alone"],
  [
    "W30",
    "ssh",
    "a private socket on a short path, no question to a user, limits for connecting and silence, no host as an option",
  ],
  ["W31", "container", "no login shell, a validated name, and a deadline that ends what runs in the container"],
];
