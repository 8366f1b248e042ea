/**
 * The port to files. Every operation is compared with the grant of its call and acted on in one step (see `claims.ts`).
 *
 * Implementers: paths arrive absolute and normalized by string work, in the backend's own namespace; nothing else is
 * interpreted. Rejections are `HaftError`s with an `FS_*` code, `POLICY_DENIED` or `POLICY_APPROVAL_REQUIRED`.
 *
 * What each needs of the grant: reads, stat, readDir and resolve "read"; replaceAtomic with "absent" and mkdir "create";
 * writeFile and every other replaceAtomic "write"; rm "delete", over the whole tree when recursive; rename "delete" of the
 * source, over its tree when it is a directory, and "write" of the goal, without `replace` "create". Otherwise `CALL_UNCLAIMED`.
 * rm and rename take a symlink itself, all else follows it; stat and readDir tell one that leads out without asking.
 * Proved by the `fs:` conformance suite in `testing/`.
 */

/** What every operation takes. */
export interface Io {
  /** Aborting ends the operation; it rejects with `CALL_CANCELLED`. What it had begun is undone or complete. */
  readonly signal?: AbortSignal;
  /** Milliseconds from the start of the operation. Absent: the deadline of the call. */
  readonly timeoutMs?: number;
}

/** "other" is a device, a socket or a FIFO. */
export type EntryKind = "file" | "directory" | "link" | "other";

/**
 * `kind` and `size` are those of what the path leads to; `target` is set exactly when the path itself is a symlink.
 * `kind: "link"` means: leads nowhere, or where the grant does not reach.
 */
export interface FsEntryInfo {
  readonly kind: EntryKind;
  /** Bytes; 0 for what is not a file. */
  readonly size: number;
  /** Whole milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Permission bits, 0 to 0o7777. */
  readonly mode: number;
  /** Opaque; differs whenever size, time of change or identity differ. */
  readonly version: string;
  readonly target?: string;
}

/** An entry of a directory with its name. */
export type FsChild = FsEntryInfo & { readonly name: string };

/** A child whose name is not UTF-8: it can be told of, and not be opened. */
export const UNNAMEABLE: FsEntryInfo = Object.freeze({ kind: "other", size: 0, modifiedMs: 0, mode: 0, version: "" });

/** What must be true of the old file for a replacement to happen; `sha256` is 64 hex digits. */
export type Expect = { readonly sha256: string } | { readonly version: string } | "absent" | "any";

/** What a replacement found and left, as hashes of whole files. */
export interface ReplaceResult {
  /** SHA-256 of the old bytes as hex, or null when there was no file (or it was too large to hash, over 256 MiB). */
  readonly before: string | null;
  readonly after: string;
  readonly created: boolean;
  /** True when the file was overwritten where it stands because a rename would have lost symlinks, owner or attributes. */
  readonly inPlace: boolean;
}

/** Where a path really leads. */
export interface ResolvedPath {
  /** The real path of the longest part that exists. */
  readonly real: string;
  /** What is missing behind it, without a leading slash; "" when all exists. */
  readonly missing: string;
  readonly kind: EntryKind | "absent";
}

/** The files of one backend. The contract for implementers stands at the head of this file. */
export interface Fs {
  /** The whole file as text. Strict UTF-8: rejects with `FS_NOT_TEXT` and the offset of the first bad byte. A mark is stored as U+FEFF. */
  readText(path: string, io?: Io): Promise<string>;
  /** The whole file. Over `maxBytes` (default 256 MiB) rejects with `FS_TOO_LARGE` before anything is read. */
  readBytes(path: string, io?: Io & { readonly maxBytes?: number }): Promise<Uint8Array>;
  /** Bytes `offset` to `offset + length`, fewer at the end of the file; a negative offset counts from the end. */
  readRange(
    path: string,
    offset: number,
    length: number,
    io?: Io,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number; readonly version: string }>;
  /**
   * The file in chunks from `offset`. Closing the iteration early closes the file. `isScan` says that the caller keeps no
   * chunk: it is good until the second one after it is asked for, and may be overwritten then. Default false.
   */
  openRead(path: string, io?: Io & { readonly offset?: number; readonly isScan?: boolean }): AsyncIterable<Uint8Array>;
  /** The same as `replaceAtomic` with "any". Needs the parent directory. */
  writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void>;
  /**
   * Replaces or creates a file so that every reader sees all old or all new bytes: a temporary file beside it, flushed,
   * renamed. Mode, owner and group stay; a symlink is followed and its target replaced. Where a rename would lose a hard
   * symlink, owner, ACL or extended attribute the bytes are written in place and `inPlace` says so. Where the backend has nothing
   * that knows of attributes they are lost; its README says where. In place, what lies beyond the old end is written first: a
   * disk without room leaves the file as it was, a fault after that need not.
   * Rejects with `FS_STALE` when `expect` does not hold, judged right before the rename; with "absent" creation is exclusive.
   */
  replaceAtomic(path: string, data: Uint8Array, expect: Expect, io?: Io): Promise<ReplaceResult>;
  stat(path: string, io?: Io): Promise<FsEntryInfo>;
  /** Immediate children, sorted by name in code-unit order; at most `limit` (default 10,000), `more` when there are others. */
  readDir(
    path: string,
    io?: Io & { readonly limit?: number },
  ): Promise<{ readonly children: FsChild[]; readonly more: boolean }>;
  /**
   * One directory whose parent exists, `FS_EXISTS` when something is there; recursive: all missing parents, content with a directory.
   * `FS_NOT_A_DIRECTORY` below a file.
   */
  mkdir(path: string, recursive: boolean, io?: Io): Promise<void>;
  /**
   * A file, a symlink or an empty directory; `FS_NOT_EMPTY` for a full one unless `recursive`. Refused when it would take an excepted
   * path; the root itself is `FS_PERMISSION`.
   */
  rm(path: string, options: { readonly recursive: boolean; readonly ignoreMissing: boolean }, io?: Io): Promise<void>;
  /**
   * In one step. `FS_EXISTS` when `to` is there and `replace` is false. A file never replaces a directory. A name that is given
   * itself, or another name of the same file, is left as it is: both names stay. `FS_BAD_PATH` for a directory into itself,
   * `FS_PERMISSION` for the root, `FS_CROSS_DEVICE` when `to` lies on another file system.
   */
  rename(from: string, to: string, options: { readonly replace: boolean }, io?: Io): Promise<void>;
  /** Never rejects: false when absent or not visible. */
  exists(path: string, io?: Io): Promise<boolean>;
  /** Where paths really lead, all symlinks followed, in the order given. One round trip for all of them. */
  resolve(paths: readonly string[], io?: Io): Promise<ResolvedPath[]>;
}

/** What a third party must supply; `completeBackend` builds the rest of `Fs` on it. */
export type CoreFs = {
  readText(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
  stat(path: string): Promise<{
    readonly isFile: boolean;
    readonly isDirectory: boolean;
    readonly isSymlink: boolean;
    readonly size: number;
    readonly modifiedMs: number;
  }>;
  readDir(path: string): Promise<readonly { readonly name: string; readonly isDirectory: boolean }[]>;
  mkdir(path: string, recursive: boolean): Promise<void>;
  rm(path: string, options: { readonly recursive: boolean; readonly ignoreMissing: boolean }): Promise<void>;
  exists(path: string): Promise<boolean>;
};
