/**
 * The undo log of a host: what calls changed through their file port, with the old bytes, so that a user can put them back.
 *
 * Each change has two steps, before and after it is made. A change that was begun and not ended belongs to a process that was
 * killed, or failed in a way that leaves the state of the file unknown: it is undone where the file is gone or has the bytes that
 * were to be written, never where it has other content.
 */

import type { SourceTarget } from "./target.js";

/** Milliseconds that undoing may take. The records that one begun since then undoes are not dropped. */
export const UNDO_TIMEOUT_MS = 10 * 60_000;

/** What was at a path. A symlink and a special file cannot be created through the port, so they cannot be put back. */
export type OldEntry =
  | {
      readonly kind: "file";
      readonly size: number;
      /** Permission bits. Absent: not known. */
      readonly mode?: number;
      /** As hex; absent where the bytes were not stored. */
      readonly sha256?: string;
      /** Names the stored bytes in the log; absent: they were not stored, because there were too many. */
      readonly content?: string;
    }
  | { readonly kind: "directory"; readonly mode?: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "other" };

/** One change of files. Paths are real paths on the target. */
export type Change =
  /** A file was created, or replaced as far as `before` is there. `after`: SHA-256 of what is to be written, as hex. */
  | { readonly kind: "write"; readonly path: string; readonly before?: OldEntry; readonly after?: string }
  /** The directories that were created, the outermost first. */
  | { readonly kind: "mkdir"; readonly paths: readonly string[] }
  /** A file, symlink or directory with its contents, parents first. */
  | {
      readonly kind: "remove";
      readonly path: string;
      readonly entries: readonly (OldEntry & { readonly path: string })[];
    }
  | {
      readonly kind: "rename";
      readonly from: string;
      readonly to: string;
      /** What was moved; `sha256` is absent of a directory and of a large file. */
      readonly moved: {
        readonly kind: string;
        readonly size: number;
        readonly modifiedMs: number;
        readonly sha256?: string;
      };
      readonly replaced?: OldEntry;
    };

/** What is known once a change was made. */
export interface ChangeEnd {
  /** SHA-256 of the new bytes of a "write", as hex. */
  readonly after?: string;
  /** Lines added and removed, as far as it is text. */
  readonly added?: number;
  readonly removed?: number;
  /** Why it cannot be undone, as a clause. */
  readonly lost?: string;
  /** Nothing was changed. */
  readonly failed?: true;
}

/** `isUnfinished`: begun and never ended. */
export type RecordedChange = Change & Omit<ChangeEnd, "failed"> & { readonly isUnfinished: boolean };

/** The call that makes changes. */
export interface RecordedCall {
  readonly callId: string;
  readonly sessionId: string;
  readonly tool: string;
  /** The name of the target, and what it is where that is not its name. */
  readonly target: string;
  readonly spec?: string;
  /** The other target, which the call read from. */
  readonly source?: SourceTarget;
  readonly machine: string;
  readonly workspace: string;
  /** Ids of the records that it undid. */
  readonly undoes?: readonly string[];
}

/** The changes of one call, oldest first. */
export interface CallRecord extends RecordedCall {
  /** Of the record: letters, digits and "-", and unique where call ids may repeat. */
  readonly id: string;
  /** Milliseconds since the epoch: the first change. */
  readonly atMs: number;
  /** The working directory of the process that made the call, where it is known. The workspace may be on another machine. */
  readonly startedIn?: string;
  readonly changes: readonly RecordedChange[];
}

/** Old bytes in the log, as an `OldEntry` names them. */
export interface StoredBytes {
  readonly content: string;
  readonly size: number;
  readonly sha256: string;
}

/** Records the changes of one call. Nothing is stored before the first of them. */
export interface CallRecorder {
  readonly id: string;
  /**
   * Stores the old bytes of a file; undefined where they exceed what the log stores of a file or a call. No chunk is used once the
   * second one after it is requested.
   *
   * @param sizeBytes - Of all chunks; it fails where there are more.
   * @throws `STORE_UNWRITABLE`, and what the chunks throw.
   */
  keep(chunks: OldBytes, sizeBytes: number): Promise<StoredBytes | undefined>;
  /**
   * The change is in the log when it returns, as durably as the log stores, with all bytes that were kept.
   *
   * @returns What `end` takes.
   * @throws `STORE_UNWRITABLE`
   */
  begin(change: Change): Promise<number>;
  /** @throws `STORE_UNWRITABLE` */
  end(change: number, end: ChangeEnd): Promise<void>;
}

export type OldBytes = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** What is in the log. */
export interface UndoRecords {
  /** Those with changes that are not too old, oldest first. */
  readonly calls: readonly CallRecord[];
  /** Ids of records that cannot be read. What their calls changed cannot be undone. */
  readonly damaged: readonly string[];
}

/** Not for tools: the old bytes of all sessions are in it. */
export interface UndoLog {
  /** Bytes of a file over which its old content is not stored. */
  readonly maxFileBytes: number;
  record(call: RecordedCall): CallRecorder;
  list(): Promise<UndoRecords>;
  /** Stored bytes; undefined where they are gone. @throws `FS_IO` where they cannot be read. */
  content(id: string, content: string): Promise<Uint8Array | undefined>;
}
