/**
 * The search port. A search yields its hits and then exactly one end record, which counts what was skipped and why. Paths
 * that the grant excepts are skipped and counted under "policy". The `search:` conformance suite in `testing/` checks this contract.
 */
import type { FsEntryInfo, Io } from "./fs.js";

/** A pattern in the syntax common to ripgrep and re2js. Anything else (look-around, backreferences) is refused with `SEARCH_UNSUPPORTED`. */
export interface Pattern {
  readonly source: string;
  readonly syntax: "re2" | "literal";
  readonly ignoreCase: boolean;
  /** The pattern may match across line endings. `(?s)` in the pattern makes "." match them. */
  readonly multiline: boolean;
}

/** Selects entries of a directory tree. */
export interface WalkQuery extends Io {
  /** Absolute. A file is searched by itself; a root is searched even if it is ignored. */
  readonly root: string;
  /**
   * Without a slash it matches names, with a slash paths relative to the root. A leading `!` omits what it matches, and
   * everything below matching directories; `\\!` is a literal `!`.
   */
  readonly glob?: string;
  /** The glob is case-insensitive. Default false. */
  readonly ignoreGlobCase?: boolean;
  readonly type?: "file" | "directory";
  /**
   * False: `.gitignore`, `.git/info/exclude`, `.ignore` and `.rgignore` apply, from the root of the repository that contains
   * the workspace, or from the workspace. Outer rules that exclude the workspace itself are ignored, and git's rules do not
   * apply inside a nested repository. `.git` is never searched.
   */
  readonly includeIgnored: boolean;
  /** Names of directories to skip, in addition to `.git`. */
  readonly prune: readonly string[];
  /** "path": children in code-unit order of their names, so that pages neither overlap nor skip entries. */
  readonly order: "found" | "path";
  readonly offset: number;
  readonly limit: number;
}

/** Selects matching lines in the files of a directory tree. */
export interface GrepQuery extends WalkQuery {
  readonly pattern: Pattern;
  /** content: one hit per matching line; files: one hit per file; count: one hit per file, with `count`. */
  readonly mode: "content" | "files" | "count";
  /** Number of lines before and after a match, yielded once each in line order as hits with `context: true`. */
  readonly context: number;
  /** A longer line is truncated around its first match; `truncatedBytes` is the number of omitted bytes. */
  readonly maxLineBytes: number;
  /** Larger files are skipped. Absent: any size. */
  readonly maxFileBytes?: number;
  /** Files with a NUL byte anywhere, or in the first N bytes, are binary and skipped. */
  readonly binary: "any-nul" | { readonly firstBytes: number };
}

/** A matching line, or a context line beside one. */
export interface GrepHit {
  readonly kind: "hit";
  /** Absolute. */
  readonly path: string;
  /** 1-based; 0 in the modes files and count. */
  readonly line: number;
  /**
   * The line without its line ending, or a window of it around the match. Lines in other encodings are converted to UTF-8
   * unless the file is too large to decode.
   */
  readonly bytes: Uint8Array;
  /** Byte ranges of the matches inside `bytes`. */
  readonly at: readonly (readonly [number, number])[];
  readonly truncatedBytes?: number;
  readonly context?: true;
  readonly count?: number;
}

/** One entry of a tree. */
export interface WalkEntry {
  readonly kind: "entry";
  readonly path: string;
  readonly entry: Pick<FsEntryInfo, "kind">;
}

/** The last record of a search: why it ended, how much it searched and what it skipped. */
export interface SearchEnd {
  readonly kind: "end";
  readonly why: "complete" | "limit" | "deadline" | "cancelled";
  /** For example "ripgrep 15.0.0", "re2js". */
  readonly engine: string;
  /** Files searched or entries walked. 0 if the engine does not report it. */
  readonly seen: number;
  /**
   * Counts by reason: unreadable; policy; encoding (files that are not UTF-8, searched with a non-ASCII pattern); long (lines
   * too long for a pattern of that size); ignore-file (ignore files that are not applied: symlinks, special, unreadable, or
   * larger than 1 MiB); and, if the engine counts them, binary, large, deep, special.
   */
  readonly skipped: Readonly<Record<string, number>>;
  /** Up to 20 of the paths that could not be read. */
  readonly unreadable?: readonly string[];
  /** Hits skipped because of `offset`. Absent without one. */
  readonly passed?: number;
}

/** Searches below a directory. The contract for implementers is at the top of this file. */
export interface Search {
  grep(query: GrepQuery): AsyncIterable<GrepHit | SearchEnd>;
  walk(query: WalkQuery): AsyncIterable<WalkEntry | SearchEnd>;
}
