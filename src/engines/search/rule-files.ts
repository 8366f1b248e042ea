/** Reads ignore files. Only regular files count, as for git: a symlink could make the lines of any file into rules. */
import { type EntryKind, HaftError, isExceptedName, isWithin } from "../../kernel/index.js";
import { baseName } from "../../text/index.js";
import type { SearchScope, SearchSource } from "./source.js";

/** A directory that has it is the root of a repository. */
export const GIT = ".git";
export const GIT_INFO = ".git/info";
export const GIT_EXCLUDE = ".git/info/exclude";
/** The ignore files of a directory; a later one overrides an earlier one at any depth. */
export const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"] as const;
/** A longer ignore file is not applied. */
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

/** The ignore files of one search. */
export class RuleFiles {
  /** Ignore files that exist and are not applied. */
  skipped = 0;
  /** A `.git` was found that is not a directory: git looks elsewhere for `info/exclude`, this engine does not. */
  hasGitElsewhere = false;
  /** An `info/exclude` with rules was found. */
  hasExclude = false;
  readonly #source: SearchSource;
  readonly #scope: Pick<SearchScope, "except" | "exceptNames">;

  constructor(source: SearchSource, scope: Pick<SearchScope, "except" | "exceptNames">) {
    this.#source = source;
    this.#scope = scope;
  }

  /** The kind of an entry itself; undefined where there is none or it cannot be determined. */
  kindOf(path: string): Promise<EntryKind | undefined> {
    return this.#source.stat(path, false).then(
      ({ kind }) => kind,
      () => undefined,
    );
  }

  /** The text of an ignore file; undefined if it is not applied, which is counted. */
  async read(path: string, kind: EntryKind): Promise<string | undefined> {
    if (kind === "directory") return undefined;
    if (kind !== "file" || this.#isExcepted(path)) return this.skip();
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of this.#source.openRead(path)) {
        chunks.push(new Uint8Array(chunk));
        size += chunk.length;
        if (size > MAX_IGNORE_FILE_BYTES) return this.skip();
      }
    } catch (thrown) {
      // It was removed meanwhile.
      return HaftError.is(thrown, "FS_NOT_FOUND") ? undefined : this.skip();
    }
    const decoder = new TextDecoder();
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
  }

  /**
   * The text of `.git/info/exclude`, if no part of that path is a symlink.
   * @param prefix - The directory with its slash.
   * @param kind - Of its `.git`.
   */
  async readExclude(prefix: string, kind: EntryKind): Promise<string | undefined> {
    if (kind !== "directory" || [GIT, GIT_INFO, GIT_EXCLUDE].some((part) => this.#isExcepted(prefix + part))) {
      this.hasGitElsewhere = true;
      return undefined;
    }
    const info = await this.kindOf(prefix + GIT_INFO);
    if (info !== "directory") return info === undefined ? undefined : this.skip();
    const exclude = await this.kindOf(prefix + GIT_EXCLUDE);
    return exclude === undefined ? undefined : this.read(prefix + GIT_EXCLUDE, exclude);
  }

  /** Counts an ignore file that is not applied: too much is searched rather than too little. */
  skip(): undefined {
    this.skipped++;
  }

  #isExcepted(path: string): boolean {
    const { except, exceptNames } = this.#scope;
    return except.some((directory) => isWithin(directory, path)) || isExceptedName(exceptNames, baseName(path));
  }
}
