/** JSON on standard output. */
import { escapeControls } from "../../text/index.js";

/** Where it is printed. */
export interface Stream {
  readonly isTTY?: boolean;
}

/** With a line end. A terminal gets the same values, the characters that it would obey escaped. */
export function jsonText(json: string, stream: Stream): string {
  return `${stream.isTTY === true ? escapeControls(json) : json}\n`;
}

/** One line, or indented by `spaces`. */
export function printJson(value: unknown, spaces?: number): void {
  process.stdout.write(jsonText(JSON.stringify(value, null, spaces), process.stdout));
}
