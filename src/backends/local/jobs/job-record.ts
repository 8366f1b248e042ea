/** What is written down of a job, in `job.json` of its directory. */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { truncateToHead } from "../../../text/index.js";
import { isJobRecord, type JobRecord } from "./check-record.js";
import { readSmallFile } from "./small-file.js";

export type { JobRecord } from "./check-record.js";

/** Of a longer command the beginning is written down. */
const MAX_COMMAND_BYTES = 64 * 1024;
/** A larger file is no record: what takes most is the command, up to six bytes for each of its own. */
const MAX_RECORD_BYTES = 1024 * 1024;

/** The form that this version reads and writes. */
const VERSION = 1;

const FILE = "job.json";

/** Undefined for what is no record of ours: of a newer version, cut off, changed, of another job, or not there. */
export function readJobRecord(directory: string): JobRecord | undefined {
  const value = readJson(join(directory, FILE));
  return isJobRecord(value, basename(directory), VERSION) ? value : undefined;
}

/** What a newer version has written in the place of a record, as a clause with the next step; undefined where it has not. */
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
 * Replaces the record as one step: a reader sees all of the old or all of the new one.
 * @returns False when it could not be written; the old one is then as it was.
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
    // It is tried again with the record.
  }
}
