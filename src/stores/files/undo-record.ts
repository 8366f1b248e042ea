/** Whether what was read from an undo log has the shape that is written to it. Files are changed by it. */
import { type CallRecord, type Change, type ChangeEnd, isRecord } from "../../kernel/index.js";
import { normalizePath } from "../../text/index.js";

export function isCall(value: Readonly<Record<string, unknown>>): value is Record<string, unknown> & CallRecord {
  const { callId, sessionId, tool, target, spec, source, machine, workspace, atMs, startedIn, undoes } = value;
  return (
    [callId, sessionId, tool, target, machine, workspace].every(isText) &&
    (spec === undefined || isText(spec)) &&
    (source === undefined || isSource(source)) &&
    isCount(atMs) &&
    (startedIn === undefined || isText(startedIn)) &&
    (undoes === undefined || (Array.isArray(undoes) && undoes.every(isText)))
  );
}

export function isChange(value: unknown): value is Change {
  if (!isRecord(value)) return false;
  const { kind, path, before, after, paths, entries, from, to, moved, replaced } = value;
  switch (kind) {
    case "write":
      return isPath(path) && (before === undefined || isEntry(before)) && (after === undefined || isText(after));
    case "mkdir":
      return Array.isArray(paths) && paths.length > 0 && paths.every(isPath);
    case "remove":
      return (
        isPath(path) &&
        Array.isArray(entries) &&
        entries.every((one: unknown) => isEntry(one) && isPath((one as { readonly path?: unknown }).path))
      );
    case "rename":
      return isPath(from) && isPath(to) && isMoved(moved) && (replaced === undefined || isEntry(replaced));
    default:
      return false;
  }
}

/** What is known of a change once it was made; what is damaged is not known. */
export function endOf({ after, added, removed, lost }: Readonly<Record<string, unknown>>): Omit<ChangeEnd, "failed"> {
  return {
    ...(isText(after) ? { after } : {}),
    ...(isCount(added) ? { added } : {}),
    ...(isCount(removed) ? { removed } : {}),
    ...(isText(lost) ? { lost } : {}),
  };
}

function isSource(value: unknown): boolean {
  return isRecord(value) && isText(value.target) && (value.spec === undefined || isText(value.spec));
}

function isEntry(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, size, mode, sha256, content, target } = value;
  if (kind === "link") return isText(target);
  if (kind === "other") return true;
  if (mode !== undefined && !(isCount(mode) && mode <= 0o7777)) return false;
  if (kind === "directory") return true;
  return (
    kind === "file" &&
    isCount(size) &&
    (sha256 === undefined || isText(sha256)) &&
    (content === undefined || isText(content))
  );
}

function isMoved(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, size, modifiedMs, sha256 } = value;
  return isText(kind) && isCount(size) && Number.isFinite(modifiedMs) && (sha256 === undefined || isText(sha256));
}

/** Absolute and normal: looking for what is above any other one would not end at the root. */
function isPath(value: unknown): value is string {
  return isText(value) && value.startsWith("/") && normalizePath(value) === value;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
