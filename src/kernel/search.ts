/**
 * The port to searching. A search yields what it finds and exactly one end record, last; it says what it skipped and why.
 * The grant's `except` applies inside: an excepted file is skipped and counted under "policy".
 * Proved by the `search:` conformance suite in `testing/`.
 */
import type { FsEntryInfo, Io } from "./fs.js";

/** The common language of ripgrep and re2js. Anything else (look-around, back-references) is refused with `SEARCH_UNSUPPORTED`. */
export interface Pattern {
  readonly source: string;
  readonly syntax: "re2" | "literal";
  readonly ignoreCase: boolean;
  /** The pattern may match over line endings. `(?s)` inside the pattern makes "." match them. */
  readonly multiline: boolean;
}

/** Which entries of a tree are wanted. */
export interface WalkQuery extends Io {
  /** Absolute. A file is searched alone; a root that is itself ignored is searched. */
  readonly root: string;
  /**
   * Without a slash it is matched against names, with one against the path below the root. With a `!` in front what it
   * matches is omitted, directories with all below them; `\\!` stands for the sign itself.
   */
  readonly glob?: string;
  /** Upper and lower case in the glob are the same letter. Default false. */
  readonly ignoreGlobCase?: boolean;
  readonly type?: "file" | "directory";
  /**
   * False: `.gitignore`, `.git/info/exclude`, `.ignore` and `.rgignore` apply, from the root of the repository that holds the
   * workspace down, else from the workspace down. Outer rules that leave out the workspace itself do not count; within a
   * repository those of git end where another one begins. `.git` is never entered either way.
   */
  readonly includeIgnored: boolean;
  /** Names of directories that are never entered, beside `.git`. */
  readonly prune: readonly string[];
  /** "path": children in code-unit order of their names, so that pages neither overlap nor skip. */
  readonly order: "found" | "path";
  readonly offset: number;
  readonly limit: number;
}

/** Which lines of which files of a tree are wanted. */
export interface GrepQuery extends WalkQuery {
  readonly pattern: Pattern;
  /** content: one hit a matching line; files: one hit a file; count: one hit a file with `count`. */
  readonly mode: "content" | "files" | "count";
  /** Lines before and after a hit, yielded as hits with `context: true`, in line order, never twice. */
  readonly context: number;
  /** A longer line is cut around its first match; `clippedBytes` tells by how much. */
  readonly maxLineBytes: number;
  /** Larger files are skipped. Absent: any size. */
  readonly maxFileBytes?: number;
  /** What makes a file binary (skipped): a NUL anywhere, or one in the first N bytes. */
  readonly binary: "any-nul" | { readonly firstBytes: number };
}

/** One line that matched, or stands beside one that did. */
export interface GrepHit {
  readonly kind: "hit";
  /** Absolute. */
  readonly path: string;
  /** 1-based; 0 in the modes files and count. */
  readonly line: number;
  /**
   * The line without its end, or the window of it around the match. A line of a file in another encoding comes as UTF-8,
   * unless the file is too large to be decoded.
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

/** The last record of a search: why it ended, what it saw, what it omitted. */
export interface SearchEnd {
  readonly kind: "end";
  readonly why: "complete" | "limit" | "deadline" | "cancelled";
  /** For example "ripgrep 15.0.0", "re2js". */
  readonly engine: string;
  /** Files looked at, or entries walked. 0 where the engine does not say. */
  readonly seen: number;
  /**
   * By reason: unreadable, policy; encoding: files that are not UTF-8 and were not matched with a pattern beyond ASCII; long:
   * lines too long for a pattern of that size; and where the engine counts them, binary, large, deep, special. A reason that
   * it does not count is absent.
   */
  readonly skipped: Readonly<Record<string, number>>;
  /** Up to 20 of the paths that could not be read. */
  readonly unreadable?: readonly string[];
  /** Hits that `offset` passed over. Absent where there was none. */
  readonly passed?: number;
}

/** Search below a directory. The contract for implementers stands at the head of this file. */
export interface Search {
  grep(query: GrepQuery): AsyncIterable<GrepHit | SearchEnd>;
  walk(query: WalkQuery): AsyncIterable<WalkEntry | SearchEnd>;
}
