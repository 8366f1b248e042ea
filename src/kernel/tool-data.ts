/**
 * The canonical input, limits and data of each built-in tool: the words that tools and dialects share. A tool takes the
 * input and returns the data; a dialect decodes its own arguments to the input and renders the data. Sizes are bytes,
 * times milliseconds, lines 1-based and inclusive.
 */

import type { WaitingFor } from "./shell.js";

// ------------------------------------------------------------------------------------------------------------- read

/** What read is asked. */
export interface ReadInput {
  readonly path: string;
  /** First line; negative counts from the end. */
  readonly offset?: number;
  /** Lines. */
  readonly limit?: number;
  /** A label that `TextDecoder` knows. Absent: detected. */
  readonly encoding?: string;
}

/** The bounds of read. */
export interface ReadLimits {
  readonly maxLines: number;
  readonly maxBytes: number;
  /** A longer line is clipped and listed in `clippedLines`. */
  readonly maxLineBytes: number;
  /** "head": the window is cut at its end; "none": the whole window is returned, up to 64 MiB. */
  readonly truncate: "head" | "none";
  /** A notebook (`.ipynb`) of at most 8 MiB is shown as its cells, unless an encoding is named. Default false: as its JSON. */
  readonly notebooks?: boolean;
  /**
   * A PNG, JPEG, GIF or WebP image is made to fit what models take and a PDF shown as the text of its pages, unless an encoding
   * is named. Default false: both are told by type and size, an image that fits is shown as it is.
   */
  readonly media?: boolean;
}

/** What read found. */
export interface ReadData {
  readonly path: string;
  readonly kind: "text" | "binary" | "image" | "artifact";
  readonly encoding: string;
  /** The encoding is a guess: the file has no BOM and is not UTF-8, and the caller named none. */
  readonly isGuessed?: true;
  /** A byte-order mark stands at the start of the file; it is not part of `text`. */
  readonly hasBom: boolean;
  readonly eol: "lf" | "crlf" | "cr" | "mixed" | "none";
  /** The decoded window exactly as it stands in the file, line ends included; clipped lines are cut. Of a notebook its cells. */
  readonly text: string;
  /** 0 and 0 for an empty window. Negative, counted from the end (-1 is the last line), where the lines before were not counted. */
  readonly startLine: number;
  readonly endLine: number;
  /** null where it was not counted. */
  readonly totalLines: number | null;
  /** A lower bound where `totalLines` is null. */
  readonly atLeastLines?: number;
  readonly sizeBytes: number;
  /** The line to continue with; absent at the end. */
  readonly nextOffset?: number;
  /** Why the window ended before its `limit`: the bytes were used up. */
  readonly truncatedByBytes?: boolean;
  readonly truncatedLines: readonly { readonly line: number; readonly bytes: number }[];
  /** Characters that could not be decoded and show as U+FFFD. */
  readonly replaced?: number;
  readonly mime?: string;
  /** Of an image whose content was read: what it is, and what of it is shown. */
  readonly picture?: ReadPicture;
  /** `text` was made from the file: its lines are not lines of the file. */
  readonly isView?: boolean;
}

/** An image in pixels. */
export interface ReadPicture {
  readonly width: number;
  readonly height: number;
  /** More than one frame; the first is what counts. */
  readonly isAnimated: boolean;
  /** What is shown in its place, where it does not fit by itself. */
  readonly shown?: {
    readonly mime: string;
    readonly width: number;
    readonly height: number;
    readonly sizeBytes: number;
  };
}

// ------------------------------------------------------------------------------------------------------------ write

/** What write is asked. */
export interface WriteInput {
  readonly path: string;
  readonly content: string;
  /** 64 hex digits of the SHA-256 of the bytes to be replaced, or "absent". */
  readonly expect?: string;
}

/** off: no gate. handle: the seed's, on write and edit, when the host hands in a read-state. write: on write. on: on write and edit. */
export type Gate = "off" | "handle" | "write" | "on";

/** The bounds of write. */
export interface WriteLimits {
  readonly gate: Gate;
  /** Create missing parent folders. */
  readonly parents: boolean;
  /** A larger old file is neither compared with `expect` nor kept. */
  readonly maxBackupBytes: number;
}

/** What write did. */
export interface WriteData {
  readonly path: string;
  readonly created: boolean;
  readonly bytes: number;
  readonly beforeHash?: string;
  readonly afterHash: string;
  readonly inPlace?: boolean;
  /** What of the old file was not carried over: its mark, encoding or line ends. */
  readonly differs?: readonly string[];
}

// ------------------------------------------------------------------------------------------------------------- edit

/** One replacement: text that is there, and what shall stand there. */
export interface EditPair {
  readonly oldText: string;
  readonly newText: string;
}

/** What edit is asked. All pairs are matched against the file as it was. */
export interface EditInput {
  readonly path: string;
  readonly edits: readonly EditPair[];
  readonly replaceAll?: boolean;
}

/** The stages that locate `oldText`, each tried only when the one before found nothing. */
export type EditStage = "exact" | "line-endings" | "trailing-blanks" | "whitespace" | "indentation";

/** The bounds of edit. */
export interface EditLimits {
  readonly gate: Gate;
  readonly stages: readonly EditStage[];
  /**
   * What the stage "whitespace" folds. "inside" (default): runs of blanks within a line become one space, indentation counts.
   * "anywhere": every run of white space, indentation and line ends included, becomes one space, and the ends are trimmed.
   */
  readonly whitespace?: "inside" | "anywhere";
  /** Of a longer diff the middle is left out, and the old file is kept. */
  readonly maxDiffBytes: number;
  /** A larger old file is not kept. */
  readonly maxBackupBytes: number;
}

/** What edit did. */
export interface EditData {
  readonly path: string;
  readonly replacements: number;
  /** The latest stage that was needed. */
  readonly strategy: EditStage;
  /** Byte ranges in the old file that were replaced, and where they stand in the new one; sorted, apart from each other. */
  readonly ranges: readonly {
    readonly before: readonly [number, number];
    readonly after: readonly [number, number];
    readonly line: number;
  }[];
  readonly beforeHash: string;
  readonly afterHash: string;
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  /** The file had changed since it was read, elsewhere; the edit still applied. */
  readonly merged: boolean;
  readonly reindented: boolean;
  /** The line endings of `newText` were converted to those of the file, or of the place in a file with several. */
  readonly eolConverted: boolean;
  readonly inPlace?: boolean;
}

/** What `EDIT_NOT_FOUND` tells: places that come near, best first. */
export interface NearestPlace {
  readonly line: number;
  readonly text: string;
  /** What differs there, as words. */
  readonly differs: string;
}

// ------------------------------------------------------------------------------------------------------------- grep

/** What grep is asked. */
export interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly ignoreCase?: boolean;
  readonly literal?: boolean;
  readonly multiline?: boolean;
  readonly mode?: "content" | "files" | "count";
  readonly context?: number;
  readonly limit?: number;
  readonly offset?: number;
  readonly includeIgnored?: boolean;
}

/** The bounds of grep. */
export interface GrepLimits {
  readonly defaultHits: number;
  readonly maxHits: number;
  readonly maxLineBytes: number;
  readonly maxBytes: number;
  readonly maxFileBytes?: number;
  readonly binary: "any-nul" | { readonly firstBytes: number };
  /** ignore-files: `.gitignore` and `.ignore` apply; list: only the folders in `prune` are left out. */
  readonly pruning: { readonly by: "ignore-files" } | { readonly by: "list"; readonly names: readonly string[] };
  /** "path": hits in the order of the children's names. "found": as found, then sorted for display. */
  readonly order: "found" | "path";
  /** How paths are told: relative to the working directory, or to the root of the search. */
  readonly relativeTo: "cwd" | "root";
}

/** One line that matched, with the lines around it. */
export interface GrepHitData {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly truncatedBytes: number;
  readonly before: readonly { readonly line: number; readonly text: string }[];
  readonly after: readonly { readonly line: number; readonly text: string }[];
}

/** What grep found. */
export interface GrepData {
  readonly root: string;
  readonly mode: "content" | "files" | "count";
  readonly hits: readonly GrepHitData[];
  readonly counts?: readonly { readonly path: string; readonly count: number }[];
  readonly why: "complete" | "limit" | "deadline" | "cancelled";
  /** What the limit was, and where the next page starts. */
  readonly limit: number;
  readonly offset?: number;
  readonly nextOffset?: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly unreadable: readonly string[];
  readonly engine: string;
}

// ------------------------------------------------------------------------------------------------------------- bash

/** What bash is asked. */
export interface BashInput {
  readonly command: string;
  readonly timeoutMs?: number;
  readonly cwd?: string;
  readonly input?: string;
  /** It goes on as a job, and the answer comes at once. */
  readonly background?: boolean;
}

/** The bounds of bash. */
export interface BashLimits {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly headBytes: number;
  readonly tailBytes: number;
  /** error: an exit other than 0, or a signal, is a failure; result: it is an answer like any other. */
  readonly exit: "error" | "result";
  /** A command may go on as a job where it waits for input, or after `yieldMs`: there is a tool to go on with it. */
  readonly autoBackground: boolean;
  /** Milliseconds after which a command that still runs goes on as a job. null: it is waited for. */
  readonly yieldMs: number | null;
  /** omit: states of a progress bar that a later state overwrites are left out and counted, the whole is an artifact. */
  readonly redraws: "keep" | "omit";
}

/** What is kept of one stream of a command. */
export interface StreamData {
  /** Decoded; invalid bytes show as U+FFFD. `tail` is empty while everything fits into `head`. */
  readonly head: string;
  readonly tail: string;
  readonly notable: readonly { readonly line: number; readonly text: string }[];
  readonly bytes: number;
  readonly omittedBytes: number;
  readonly artifact?: string;
  /** Bytes that the artifact holds, where those between its first and last ones were not kept. */
  readonly artifactBytes?: number;
  /** Bytes that were not UTF-8. */
  readonly invalid?: number;
  /** States of a progress bar or the like that `head` and `tail` leave out; `artifact` holds them. */
  readonly overwritten?: number;
}

/** How a command ended and what it printed. */
export interface BashData {
  /** "detached": it goes on as `job`. */
  readonly ended: "itself" | "cancelled" | "deadline" | "output-limit" | "spawn-error" | "channel-lost" | "detached";
  readonly began: "yes" | "no" | "unknown";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The exit status may stand for a signal: this backend cannot tell. */
  readonly ambiguous?: boolean;
  readonly stdout: StreamData;
  readonly stderr: StreamData;
  readonly survivors: readonly {
    readonly pid: number;
    readonly name: string;
    readonly holds: "stdout" | "stderr" | "none";
  }[];
  readonly tree: "gone" | "alive" | "unseen";
  readonly endedBy: "TERM" | "KILL" | null;
  readonly job?: string;
  /** Why it goes on: it was asked to, its time to be waited for is over, or it waits for input. */
  readonly detachedBy?: "asked" | "time" | "input";
  readonly waitingFor?: WaitingFor;
  readonly problem?: string;
  readonly timeoutMs: number;
  readonly durationMs: number;
}

// ------------------------------------------------------------------------------------------------------------- todo

/** The statuses of a todo item. */
export const TODO_STATUSES = ["pending", "active", "done", "cancelled"] as const;
/** A status of `TODO_STATUSES`. */
export type TodoStatus = (typeof TODO_STATUSES)[number];

/** One item of a plan. Ids differ within a list. */
export interface TodoItem {
  readonly id: string;
  readonly text: string;
  readonly status: TodoStatus;
}

/** The whole list that is to replace the old one. */
export interface TodoSetInput {
  readonly items: readonly TodoItem[];
}

/** How many items have each status. */
export type TodoTally = Readonly<Record<TodoStatus, number>>;

/** A list and its tally. */
export interface TodoData {
  readonly items: readonly TodoItem[];
  readonly tally: TodoTally;
}

// ------------------------------------------------------------------------------------------------------------- time

/** The forms in which a time is told. */
export const TIME_FORMATS = ["iso", "long", "rfc2822", "unix"] as const;
/** A form of `TIME_FORMATS`. */
export type TimeFormat = (typeof TIME_FORMATS)[number];

/** What time is asked. */
export interface TimeInput {
  readonly format?: TimeFormat;
  /** An IANA name. */
  readonly zone?: string;
}

/** A time and where it is told. */
export interface TimeData {
  /** Nanoseconds since the epoch, decimal: beyond what a JSON number holds. */
  readonly epochNs: string;
  readonly zone: string;
  readonly format: TimeFormat;
  readonly text: string;
}
