import { IgnoreRules, type IgnoreVerdict } from "./ignore-rules.js";
import type { Turns } from "./turns.js";

/** Names of the files that say what to leave out; the later one wins wherever it lies. */
export const IGNORE_FILES = [".gitignore", ".ignore"] as const;
/** A longer ignore file counts as empty. */
export const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

interface Level {
  /** Length of the folder's path with its slash, so that `path.slice(at)` is relative to it. */
  readonly at: number;
  readonly git: IgnoreRules | undefined;
  readonly plain: IgnoreRules | undefined;
}

/** The ignore files that apply to the children of one folder. Immutable: `enter` gives the stack of a child folder. */
export class IgnoreStack {
  static readonly EMPTY = new IgnoreStack([]);
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  /** @param read - The text of one ignore file of that folder, or undefined. Asked only for names in `present`. */
  async enter(
    folder: string,
    present: ReadonlySet<string>,
    read: (path: string) => Promise<string | undefined>,
    turns: Turns,
  ): Promise<IgnoreStack> {
    const prefix = folder === "/" ? "/" : `${folder}/`;
    const rules: (IgnoreRules | undefined)[] = [];
    for (const name of IGNORE_FILES) {
      const text = present.has(name) ? await read(prefix + name) : undefined;
      rules.push(text === undefined ? undefined : await IgnoreRules.of(text, turns));
    }
    const [git, plain] = rules;
    if (git === undefined && plain === undefined) return this;
    return new IgnoreStack([{ at: prefix.length, git, plain }, ...this.#levels]);
  }

  get isEmpty(): boolean {
    return this.#levels.length === 0;
  }

  /**
   * Whether a child is left out. The folders above it must have been judged before.
   * @param turns - Asked on the way; once they say that it is over, the answer means nothing.
   */
  async ignores(path: string, isFolder: boolean, turns: Turns): Promise<boolean> {
    const verdict =
      (await this.#judge("plain", path, isFolder, turns)) ?? (await this.#judge("git", path, isFolder, turns));
    return verdict === "ignored";
  }

  async #judge(which: "git" | "plain", path: string, isFolder: boolean, turns: Turns): Promise<IgnoreVerdict> {
    for (const level of this.#levels) {
      const verdict = await level[which]?.judge(path.slice(level.at), isFolder, turns);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }
}
