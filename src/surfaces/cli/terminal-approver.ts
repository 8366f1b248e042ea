/** Asks the user at the terminal whether a call may run. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { userInfo } from "node:os";
import type { Readable } from "node:stream";
import { ReadStream } from "node:tty";
import pc from "picocolors";
import type { Approval, ApprovalRequest, Approver } from "../../kernel/index.js";
import { type ApprovalText, approvalText } from "../approval-text.js";

const DEFAULT_COLUMNS = 80;
const MIN_COLUMNS = 20;
/** Lines of a question above which a row counts them: the first ones have scrolled away. */
const LONG_LINES = 40;
/** Wrong answers after which the call is denied. */
const MAX_QUESTIONS = 3;

export interface ApprovalTerminal {
  /** Opens what the user types. Input from before the question is not in it. */
  open(): Readable;
  write(text: string): unknown;
  /** How wide it is. Default 80. */
  readonly columns?: number;
}

/** The terminal of this process; undefined where there is none, or its stderr is not seen there. */
export function controllingTerminal(): ApprovalTerminal | undefined {
  if (process.stderr.isTTY !== true) return undefined;
  try {
    closeSync(openTerminal());
  } catch {
    return undefined;
  }
  return {
    open: typedFromNow,
    write: (text) => process.stderr.write(text),
    get columns() {
      return process.stderr.columns || DEFAULT_COLUMNS;
    },
  };
}

function openTerminal(): number {
  return openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
}

/** What was typed before the question was seen does not answer it, and neither does the beginning of a line. */
function typedFromNow(): Readable {
  const terminal = openTerminal();
  const typed = new ReadStream(terminal);
  const discarded = Buffer.alloc(4_096);
  // The terminal keeps an unfinished line to itself until it is raw.
  typed.setRawMode(true);
  try {
    while (readSync(terminal, discarded) > 0);
  } catch {
    // EAGAIN: there is no more.
  } finally {
    typed.setRawMode(false);
  }
  return typed;
}

/**
 * Shows what would run and reads one line. Everything but a clear yes denies the call, and so do end of file, an interrupt and
 * silence.
 *
 * @param during - Runs the question while nothing else writes to the terminal.
 */
export function terminalApprover(
  terminal: ApprovalTerminal,
  during: <T>(question: () => Promise<T>) => Promise<T>,
): Approver {
  const by = userName();
  return {
    ask: (request, { signal, timeoutMs }) =>
      during(async (): Promise<Approval> => {
        terminal.write(`\n${coloredApproval(approvalText(request), terminal.columns)}\n`);
        const question = questionFor(request, timeoutMs, terminal.columns);
        for (let asked = 0; asked < MAX_QUESTIONS; asked++) {
          const typed = terminal.open();
          terminal.write(question);
          const line = await lineFrom(typed, signal);
          if (line === undefined) terminal.write("\n");
          const answer = answerOf(line ?? "", request.canRemember === true);
          if (answer === "no") return { denied: `${by} did not allow it.` };
          if (answer !== undefined) return { by, scope: answer };
          const isForLonger = answerOf(line ?? "", true) !== undefined;
          if (isForLonger) terminal.write(`${onlyOnceText(request)} answer y or n.\n`);
        }
        return { denied: `${by} gave no valid answer.` };
      }),
  };
}

/** Whether the user answers "y" at the terminal of this process; undefined where there is none. */
export async function confirmAtTerminal(question: string): Promise<boolean | undefined> {
  const terminal = controllingTerminal();
  if (terminal === undefined) return undefined;
  const typed = terminal.open();
  terminal.write(`${pc.bold(question)} [y/N] `);
  const line = await lineFrom(typed, undefined);
  if (line === undefined) terminal.write("\n");
  return answerOf(line ?? "", false) === "once";
}

/** The name of the user of this process, for the audit log. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "of this machine"}`;
  }
}

/**
 * What is asked, with the body behind a bar that no text in it can imitate: what is wider than the terminal is wrapped here, so
 * that each line which the user sees has the bar.
 */
export function coloredApproval(
  { title, body, isDiff, rows }: ApprovalText,
  columns: number = process.stdout.columns || DEFAULT_COLUMNS,
): string {
  const name = Math.max(...rows.map((row) => row.name.length));
  const width = Math.max(MIN_COLUMNS, columns - 2);
  const bar = `${pc.dim("│")} `;
  const [head = "", ...moreOfHead] = wrapped(title, width, true);
  const lines = body.flatMap((line) => {
    const paint = isDiff ? diffPaint(line) : String;
    return wrapped(line, width).map((part) => `${bar}${paint(part)}`);
  });
  const facts = rows.flatMap((row) => {
    const [first = "", ...more] = row.lines.flatMap((line) => wrapped(line, Math.max(MIN_COLUMNS, width - name), true));
    return [`${pc.bold(row.name.padEnd(name))}  ${first}`, ...more.map((line) => `${" ".repeat(name)}${bar}${line}`)];
  });
  const shown = [pc.bold(head), ...moreOfHead.map((line) => `${bar}${line}`), ...lines, ...facts];
  if (shown.length > LONG_LINES) shown.push(`${pc.bold("long".padEnd(name))}  ${shown.length} lines: read all of them`);
  return `${shown.join("\n")}\n`;
}

/**
 * A line in parts that are not wider than `columns`, `atWords` after a space where there is one. Characters beyond Latin count as two
 * columns, which none exceeds.
 */
function wrapped(line: string, columns: number, atWords = false): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let width = 0;
  for (const char of line.replaceAll("\t", "    ")) {
    if (width + widthOf(char) > columns) {
      const space = atWords && char !== " " ? part.lastIndexOf(" ") + 1 : 0;
      const end = space === 0 ? part.length : space;
      parts.push(part.slice(0, end));
      part = part.slice(end);
      width = [...part].reduce((sum, one) => sum + widthOf(one), 0);
    }
    part += char;
    width += widthOf(char);
  }
  return [...parts, part];
}

function widthOf(char: string): number {
  return (char.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
}

function diffPaint(line: string): (text: string) => string {
  if (line.startsWith("@@")) return pc.cyan;
  return line.startsWith("+") ? pc.green : line.startsWith("-") ? pc.red : String;
}

function questionFor(
  { canRemember, rule }: ApprovalRequest,
  timeoutMs: number | undefined,
  columns: number = DEFAULT_COLUMNS,
): string {
  const more = canRemember === true ? ", [s]ession, [p]roject" : "";
  const keys = canRemember === true ? "y/s/p/N" : "y/N";
  const hint = canRemember === true && rule === "workspace-code" ? "p asks only once for this project. " : "";
  const limit = timeoutMs === undefined ? "" : ` within ${Math.round(timeoutMs / 1000)} s`;
  const choices = wrapped(`Allow it? [y]es once${more}, [n]o.`, columns, true).join("\n").replace("Allow it?", pc.bold);
  const notes = wrapped(`${hint}No answer${limit} means no.`, columns, true).join("\n");
  return `${choices}\n${notes}\n[${keys}] `;
}

/** Why an answer for the session or the project is not offered. */
function onlyOnceText({ preview, hidden }: ApprovalRequest): string {
  if (hidden !== undefined) return "A call with a hidden part is allowed only once:";
  if (preview?.kind === "delete") return "Deletions are asked about each time:";
  return "The policy asks about each such call:";
}

/** Undefined for anything else, which is asked again. */
function answerOf(line: string, canRemember: boolean): "once" | "session" | "project" | "no" | undefined {
  const word = line.trim().toLowerCase();
  if (word === "" || word === "n" || word === "no") return "no";
  if (word === "y" || word === "yes") return "once";
  if (!canRemember) return undefined;
  if (word === "s" || word === "session") return "session";
  return word === "p" || word === "project" ? "project" : undefined;
}

/** The next line; undefined at the end of the input, after an error, and once the signal fires. */
function lineFrom(input: Readable, signal: AbortSignal | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = "";
    const end = (line: string | undefined) => {
      signal?.removeEventListener("abort", stop);
      input.removeAllListeners().on("error", () => {});
      input.destroy();
      resolve(line);
    };
    const stop = () => end(undefined);
    input.on("data", (chunk: Buffer | string) => {
      text += chunk.toString();
      const newline = text.search(/[\r\n]/);
      if (newline !== -1) end(text.slice(0, newline));
    });
    for (const event of ["end", "close", "error"]) input.on(event, stop);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
  });
}
