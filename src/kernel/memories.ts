/** The port for what an agent remembers across sessions: entries by key, with full-text search. */

/** What to remember under a key. */
export interface MemoryContent {
  /** 1 to 256 characters, without control characters. The same key replaces what was stored, and the older version is kept. */
  readonly key: string;
  /** 1 to 65,536 characters. */
  readonly content: string;
  /** "core", "daily", "conversation", or a word of the caller's own. */
  readonly category: string;
  /** At most 16, each of 1 to 64 characters. Default none. */
  readonly tags?: readonly string[];
  /** The id of the session that stores it. */
  readonly session?: string;
  /** 0 to 1. Default: not stated. */
  readonly importance?: number;
  /** It is never purged for its age. Default false. */
  readonly pinned?: boolean;
  /** For an import: milliseconds since the epoch. Default: the present, by the clock of the store. */
  readonly storedMs?: number;
  /** The embedding of key and content, where the host makes embeddings. All of one namespace should have one length. */
  readonly vector?: readonly number[];
}

/** One version of an entry. */
export interface MemoryEntry extends Omit<MemoryContent, "vector" | "storedMs"> {
  /** Random, different for each version. */
  readonly id: string;
  readonly tags: readonly string[];
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly storedMs: number;
  readonly pinned: boolean;
  /** The id of the version that replaced this one. Absent: it is the current one. */
  readonly supersededBy?: string;
}

/** An entry that a search found. */
export interface FoundMemory extends MemoryEntry {
  /**
   * 0 to 1. For words, relative to the best match of the search; for embeddings, their cosine similarity; for both, their mean
   * by weight. 1 where nothing was searched for.
   */
  readonly score: number;
}

/** What to search for. Without `text` and `vector`: the newest entries first. */
export interface MemoryQuery {
  /** Words; any punctuation in them is text. At most 1,000 characters count. */
  readonly text?: string;
  /** The embedding of `text`: 0.7 of the score is then the similarity of vectors, 0.3 the match of words. */
  readonly vector?: readonly number[];
  /** 1 to 100. Default 5. */
  readonly limit?: number;
  readonly category?: string;
  /** Entries that have all of these. */
  readonly tags?: readonly string[];
  /** Milliseconds since the epoch, inclusive: stored at this time or later. */
  readonly sinceMs?: number;
  /** Milliseconds since the epoch, exclusive: stored before this time. */
  readonly untilMs?: number;
}

/** Which entries are deleted for their age. */
export interface MemoryPurge {
  readonly categories: readonly string[];
  /** Milliseconds since the epoch, exclusive: stored before this time. */
  readonly beforeMs: number;
  /** Milliseconds. Nothing is deleted where the namespace was purged more recently. Default 0. */
  readonly everyMs?: number;
}

/** The entries of one namespace. Proved by the cases `state:memories:*` of `haft/testing`. */
export interface Memories {
  /**
   * Stores an entry, in one step with the version that it replaces.
   * @throws `STORE_INVALID` for what cannot be stored, and for a new key where the namespace has 200,000 entries; `STORE_UNWRITABLE`, `STORE_CLOSED`.
   */
  store(content: MemoryContent): Promise<MemoryEntry>;
  /** The current version. Undefined where there is none. */
  get(key: string): Promise<MemoryEntry | undefined>;
  /** All versions that are kept, the newest first; at most 100 are kept. */
  history(key: string): Promise<readonly MemoryEntry[]>;
  /** Deletes an entry with its older versions. False where there is none. */
  forget(key: string): Promise<boolean>;
  /**
   * The current versions that match, the best first, then the newest. Never rejects for what the text contains. At most
   * 400 entries are compared, by their first 4,096 characters: those with rare words of the text, then the newest of the others; of embeddings the newest 10,000.
   * @throws `STORE_INVALID` for a limit or a vector that is out of range.
   */
  recall(query: MemoryQuery): Promise<readonly FoundMemory[]>;
  /** All current versions in the order of their keys, compared as UTF-8 bytes. */
  list(filter?: { readonly category?: string; readonly after?: string }): AsyncIterable<MemoryEntry>;
  /** Deletes entries that are not pinned, with their older versions, and returns how many. */
  purge(which: MemoryPurge): Promise<number>;
}
