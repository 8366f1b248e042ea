/**
 * The scripts that the shell of a pane reads: what is typed is only their path. They run in bash, `bash --posix`, dash, busybox ash
 * and zsh, whatever aliases, functions and options the user has set.
 */
import { posixQuote, shellWord } from "../../text/index.js";

/** Variables of commands whose output is collected: no pager or editor waits for keys. */
export const COLLECTED_ENV: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_EDITOR: ":",
  EDITOR: ":",
  GIT_TERMINAL_PROMPT: "0",
  NO_COLOR: "1",
};

/** Characters and lines of a command that are shown in the pane. */
const SHOWN = { characters: 500, lines: 5 };

/** A mark in the output, which a terminal does not show. The nonce is new for each command and is only in the script. */
export function outputMark(nonce: string, part: "begin" | "end" | "ready"): string {
  return `\u001b]7473;${nonce};${part}\u0007`;
}

/**
 * Ctrl-E and Ctrl-U, which clear a line that the user has begun. Ctrl-E is repeated because busybox ash asks the terminal where the
 * cursor is, and at some places, such as row 1 and column 5, drops up to 11 bytes that follow the answer.
 */
const CLEAR_INPUT = `${"\u0005".repeat(12)}\u0015`;

/** Clears a line that the user has begun, then runs the script. Enter is the newline. */
export function typedLine(path: string, subshell: boolean): string {
  const call = `. ${shellWord(path)}`;
  return `${CLEAR_INPUT} ${subshell ? `(${call})` : call}\n`;
}

const printMark = (nonce: string, part: "begin" | "end" | "ready") => `printf '\\033]7473;${nonce};${part}\\007'`;

/** Removes the typed line, which stands above the cursor. */
const CLEAR = String.raw`printf '\033[A\r\033[J'`;

/** Modes that a program leaves which was killed: the mouse would be typed into the pane. */
const RESET_MOUSE = String.raw`printf '\033[?1000l\033[?1002l\033[?1003l'`;
const LEAVE_ALTERNATE = String.raw`printf '\033[?1049l'`;

/** What passes over aliases and functions. In zsh, `command` passes over the shell's own commands too. */
const directCall = (isZsh: boolean): string => (isZsh ? String.raw`\builtin` : String.raw`\command`);

/** Sets `haft_call` to the nonce where such a call runs what it is given and keeps its status. */
const testCall = (call: string, nonce: string): string =>
  `haft_call=; ${call} eval haft_call=${nonce}; ${call} true || haft_call=; if ${call} false; then haft_call=; fi`;

/** bash: forgets the line that read this script, which it has stored already where the user's settings keep such lines. */
const forgetLine = (path: string) =>
  String.raw`case $(HISTTIMEFORMAT= \command history 1) in
  *${posixQuote(`. ${path}`)}) \command history -d "$(\command unset IFS; \command set -f; \command set -- $(HISTTIMEFORMAT= \command history 1); \command printf %s "$\{1%%[!0-9]*}")" ;;
  esac`.replace("$\\{", "${");

/** bash: lines that begin with a space are not stored, beside those that the user's setting excludes. */
const IGNORE_SPACE = String.raw`case :$\{HISTCONTROL-}: in
  *:ignorespace:*|*:ignoreboth:*) ;;
  *) HISTCONTROL=$\{HISTCONTROL:+$HISTCONTROL:}ignorespace ;;
  esac`.replaceAll("$\\{", "${");

/**
 * Reports that the shell reads commands, and keeps what is typed here out of its history, which is the user's. zsh stores a line before
 * it runs it, so that its first one is kept out by an option at its start.
 *
 * @param path - Of this script.
 */
export function readyScript(nonce: string, path: string): string {
  const report = (call: string) =>
    `${testCall(call, nonce)}; case $haft_call in ${nonce}) ${call} ${CLEAR}; ${call} ${printMark(nonce, "ready")} ;; esac; ${call} unset haft_call`;
  return [
    `case \${BASH_VERSION-} in ?*) ${forgetLine(path)}; ${IGNORE_SPACE} ;; esac`,
    `case \${ZSH_VERSION-} in ?*) \\builtin setopt hist_ignore_space; ${report(directCall(true))} ;;`,
    `*) ${report(directCall(false))} ;; esac`,
    "",
  ].join("\n");
}

export interface PaneCommand {
  readonly nonce: string;
  readonly command: string;
  readonly isZsh: boolean;
  /** Contains the command, alone. */
  readonly commandFile: string;
  readonly statusFile: string;
  /** Contains the stdin. Absent: the terminal. */
  readonly inputFile?: string;
  readonly cwd: string;
  /** The only real path that it may start in. */
  readonly realCwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The line of the prompt has nothing else, so that it can be removed with the typed path. */
  readonly clears: boolean;
  /** The pane shows the screen of a program that was killed. */
  readonly leavesAlternate: boolean;
}

/**
 * Runs a command in a subshell of a subshell: the outer one writes the exit code to a file that no output can imitate. It survives
 * the signals of a terminal, so that it can do this after Ctrl-C. Aliases of the user would change what was judged, so they are
 * removed first: a shell expands them when it reads a line. Functions of the user stay for the command, and are passed over here. Where
 * one takes the place of what passes over them, and does not run what it is given or changes its status, nothing begins.
 */
export function paneCommandScript(one: PaneCommand): string {
  const call = directCall(one.isZsh);
  const status = posixQuote(one.statusFile);
  const environment = Object.entries(one.env).map(([name, value]) => `${call} export ${name}=${posixQuote(value)}`);
  const input = one.inputFile === undefined ? "" : ` < ${posixQuote(one.inputFile)}`;
  return [
    `${call} unalias -a 2>/dev/null`,
    testCall(call, one.nonce),
    `case $haft_call in ${one.nonce})`,
    `${call} unset haft_call`,
    `${call} set +e`,
    `${call} trap : INT QUIT TERM`,
    ...[RESET_MOUSE, one.leavesAlternate ? LEAVE_ALTERNATE : "", one.clears ? CLEAR : ""]
      .filter((line) => line !== "")
      .map((line) => `${call} ${line}`),
    `${call} printf '%s\\n' ${posixQuote(`$ ${shownCommand(one.command)}`)}`,
    `if ${call} cd -P ${posixQuote(one.cwd.startsWith("-") ? `./${one.cwd}` : one.cwd)} 2>/dev/null; then`,
    `  case $PWD in ${posixQuote(one.realCwd)})`,
    `    ${call} ${printMark(one.nonce, "begin")}`,
    "    (",
    ...environment,
    `    ${call} . ${posixQuote(one.commandFile)}`,
    `    )${input}`,
    `    ${call} printf '%s exit %s .\\n' ${one.nonce} "$?" >| ${status} ;;`,
    `  *) ${call} printf '%s directory %s .\\n' ${one.nonce} "$PWD" >| ${status} ;; esac`,
    `else ${call} printf '%s missing .\\n' ${one.nonce} >| ${status}; fi`,
    `${call} ${printMark(one.nonce, "end")}`,
    ";; esac",
    "",
  ].join("\n");
}

function shownCommand(command: string): string {
  const lines = command.split("\n");
  const text = lines.slice(0, SHOWN.lines).join("\n").slice(0, SHOWN.characters);
  const rest = text.length < command.length ? " …" : "";
  return text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, " ") + rest;
}
