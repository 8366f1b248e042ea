/** What commands print: notices on stderr, JSON on stdout, and times. */
import { escapeControls, showControls } from "../../text/index.js";

const MAX_NOTICE_CHARACTERS = 2_000;

/** Prints a notice for the user on stderr, with control characters made visible: names in it may come from elsewhere. */
export function printNotice(line: string): void {
  process.stderr.write(`haft: ${showControls(line)}\n`);
}

/** The same for a text of several lines. */
export function printNoticeLines(text: string): void {
  process.stderr.write(`haft: ${shownLines(text)}\n`);
}

/** The same for text that another program wrote; long text is truncated. */
export function printUntrustedNotice(line: string): void {
  printNotice(line.slice(0, MAX_NOTICE_CHARACTERS));
}

/** Makes control characters visible in each line. */
export function shownLines(text: string): string {
  return text.split("\n").map(showControls).join("\n");
}

export interface Stream {
  readonly isTTY?: boolean;
}

/** The JSON with a newline at its end; on a terminal control characters are escaped, which keeps the values. */
export function jsonText(json: string, stream: Stream): string {
  return `${stream.isTTY === true ? escapeControls(json) : json}\n`;
}

/** Prints on stdout: one line, or indented by `spaces`. */
export function printJson(value: unknown, spaces?: number): void {
  process.stdout.write(jsonText(JSON.stringify(value, null, spaces), process.stdout));
}

/** "2031-05-01 10:20:30 UTC", or to the minute. */
export function utcTime(ms: number, precision: "second" | "minute" = "second"): string {
  const shown = new Date(ms).toISOString().slice(0, precision === "second" ? 19 : 16);
  return `${shown.replace("T", " ")} UTC`;
}
