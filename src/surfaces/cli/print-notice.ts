/** Notes for the person, on standard error. What a stranger named or sent may stand in one, and a terminal obeys what it is shown. */
import { showControls } from "../../text/index.js";

/** Characters of one line for the operator. */
const MAX_NOTICE_CHARACTERS = 2_000;

/** A line that we word; the names in it are of files, processes, sessions and the like. */
export function printNotice(line: string): void {
  process.stderr.write(`haft: ${showControls(line)}\n`);
}

/** A line that may be a stranger's own, cut where it is long. */
export function printUntrustedNotice(line: string): void {
  printNotice(line.slice(0, MAX_NOTICE_CHARACTERS));
}

/** A text of several lines, each of which shows what it holds. */
export function shownLines(text: string): string {
  return text.split("\n").map(showControls).join("\n");
}
