/** The format version of a state directory: one number for all its files, in `format.json`. */
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { HaftError, messageOf, shortageOf } from "../../kernel/index.js";
import { readIfThere, replaceStateFile } from "./replace-state-file.js";

/**
 * The format that this version reads and writes. It is incremented whenever a file of the state directory changes so that an
 * older version would misread it or lose data. Files that are only added do not change it: `sessions/ID/documents` took the
 * place of `todo.json` and `memory.json` there, which are no longer read and are deleted with their session.
 */
export const STATE_FORMAT = 1;

const FILE = "format.json";

export const formatPath = (root: string): string => join(root, FILE);

/**
 * Why the files of a directory must not be used, as a clause with the next step; undefined if they can be. A directory
 * without `format.json` has format 1.
 */
export function formatProblem(root: string): string | undefined {
  let text: string | undefined;
  try {
    text = readIfThere(formatPath(root));
    if (text === undefined && isSymlink(formatPath(root)))
      return `"${formatPath(root)}" is a dangling symlink. Restore its target`;
  } catch (error) {
    return `"${formatPath(root)}" cannot be read (${messageOf(error)}). ${adviceFor(error)}`;
  }
  const found = text === undefined ? 1 : formatIn(text);
  if (found === undefined)
    return `"${formatPath(root)}" does not state the format of the files. Restore it, or delete it if no newer Haft has used the directory`;
  if (found <= STATE_FORMAT) return undefined;
  return `"${formatPath(root)}" says format ${found}, and this Haft knows format ${STATE_FORMAT}. Use the newer Haft`;
}

function adviceFor(error: unknown): string {
  return shortageOf(error)?.next ?? "Make it readable for this user";
}

/** @throws `STORE_NEWER` if a newer version has written the directory, or its version cannot be read. Changes nothing. */
export function requireFormat(root: string): void {
  const problem = formatProblem(root);
  if (problem === undefined) return;
  throw new HaftError(
    "STORE_NEWER",
    `Did not use the state directory "${root}": ${problem}, or use another directory with \`--state DIR\` or the environment variable HAFT_STATE.`,
    { details: { path: formatPath(root), known: STATE_FORMAT } },
  );
}

/** Writes the format version of the directory, unless it has one. */
export function noteFormat(root: string): void {
  if (!existsSync(formatPath(root)))
    replaceStateFile(formatPath(root), `${JSON.stringify({ format: STATE_FORMAT })}\n`);
}

function isSymlink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function formatIn(text: string): number | undefined {
  try {
    const { format } = JSON.parse(text) as { readonly format?: unknown };
    return typeof format === "number" && Number.isInteger(format) && format >= 1 ? format : undefined;
  } catch {
    return undefined;
  }
}
