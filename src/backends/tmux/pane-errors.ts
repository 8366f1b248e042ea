import { HaftError } from "../../kernel/index.js";

/** The error for a pane that does not exist. */
export function paneGone(id: string): HaftError {
  return new HaftError("TERMINAL_PANE_GONE", `Did not use the pane "${id}": there is no such pane. List the panes.`, {
    details: { pane: id },
  });
}

/** The error for a line that the terminal would cut. */
export function lineTooLong(id: string, command: string, bytes: number): HaftError {
  return new HaftError(
    "TERMINAL_BUSY",
    `Did not type into the pane "${id}": a line of the text has ${bytes} bytes, and ${command} reads whole lines, of which the terminal keeps 4095 bytes. Break the line, or write the text to a file.`,
    { details: { pane: id, command } },
  );
}

/** The error for a pane whose shell does not wait for a command. */
export function paneBusy(id: string, command: string, why: string): HaftError {
  return new HaftError(
    "TERMINAL_BUSY",
    `Did not run the command in the pane "${id}": ${command} ${why}. Wait, send keys to end it, or open another pane.`,
    { details: { pane: id, command } },
  );
}

/** The error for a directory that a command could not start in. */
export function noDirectory(cwd: string): HaftError {
  return new HaftError(
    "SHELL_SPAWN",
    `Did not run the command: "${cwd}" is not a directory that can be entered, or was replaced. Pass another \`cwd\`.`,
    { details: { system: "ENOENT" } },
  );
}
