/** Ignore files that ripgrep would not read as we do. */
import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import {
  IGNORE_FILES,
  MAX_IGNORE_FILE_BYTES,
  MAX_IGNORE_RULES,
  type SearchScope,
  type WalkQuery,
  walkTree,
} from "../../../kernel/index.js";
import { baseName, countNewlines } from "../../../text/index.js";
import type { TreeSource } from "./tree-source.js";

/** ripgrep heeds it; to us it is a file like any other. */
export const ALIEN_IGNORE_FILE = ".rgignore";

/**
 * Lines with a brace that no backslash stands before, lines that name nothing, and lines with more than blanks at their end.
 * Blanks are looked at from the first of a row only, so that a line of them takes no longer than another.
 */
const READ_OTHERWISE =
  /^(?!#).*?(?<!\\)(?:\\\\)*[{}]|^(?:!\/*|\/+)\s*$|(?<![^\S\n])(?=[^\S\n]+(?![^\n]))[ \r]*[^\S \r\n]|\r[^\S\n]+$/m;

/**
 * Whether ripgrep takes the file for what we do. It is at odds about braces, which it expands, about a line of `!` alone,
 * which keeps everything, about tabs at the end of a line, about text that is not UTF-8, about a file that is too long for us or
 * may have too many rules, and about what is no file and may never end.
 *
 * @param path - For the system.
 */
export function isReadAlike(path: string): boolean {
  if (baseName(path) === ALIEN_IGNORE_FILE) return false;
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // Gone again.
    return true;
  }
  try {
    const info = fstatSync(descriptor);
    if (!info.isFile() || info.size > MAX_IGNORE_FILE_BYTES) return false;
    const bytes = readFileSync(descriptor);
    if (countNewlines(bytes) >= MAX_IGNORE_RULES) return false;
    return isUtf8(bytes) && !READ_OTHERWISE.test(bytes.toString());
  } catch {
    return true;
  } finally {
    closeSync(descriptor);
  }
}

/** Whether an ignore file below the root is a FIFO or the like, so that whoever opens it may wait for ever. */
export async function holdsOddRuleFile(source: TreeSource, query: WalkQuery, scope: SearchScope): Promise<boolean> {
  const names = [...IGNORE_FILES, ALIEN_IGNORE_FILE];
  const walk = { ...query, glob: `{${names.join()}}`, offset: 0, limit: Number.POSITIVE_INFINITY };
  try {
    for await (const item of walkTree(source, walk, scope)) {
      if (item.kind === "end" || item.entry.kind === "file" || item.entry.kind === "directory") continue;
      if (item.entry.kind === "other" || (await source.stat(item.path)).kind === "other") return true;
    }
  } catch {
    // A root or a link that cannot be looked at is no such file.
  }
  return false;
}
