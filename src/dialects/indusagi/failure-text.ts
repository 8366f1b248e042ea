/** A failed call in this dialect: its stable texts by code, else the sentence of the tool. */
import { isRecord, type RenderContext, type Rendered, type ToolResult } from "../../kernel/index.js";
import { ambiguousLines } from "../ambiguous-lines.js";
import { entryOf, type Failure, failureOf, givenPathOf, textDetail } from "../failure.js";
import { textResult } from "../rendering.js";
import type { IndusagiEdition } from "./edition.js";
import { MODIFIED_SINCE_READ_MESSAGE, patternFailed, READ_BEFORE_EDIT_MESSAGE, systemCallFailed } from "./messages.js";

/** @param call - The system call that the tool begins with, for the edition that names it. */
export function renderIndusagiFailure(
  edition: IndusagiEdition,
  result: ToolResult<unknown>,
  about: RenderContext,
  call = "open",
): Rendered {
  const failure = failureOf(result);
  return textResult(failureText(edition, failure, { call, path: givenPathOf(about, failure.details.path) }));
}

interface Touched {
  readonly call: string;
  readonly path: string;
}

function failureText(edition: IndusagiEdition, failure: Failure, touched: Touched): string {
  const stable = entryOf(STABLE, failure.code)?.(failure);
  if (stable !== undefined) return stable;
  const system = edition === "python" ? entryOf(SYSTEM_CALLS, failure.code) : undefined;
  if (system !== undefined) return system(failure, touched);
  return [failure.message, ...factsOf(failure)].join("\n");
}

const STABLE: Readonly<Record<string, (failure: Failure) => string>> = {
  FS_NOT_READ: () => READ_BEFORE_EDIT_MESSAGE,
  FS_STALE: () => MODIFIED_SINCE_READ_MESSAGE,
  SEARCH_PATTERN: (failure) => patternFailed(textDetail(failure, "why") ?? failure.message),
  SEARCH_UNSUPPORTED: (failure) => {
    const feature = textDetail(failure, "feature");
    return patternFailed(feature === undefined ? failure.message : `it holds ${feature}, which is not supported`);
  },
};

type SystemCall = (failure: Failure, touched: Touched) => string;

function onPath(errno: string, reason: string): SystemCall {
  return (_failure, { call, path }) => systemCallFailed(errno, reason, call, path);
}

const SYSTEM_CALLS: Readonly<Record<string, SystemCall>> = {
  FS_NOT_FOUND: onPath("ENOENT", "no such file or directory"),
  FS_EXISTS: onPath("EEXIST", "file already exists"),
  FS_PERMISSION: onPath("EACCES", "permission denied"),
  FS_NOT_A_DIRECTORY: onPath("ENOTDIR", "not a directory"),
  FS_LINK_LOOP: onPath("ELOOP", "too many symbolic links encountered"),
  FS_CROSS_DEVICE: onPath("EXDEV", "cross-device link not permitted"),
  FS_READ_ONLY: onPath("EROFS", "read-only file system"),
  FS_NO_SPACE: () => systemCallFailed("ENOSPC", "no space left on device", "write"),
  FS_NOT_A_FILE: (failure) =>
    failure.details.kind === "directory"
      ? systemCallFailed("EISDIR", "illegal operation on a directory", "read")
      : failure.message,
};

/** What the details of a failed edit add: where the text comes near, or where it stands more than once. */
function factsOf(failure: Failure): readonly string[] {
  const { nearest } = failure.details;
  if (failure.code === "EDIT_AMBIGUOUS") return ambiguousLines(failure);
  if (failure.code !== "EDIT_NOT_FOUND" || !Array.isArray(nearest)) return [];
  return nearest.filter(isRecord).slice(0, 3).flatMap(nearPlace);
}

function nearPlace({ line, text, differs }: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof text !== "string" || text === "") return [];
  const why = typeof differs === "string" ? ` (${differs})` : "";
  return [`Near line ${typeof line === "number" ? line : "?"}${why}:`, text];
}
