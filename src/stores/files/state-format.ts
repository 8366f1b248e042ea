/** The format version of a state directory: one number for all its files, in `format.json`. */

import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { NO_SQLITE, sqliteSupport } from "../../host/index.js";
import { HaftError, messageOf, shortageOf } from "../../kernel/index.js";
import { readIfThere, replaceStateFile } from "./replace-state-file.js";

/**
 * The format that this version reads and writes. It is incremented whenever a file of the state directory changes so that an
 * older version would misread it or lose data. Files that are only added do not change it: `sessions/ID/documents` took the
 * place of `todo.json` and `memory.json` there, which are no longer read and are deleted with their session.
 *
 * From format 2 on, documents, sessions and approvals are in the database `DATABASE_FILE`, or are just being moved there: its table
 * haft_meta says whether they are. In format 1 they are files.
 */
export const STATE_FORMAT = 2;
const FILES_FORMAT = 1;

/** The name of the database. */
export const DATABASE_FILE = "state.db";

const FILE = "format.json";

export const formatPath = (root: string): string => join(root, FILE);

interface FormatProblem {
  /** A clause with the next step. */
  readonly why: string;
  /** The state is of this version, but nothing here opens SQLite. */
  readonly lacksSqlite?: true;
}

/**
 * Why the files of a directory must not be used; undefined if they can be. A directory without `format.json` has format 1.
 *
 * @param holds - "files": it is used by who keeps documents, sessions and approvals in files.
 */
export function formatProblem(root: string, holds?: "files"): FormatProblem | undefined {
  let text: string | undefined;
  try {
    text = readIfThere(formatPath(root));
    if (text === undefined && isSymlink(formatPath(root)))
      return { why: `"${formatPath(root)}" is a dangling symlink. Restore its target` };
  } catch (error) {
    return { why: `"${formatPath(root)}" cannot be read (${messageOf(error)}). ${adviceFor(error)}` };
  }
  const found = text === undefined ? FILES_FORMAT : formatIn(text);
  if (found === undefined)
    return {
      why: `"${formatPath(root)}" does not state the format of the files. Restore it, or delete it if no newer Haft has used the directory`,
    };
  if (found === FILES_FORMAT) return undefined;
  const database = join(root, DATABASE_FILE);
  if (found !== STATE_FORMAT)
    return {
      why: `"${formatPath(root)}" says format ${found}, and this Haft knows format ${STATE_FORMAT}. Use the newer Haft`,
    };
  if (holds === "files")
    return {
      why: `its documents, sessions and approvals are in "${database}". Open them with \`openSqliteState\``,
    };
  if (sqliteSupport() !== undefined) return undefined;
  return {
    why: `its sessions and approvals are in "${database}", which nothing here can open: ${NO_SQLITE}`,
    lacksSqlite: true,
  };
}

function adviceFor(error: unknown): string {
  return shortageOf(error)?.next ?? "Make it readable for this user";
}

/**
 * @throws `STORE_NEWER` if a newer version has written the directory or its version cannot be read, `CONFIG_MISSING_PACKAGE` if
 *   nothing here opens its database. Changes nothing.
 */
export function requireFormat(root: string, holds?: "files"): void {
  const problem = formatProblem(root, holds);
  if (problem === undefined) return;
  const message = `Did not use the state directory "${root}": ${problem.why}, or use another directory with \`--state DIR\` or the environment variable HAFT_STATE.`;
  if (problem.lacksSqlite) throw new HaftError("CONFIG_MISSING_PACKAGE", message, { details: { package: "libsql" } });
  throw new HaftError("STORE_NEWER", message, { details: { path: formatPath(root), known: STATE_FORMAT } });
}

/** Writes the format version of the directory, unless it has one: that of files, until something is stored in the database. */
export function noteFormat(root: string): void {
  if (!existsSync(formatPath(root))) writeFormat(root, FILES_FORMAT);
}

/** From now on, nothing is read from or written to files in place of the database. The directory must be there. */
export function noteDatabase(root: string): void {
  if (formatOf(root) !== STATE_FORMAT) writeFormat(root, STATE_FORMAT);
}

function formatOf(root: string): number | undefined {
  const text = readIfThere(formatPath(root));
  return text === undefined ? FILES_FORMAT : formatIn(text);
}

function writeFormat(root: string, format: number): void {
  replaceStateFile(formatPath(root), `${JSON.stringify({ format })}\n`);
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
