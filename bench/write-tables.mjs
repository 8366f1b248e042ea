/** Puts generated text between two marks of a Markdown file, and leaves the rest of it as it is. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MARK = ["<!-- from the bench -->", "<!-- end of what the bench wrote -->"];

/** Whether the file has the marks; without them nothing is written. */
export function writeBetweenMarks(name, text) {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const [before, rest] = readFileSync(path, "utf8").split(MARK[0]);
  const after = rest?.split(MARK[1])[1];
  if (after === undefined) return false;
  writeFileSync(path, `${before}${MARK[0]}\n\n${text}\n\n${MARK[1]}${after}`);
  return true;
}
