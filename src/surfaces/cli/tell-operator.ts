import { showControls } from "../../text/index.js";

/** Characters of one line for the operator. */
const LONGEST_NOTE = 2_000;

/** A line on standard error. What a stranger sent may stand in it, and a terminal obeys what it is shown. */
export function tellOperator(line: string): void {
  process.stderr.write(`haft: ${showControls(line.slice(0, LONGEST_NOTE))}\n`);
}
