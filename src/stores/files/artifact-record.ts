/** The metadata of one stored output, as in its `.json` file. */
import { join } from "node:path";
import { type ArtifactInfo, HaftError, isRecord, messageOf, shortageOf, thrownFault } from "../../kernel/index.js";
import { isTimestampMs } from "../timestamp.js";
import { readIfThere, replaceStateFile } from "./replace-state-file.js";

/** What the `.json` file of an artifact holds. */
export interface ArtifactRecord extends ArtifactInfo {
  readonly partBytes: number;
  /** A write failed after this many bytes; only these are stored. */
  readonly onlyFirst?: number;
  /** Distinguishes artifacts of the same process and millisecond. */
  readonly serial: number;
  /** False while it is being written, and permanently if its process was killed. */
  readonly ended: boolean;
}

export const recordPath = (directory: string, id: string): string => join(directory, `${id}.json`);

/** Undefined if there is none. @throws `STORE_CONFLICT` if it is damaged, because its byte counts are then unknown; `FS_IO` without free descriptors. */
export function readArtifactRecord(directory: string, id: string): ArtifactRecord | undefined {
  const path = recordPath(directory, id);
  let text: string | undefined;
  try {
    text = readIfThere(path);
  } catch (cause) {
    if (shortageOf(cause) === undefined) throw damaged(path, id, cause);
    throw thrownFault(cause, "read", path, { system: messageOf(cause), otherwise: messageOf(cause) });
  }
  if (text === undefined) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (cause) {
    throw damaged(path, id, cause);
  }
  if (!isArtifactRecord(record, id)) throw damaged(path, id, undefined);
  return record;
}

export function writeArtifactRecord(directory: string, record: ArtifactRecord): void {
  replaceStateFile(recordPath(directory, record.id), `${JSON.stringify(record)}\n`);
}

/** Checked strictly: the id becomes part of file names, and the numbers are offsets in files. */
function isArtifactRecord(value: unknown, id: string): value is ArtifactRecord {
  if (!isRecord(value) || value.id !== id) return false;
  const { what, tool, createdMs, serial, partBytes, producedBytes, keptBytes, onlyFirst = 0, ended } = value;
  const isText = typeof what === "string" && (tool === undefined || typeof tool === "string");
  const counts = [partBytes, producedBytes, keptBytes, onlyFirst, serial];
  const isCounted = counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0) && partBytes !== 0;
  return isText && isCounted && isTimestampMs(createdMs) && typeof ended === "boolean";
}

function damaged(path: string, id: string, cause: unknown): HaftError {
  const message = `Could not read the artifact "${id}": its record "${path}" is damaged. \`haft artifacts remove ${id}\` removes it; its bytes are beside the record.`;
  return new HaftError("STORE_CONFLICT", message, { cause, details: { id, path } });
}
