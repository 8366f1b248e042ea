/**
 * The file system port. Each operation checks the grant of its call and acts in one step (see `claims.ts`).
 *
 * Implementers receive absolute paths, normalized as strings, in the backend's own namespace. Rejections are `HaftError`s
 * with an `FS_*` code, `POLICY_DENIED` or `POLICY_APPROVAL_REQUIRED`.
 *
 * Required access: "read" for reads, stat, readDir and resolve; "create" for mkdir and for replaceAtomic with "absent";
 * "write" for writeFile and every other replaceAtomic, and replaceFrom as replaceAtomic; "delete" for rm, of the whole tree when recursive. rename needs "delete"
 * of the source (of its tree when it is a directory) and "write" of the target, or "create" without `replace`. Without it an
 * operation rejects with `CALL_UNCLAIMED`.
 *
 * rm and rename act on a symlink itself; everything else follows symlinks. stat and readDir report a symlink that leads
 * outside the grant without asking policy. The `fs:` conformance suite in `testing/` checks this contract.
 */

/** Options of every operation. */
export interface Io {
  /**
   * Aborting it rejects the operation with `CALL_CANCELLED`. A change that had begun is either undone or complete; on another machine
   * it may still happen after that, and then the error has `details.began` "unknown".
   */
  readonly signal?: AbortSignal;
  /** Milliseconds from the start of the operation. Default: the deadline of the call. */
  readonly timeoutMs?: number;
}

/** "other" is a device, a socket or a FIFO. */
export type EntryKind = "file" | "directory" | "link" | "other";

/**
 * `kind` and `size` describe the target of a symlink; `target` is set only if the path itself is a symlink. `kind: "link"` is a
 * dangling symlink, or one whose target is outside the grant.
 */
export interface FsEntryInfo {
  readonly kind: EntryKind;
  /** Bytes; 0 unless it is a file. */
  readonly size: number;
  /** Whole milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Permission bits, 0 to 0o7777. */
  readonly mode: number;
  /** Opaque; changes whenever the size, modification time or identity of the file changes. */
  readonly version: string;
  readonly target?: string;
}

/** A directory entry with its name. */
export type FsChild = FsEntryInfo & { readonly name: string };

/** The entry for a name that is not UTF-8: it can be listed but not opened. */
export const UNNAMEABLE: FsEntryInfo = Object.freeze({ kind: "other", size: 0, modifiedMs: 0, mode: 0, version: "" });

/** The precondition of a replacement; `sha256` is 64 hex digits. */
export type Expect = { readonly sha256: string } | { readonly version: string } | "absent" | "any";

/** The result of a replacement; `before` and `after` are hashes of the whole file. */
export interface ReplaceResult {
  /** SHA-256 of the old bytes as hex; null if there was no file, or it was over `DEFAULT_MAX_READ_BYTES` and not hashed. */
  readonly before: string | null;
  readonly after: string;
  readonly created: boolean;
  /**
   * True if the file was overwritten in place because a rename would have lost hard links, the owner or attributes. False of a
   * backend that knows nothing of these and always overwrites (`completeBackend`).
   */
  readonly inPlace: boolean;
}

/** What `Fs.readPastLines` returns. */
export interface LinesPassed {
  readonly bytes: Uint8Array;
  /** The byte of the file at which `bytes` begin. */
  readonly from: number;
  /** Line feeds that were skipped: as many as requested, or all up to the end of the file. */
  readonly newlines: number;
  /** Some offsets in the part that was skipped, ascending, each with the line feeds between the requested offset and it. */
  readonly marks: readonly { readonly offset: number; readonly newlines: number }[];
  /** Bytes of the whole file. */
  readonly size: number;
  readonly version: string;
}

/** A path with all symlinks resolved. */
export interface ResolvedPath {
  /** The real path of the longest existing prefix. */
  readonly real: string;
  /** The rest of the path that does not exist, without a leading slash; "" if all of it exists. */
  readonly missing: string;
  readonly kind: EntryKind | "absent";
}

/** The real path, with the part of it that does not exist. */
export function withMissingPart({ real, missing }: Pick<ResolvedPath, "real" | "missing">): string {
  return missing === "" ? real : `${real === "/" ? "" : real}/${missing}`;
}

/** The files of one backend. The contract for implementers is at the top of this file. */
export interface Fs {
  /** The whole file as text. Strict UTF-8: rejects with `FS_NOT_TEXT` and the offset of the first invalid byte. A BOM is returned as U+FEFF. */
  readText(path: string, io?: Io): Promise<string>;
  /** The whole file as bytes. Over `maxBytes` (default `DEFAULT_MAX_READ_BYTES`, 256 MiB) it rejects with `FS_TOO_LARGE` before reading. */
  readBytes(path: string, io?: Io & { readonly maxBytes?: number }): Promise<Uint8Array>;
  /** Bytes `offset` to `offset + length`, or fewer at the end of the file. A negative offset counts from the end. */
  readRange(
    path: string,
    offset: number,
    length: number,
    io?: Io,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number; readonly version: string }>;
  /**
   * The file in chunks from `offset`. Ending the iteration early closes the file. With `isScan` the caller keeps no chunk:
   * a chunk may be overwritten once the second one after it is requested. Default false.
   */
  openRead(path: string, io?: Io & { readonly offset?: number; readonly isScan?: boolean }): AsyncIterable<Uint8Array>;
  /**
   * Skips `newlines` line feeds (byte 10) from byte `offset`, 0 or more, then reads up to `length` bytes (at most 256 KiB). If the
   * file ends first, returns its last bytes, never from before `offset`. The remote machine counts, so only the result is transferred.
   * Undefined if it cannot: read the bytes then. Rejects as `readRange`.
   */
  readPastLines?(
    path: string,
    offset: number,
    newlines: number,
    length: number,
    io?: Io,
  ): Promise<LinesPassed | undefined>;
  /** Same as `replaceAtomic` with "any". The parent directory must exist. */
  writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void>;
  /**
   * Replaces or creates a file atomically: writes a temporary file beside it, flushes and renames it, so readers see either the
   * old or the new bytes. Mode, owner and group are preserved; for a symlink, its target is replaced. If a rename would lose a
   * hard link, the owner, an ACL or an extended attribute, the file is written in place and `inPlace` is true. A backend that
   * cannot read extended attributes loses them; its README says where. Writing in place begins with the bytes beyond the old
   * end, so a full disk leaves the file unchanged; a later fault may leave it partly written.
   * Rejects with `FS_STALE` when `expect` is not met right before the rename. With "absent", creation is exclusive.
   *
   * @param io.mode - Permission bits of a file that is created, if the backend can set them; default: as the system gives them.
   */
  replaceAtomic(
    path: string,
    data: Uint8Array,
    expect: Expect,
    io?: Io & { readonly mode?: number },
  ): Promise<ReplaceResult>;
  /**
   * As `replaceAtomic`, with bytes that arrive in chunks: the file is never in memory as a whole, unless the backend keeps its files
   * there or cannot write a part of one (`completeBackend`: at most `DEFAULT_MAX_READ_BYTES`, else `FS_TOO_LARGE`). What the
   * chunks throw is thrown, and the file is as it was. `FS_PERMISSION` where the directory of an existing file is not writable.
   *
   * @param chunks - Read at most once. A chunk is not used once the next one is requested.
   */
  replaceFrom(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    expect: Exclude<Expect, "any">,
    io?: Io & { readonly mode?: number },
  ): Promise<ReplaceResult>;
  stat(path: string, io?: Io): Promise<FsEntryInfo>;
  /** Immediate children, sorted by name in code-unit order; at most `limit` (default 10,000), `more` if there are others. */
  readDir(
    path: string,
    io?: Io & { readonly limit?: number },
  ): Promise<{ readonly children: FsChild[]; readonly more: boolean }>;
  /**
   * Creates a directory whose parent exists; `FS_EXISTS` if the path exists. With `recursive` it also creates missing parents
   * and accepts an existing directory. `FS_NOT_A_DIRECTORY` below a file.
   */
  mkdir(path: string, recursive: boolean, io?: Io): Promise<void>;
  /**
   * Deletes a file, a symlink or an empty directory; `FS_NOT_EMPTY` for any other directory unless `recursive`. Rejects if it
   * would delete a path that the grant excepts; `FS_PERMISSION` for the root.
   */
  rm(path: string, options: { readonly recursive: boolean; readonly ignoreMissing: boolean }, io?: Io): Promise<void>;
  /**
   * Renames atomically. `FS_EXISTS` if `to` exists and `replace` is false. A file never replaces a directory. Does nothing if
   * `from` and `to` are the same path or hard links of one file: both names stay. `FS_BAD_PATH` for a directory into itself,
   * `FS_PERMISSION` for the root, `FS_CROSS_DEVICE` if `to` is on another file system.
   */
  rename(from: string, to: string, options: { readonly replace: boolean }, io?: Io): Promise<void>;
  /** Never rejects: false if the path is absent or not visible. */
  exists(path: string, io?: Io): Promise<boolean>;
  /** Resolves all symlinks of the paths and returns the results in the same order, in one round trip. */
  resolve(paths: readonly string[], io?: Io): Promise<ResolvedPath[]>;
}

/**
 * The minimal file system that a third party implements; `completeBackend` builds the rest of `Fs` on it.
 *
 * - **Paths** are absolute and normalized: names separated by one "/", no "." or "..", no "/" at the end; the root is "/". Every
 *   operation but `rm` follows symlinks, in the directories of a path and at its end.
 * - **Errors.** Reject, or throw, an error whose `code` is that of POSIX: "ENOENT" where there is nothing, "ENOTDIR" below a file,
 *   "EISDIR", "EEXIST", "ENOTEMPTY", "EACCES", "ENOSPC", "EROFS", "ELOOP". Of an error without such a code the message is shown
 *   (`FS_IO`); what is missing is then found out by `exists`.
 * - **Checked before.** Grants, parents and kinds are checked by `stat` before an operation is called; something else can change
 *   the files in between.
 * - Operations get no signal: one that has begun continues when its call is cancelled.
 */
export type CoreFs = {
  /** The whole file, as bytes that the caller may keep. Files over 256 MiB (`DEFAULT_MAX_READ_BYTES`) are not asked for. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Creates the file or overwrites all of it. Creates no directory: "ENOENT" where the parent is missing. */
  writeFile(path: string, data: Uint8Array): Promise<void>;
  /**
   * Of a symlink: the kind, size and time of its target, with `isSymlink`; of a dangling one or a loop, neither a file nor a
   * directory. Neither is also what a device or a FIFO is.
   */
  stat(path: string): Promise<{
    readonly isFile: boolean;
    readonly isDirectory: boolean;
    /** Whether the path itself is one. */
    readonly isSymlink: boolean;
    /** Bytes; of what is not a file, any number. */
    readonly size: number;
    /** Milliseconds since the epoch. A change that leaves the size and this as they were is not noticed. */
    readonly modifiedMs: number;
  }>;
  /** All entries, in any order, hidden ones too: one name each, without "." and "..". Other members are ignored. */
  readDir(path: string): Promise<readonly { readonly name: string }[]>;
  /** With `recursive` it also creates missing parents and accepts an existing directory; else "EEXIST" for any entry there. */
  mkdir(path: string, recursive: boolean): Promise<void>;
  /**
   * Removes a file or a symlink, not the target of a symlink. `recursive` is true for each directory, also for an empty one, and
   * removes all in it.
   */
  rm(path: string, options: { readonly recursive: boolean }): Promise<void>;
  /** Whether `stat` finds something. False for a dangling symlink, and where that cannot be seen. */
  exists(path: string): Promise<boolean>;
};
