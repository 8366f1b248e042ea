import type { BigIntStats } from "node:fs";
import type { EntryKind, FsEntryInfo, OddKind } from "../../kernel/index.js";

export function kindOf(info: BigIntStats): EntryKind {
  if (info.isFile()) return "file";
  if (info.isDirectory()) return "directory";
  return info.isSymbolicLink() ? "link" : "other";
}

/** What is no regular file, by its name in `FS_NOT_A_FILE`; undefined for a regular file. */
export function oddKindOf(info: BigIntStats): OddKind | undefined {
  if (info.isFile()) return undefined;
  if (info.isDirectory()) return "directory";
  if (info.isFIFO()) return "fifo";
  if (info.isSocket()) return "socket";
  return info.isSymbolicLink() ? "link" : "device";
}

/** Differs whenever identity, size or time of change differ. Opaque to the reader. */
export function versionOf(info: BigIntStats): string {
  return `${info.dev}-${info.ino}-${info.size}-${info.ctimeNs}-${info.mtimeNs}`;
}

export function entryInfo(info: BigIntStats, target?: string): FsEntryInfo {
  const kind = kindOf(info);
  return {
    kind,
    size: kind === "file" ? Number(info.size) : 0,
    modifiedMs: Number(info.mtimeMs),
    mode: Number(info.mode) & 0o7777,
    version: versionOf(info),
    ...(target === undefined ? {} : { target }),
  };
}
