import { IgnoreRules } from "./ignore-rules.js";
import type { Turns } from "./turns.js";

/** Names of the files that say what to leave out; the later one wins wherever it lies. */
export const IGNORE_FILES = [".gitignore", ".ignore"] as const;
/** A longer ignore file counts as empty. */
export const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

/**
 * Characters and rules that hold for one folder together, of all ignore files from the workspace down to it: they are kept in
 * memory while the folder is searched. A file that brings more counts as empty.
 */
const MAX_HELD_LENGTH = 4 * 1024 * 1024;
const MAX_HELD_RULES = 40_000;

interface Held {
  readonly length: number;
  readonly rules: number;
}

interface Level {
  /** Length of the folder's path with its slash, so that `path.slice(at)` is relative to it. */
  readonly at: number;
  readonly git: IgnoreRules | undefined;
  readonly plain: IgnoreRules | undefined;
}

/** The ignore files that apply to the children of one folder. Immutable: `enter` gives the stack of a child folder. */
export class IgnoreStack {
  static readonly EMPTY = new IgnoreStack([], { length: 0, rules: 0 });
  readonly #levels: readonly Level[];

  readonly #held: Held;

  private constructor(levels: readonly Level[], held: Held) {
    this.#levels = levels;
    this.#held = held;
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
    let held = this.#held;
    for (const name of IGNORE_FILES) {
      const text = present.has(name) ? await read(prefix + name) : undefined;
      const length = held.length + (text?.length ?? 0);
      const parsed = text === undefined || length > MAX_HELD_LENGTH ? undefined : await IgnoreRules.of(text, turns);
      const isHeld = parsed !== undefined && held.rules + parsed.count <= MAX_HELD_RULES;
      if (isHeld) held = { length, rules: held.rules + parsed.count };
      rules.push(isHeld ? parsed : undefined);
    }
    const [git, plain] = rules;
    if (git === undefined && plain === undefined) return this;
    return new IgnoreStack([{ at: prefix.length, git, plain }, ...this.#levels], held);
  }

  get isEmpty(): boolean {
    return this.#levels.length === 0;
  }

  /**
   * Whether a child is left out. The folders above it must have been judged before.
   * @param turns - Asked on the way; once they say that it is over, the answer means nothing.
   */
  async ignores(path: string, isFolder: boolean, turns: Turns): Promise<boolean> {
    for (const which of ["plain", "git"] as const) {
      for (const level of this.#levels) {
        const judged = level[which]?.judge(path.slice(level.at), isFolder, turns);
        // Every entry is asked about at every level: an await for each would cost more than the rules.
        const verdict = judged instanceof Promise ? await judged : judged;
        if (verdict !== undefined) return verdict === "ignored";
      }
    }
    return false;
  }
}
