/** What the search engine needs of a tree of files: any backend can give it, so every backend searches alike. */
import type { EntryKind } from "../../kernel/index.js";

/** A child as the directory names it: `kind` is the entry's own, so a symlink is "link" wherever it leads. */
export interface SourceChild {
  readonly name: string;
  readonly kind: EntryKind;
  /** Size in bytes if the listing includes it; otherwise it is determined when the file is opened. */
  readonly size?: number;
}

/**
 * A tree to search. Paths are absolute. Rejections with an `FS_*` code count as unreadable, with a `POLICY_*` code as
 * omitted by policy; "FS_NOT_FOUND" below the root is a file that went away meanwhile and is passed over.
 */
export interface SearchSource {
  /**
   * The root, or a part of its rules.
   * @param follow - Whether a symlink is followed: yes for the root, not for rules.
   */
  stat(path: string, follow: boolean): Promise<{ readonly kind: EntryKind; readonly size: number }>;
  /** All children of a directory, in any order, symlinks not followed. */
  readDir(path: string): Promise<readonly SourceChild[]>;
  /**
   * The bytes of a file from its start, in chunks of any size, each good until the second one after it is asked for. Closing the
   * iteration early closes the file.
   */
  openRead(path: string): AsyncIterable<Uint8Array>;
}

/** The call's side of a search. */
export interface SearchScope {
  /** The grant's `except`: omitted, each with all below it, and counted under "policy". */
  readonly except: readonly string[];
  /** The grant's `exceptNames`: what has such a name below the root is omitted with all below it, and counted under "policy". */
  readonly exceptNames: readonly string[];
  /**
   * The directory, at or above the root, that counts as the workspace: ignore rules apply from there down, and from the root of
   * the repository that holds it. Default: the root, and none above it.
   */
  readonly workspace?: string;
  /** Ends the search; the end record says "deadline" when the reason is a `CALL_TIMEOUT`, else "cancelled". */
  readonly signal: AbortSignal;
  /** Lets timers and cancels through, as often as it is called; matching alone would hold them up. Absent: never. */
  readonly pause?: () => Promise<void>;
  /** Whether `pause` would wait now. Absent: always, which is slow where there are many matches. */
  readonly isPauseDue?: () => boolean;
}

/** Yields to the event loop while matching, and reports whether the search was aborted. */
export class PauseCheck {
  readonly #scope: Pick<SearchScope, "signal" | "pause" | "isPauseDue">;

  constructor(scope: Pick<SearchScope, "signal" | "pause" | "isPauseDue">) {
    this.#scope = scope;
  }

  /** Whether `pauseAndCheckAborted` would pause now. Cheap: call it after every step that may take long. */
  isPauseDue(): boolean {
    return this.#scope.isPauseDue?.() ?? true;
  }

  async pauseAndCheckAborted(): Promise<boolean> {
    await this.#scope.pause?.();
    return this.#scope.signal.aborted;
  }
}
