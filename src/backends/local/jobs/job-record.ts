/** The record of a job, stored as `job.json` in its directory. */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { truncateToHead } from "../../../text/index.js";
import { isJobRecord, type JobRecord } from "./check-record.js";
import { readSmallFile } from "./small-file.js";

export type { JobRecord } from "./check-record.js";

/** A longer command is truncated in the record. */
const MAX_COMMAND_BYTES = 64 * 1024;
/** A larger file is not a record: JSON takes up to six bytes per byte of the command. */
const MAX_RECORD_BYTES = 1024 * 1024;

/** The format version that is read and written. */
const VERSION = 1;

const FILE = "job.json";

/** Undefined for an invalid or missing record, and for one of a newer version. */
export function readJobRecord(directory: string): JobRecord | undefined {
  const value = readJson(join(directory, FILE));
  return isJobRecord(value, basename(directory), VERSION) ? value : undefined;
}

/** Why a record of a newer version cannot be read, as a clause with the next step; undefined for other records. */
export function newerRecord(directory: string): string | undefined {
  const path = join(directory, FILE);
  const { version } = (readJson(path) ?? {}) as { readonly version?: unknown };
  if (typeof version !== "number" || version <= VERSION) return undefined;
  return `"${path}" has format version ${version}; this Haft supports version ${VERSION}. Use the newer Haft`;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readSmallFile(path, MAX_RECORD_BYTES) ?? "");
  } catch {
    return undefined;
  }
}

/**
 * Replaces the record atomically.
 * @returns False if it could not be written; the old one is then unchanged.
 */
export function writeJobRecord(directory: string, record: JobRecord): boolean {
  const path = join(directory, FILE);
  const beside = `${path}.new`;
  try {
    const command = truncateToHead(record.command, MAX_COMMAND_BYTES).text;
    writeFileSync(beside, `${JSON.stringify({ ...record, command })}\n`, { mode: 0o600 });
    renameSync(beside, path);
    return true;
  } catch {
    removeIfPossible(beside);
    return false;
  }
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next write replaces it.
  }
}
