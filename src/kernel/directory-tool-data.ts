/** The canonical input, limits and data of the tools that look at folders; see `tool-data.ts`. */
import type { GrepData, GrepLimits } from "./tool-data.js";

// --------------------------------------------------------------------------------------------------------------- ls

/** What ls is asked. */
export interface LsInput {
  readonly path?: string;
  readonly showHidden?: boolean;
  readonly limit?: number;
}

/** The bounds of ls. */
export interface LsLimits {
  readonly defaultEntries: number;
  readonly maxEntries: number;
}

/** One child of a folder. `kind` and `sizeBytes` are those of what a link leads to. */
export interface LsEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
  /** 0 for what is no file. */
  readonly sizeBytes: number;
  /** Where a link leads, as it says itself. */
  readonly target?: string;
  /** unreached: the link leads nowhere, or where this call does not reach. unnamed: the name is not UTF-8. */
  readonly error?: "unreached" | "unnamed";
}

/** The children of one folder: folders first, then by name in any case, then by name. */
export interface LsData {
  readonly path: string;
  readonly entries: readonly LsEntry[];
  /** Entries that are not hidden, or all with `showHidden`; more than `entries` holds where the limit cut them. */
  readonly total: number;
  /** The folder holds more than was counted. */
  readonly more: boolean;
  readonly limit: number;
  /** Entries that begin with a dot and were left out. */
  readonly hidden: number;
}

// ------------------------------------------------------------------------------------------------------------- find

/** What find is asked. */
export interface FindInput {
  readonly query: string;
  readonly path?: string;
  readonly type?: "file" | "directory";
  readonly limit?: number;
  readonly includeIgnored?: boolean;
}

/** The bounds of find. */
export interface FindLimits {
  readonly defaultEntries: number;
  readonly maxEntries: number;
  /** Bytes of all paths together. */
  readonly maxBytes: number;
  /** As for grep. */
  readonly pruning: GrepLimits["pruning"];
  readonly order: GrepLimits["order"];
  readonly relativeTo: GrepLimits["relativeTo"];
  /** glob: all of it, and one with a slash is matched against the path. names: `*` and `?` alone, against the name. */
  readonly wildcards: "glob" | "names";
  /** The root is looked at too, and told as ".". */
  readonly withRoot: boolean;
}

/** One entry that was found. A link is a link, wherever it leads. */
export interface FindEntry {
  readonly path: string;
  readonly kind: LsEntry["kind"];
}

/** What find found. */
export interface FindData {
  readonly root: string;
  readonly entries: readonly FindEntry[];
  /** Entries that matched before the search ended; more than `entries` holds where the answer had no room. */
  readonly total: number;
  readonly why: GrepData["why"];
  readonly limit: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly unreadable: readonly string[];
  readonly engine: string;
  /** Where `[…]` of the query was searched as text: the query that has it as one character of several. */
  readonly asGlob?: string;
}

// ------------------------------------------------------------------------------------------------------------- move

/** What move is asked. */
export interface MoveInput {
  readonly from: string;
  readonly to: string;
  /** Replace a file or a link that stands at `to`. */
  readonly overwrite?: boolean;
}

/** The bounds of move. */
export interface MoveLimits {
  /** A larger file is not replaced, for its bytes would not be kept. */
  readonly maxReplacedBytes: number;
}

/** What move did. */
export interface MoveData {
  readonly from: string;
  readonly to: string;
  /** A link is one, wherever it leads. */
  readonly kind: LsEntry["kind"];
  /** 0 for what is no file. */
  readonly sizeBytes: number;
  /** Where a moved link leads, as it says itself. */
  readonly target?: string;
  /** The moved link is relative, and from its new folder it leads to another place. */
  readonly targetChanges: boolean;
  readonly replaced: boolean;
  /** Where a link led that was replaced, as it said itself. */
  readonly replacedTarget?: string;
}

// ----------------------------------------------------------------------------------------------------------- delete

/** What delete is asked. */
export interface DeleteInput {
  readonly path: string;
  readonly recursive?: boolean;
}

/** The bounds of delete: of more than is kept nothing is deleted. */
export interface DeleteLimits {
  /** The folder itself counts. */
  readonly maxEntries: number;
  /** Bytes of all files together. */
  readonly maxBytes: number;
}

/** What delete did. */
export interface DeleteData {
  readonly path: string;
  readonly kind: LsEntry["kind"];
  /** Of all files together. */
  readonly sizeBytes: number;
  /** What a folder held, at any depth. */
  readonly inside: {
    readonly files: number;
    readonly directories: number;
    readonly symlinks: number;
    readonly others: number;
  };
  /** Where a deleted link led, as it said itself. */
  readonly target?: string;
  /** What of it is kept: the bytes of each file that was not empty. */
  readonly kept: readonly { readonly path: string; readonly artifact: string; readonly sizeBytes: number }[];
}
