import { isWithin } from "../../kernel/index.js";
import { baseName, parentOf } from "../../text/index.js";
import { IgnoreRules } from "./ignore-rules.js";
import type { SearchSource, Turns } from "./source.js";

/** A directory that has it is a repository's root: what the outer repository's rules say ends there. */
const GIT = ".git";
const GIT_EXCLUDE = ".git/info/exclude";
/** Names of the files that say what to leave out; the later one wins wherever it lies. */
export const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"] as const;
/** All that rules are read from, the later one wins. Those of git end at the repository's root. */
const RULE_FILES = [GIT_EXCLUDE, ...IGNORE_FILES] as const;
const GIT_FILES: readonly string[] = [GIT_EXCLUDE, ".gitignore"];
/** A longer ignore file counts as empty. */
export const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

/**
 * Characters and rules that hold for one directory together, of all ignore files from the workspace down to it: they are kept in
 * memory while the directory is searched. A file that brings more counts as empty.
 */
const MAX_HELD_LENGTH = 4 * 1024 * 1024;
const MAX_HELD_RULES = 40_000;

interface Held {
  readonly length: number;
  readonly rules: number;
}

interface Level {
  /** Length of the directory's path with its slash, so that `path.slice(at)` is relative to it. */
  readonly at: number;
  /** In the order of {@link RULE_FILES}. */
  readonly rules: readonly (IgnoreRules | undefined)[];
}

/** The ignore files that apply to the children of one directory. Immutable: `enter` gives the stack of a child directory. */
export class IgnoreStack {
  static readonly EMPTY = new IgnoreStack([], { length: 0, rules: 0 });
  readonly #levels: readonly Level[];
  readonly #held: Held;

  private constructor(levels: readonly Level[], held: Held) {
    this.#levels = levels;
    this.#held = held;
  }

  /**
   * @param names - Of the directory's children, `.git` and ignore files among them.
   * @param read - The text of one file of rules in that directory, or undefined where it cannot be read.
   * @param endsAtGit - Whether the rules of git from above end here where the directory is a repository.
   */
  async enter(
    directory: string,
    names: ReadonlySet<string>,
    read: (path: string) => Promise<string | undefined>,
    turns: Turns,
    endsAtGit = false,
  ): Promise<IgnoreStack> {
    const prefix = directory === "/" ? "/" : `${directory}/`;
    const rules: (IgnoreRules | undefined)[] = [];
    let held = this.#held;
    for (const file of RULE_FILES) {
      const text = names.has(file === GIT_EXCLUDE ? GIT : file) ? await read(prefix + file) : undefined;
      const length = held.length + (text?.length ?? 0);
      const parsed = text === undefined || length > MAX_HELD_LENGTH ? undefined : await IgnoreRules.of(text, turns);
      const isHeld = parsed !== undefined && held.rules + parsed.count <= MAX_HELD_RULES;
      if (isHeld) held = { length, rules: held.rules + parsed.count };
      rules.push(isHeld ? parsed : undefined);
    }
    const above = endsAtGit && names.has(GIT) ? this.#levels.map(withoutGit).filter(hasRules) : this.#levels;
    const level = { at: prefix.length, rules };
    if (!hasRules(level)) return above.length === this.#levels.length ? this : new IgnoreStack(above, held);
    return new IgnoreStack([level, ...above], held);
  }

  get isEmpty(): boolean {
    return this.#levels.length === 0;
  }

  /**
   * Whether a child is omitted. The directories above it must have been judged before.
   * @param turns - Asked on the way; once they say that it is over, the answer means nothing.
   */
  async ignores(path: string, isDirectory: boolean, turns: Turns): Promise<boolean> {
    for (let which = RULE_FILES.length - 1; which >= 0; which--) {
      for (const level of this.#levels) {
        const authorized = level.rules[which]?.verdictFor(path.slice(level.at), isDirectory, turns);
        // Every entry is asked about at every level: an await for each would cost more than the rules.
        const verdict = authorized instanceof Promise ? await authorized : authorized;
        if (verdict !== undefined) return verdict === "ignored";
      }
    }
    return false;
  }
}

function withoutGit({ at, rules }: Level): Level {
  return { at, rules: rules.map((one, index) => (GIT_FILES.includes(RULE_FILES[index]!) ? undefined : one)) };
}

function hasRules({ rules }: Level): boolean {
  return rules.some((one) => one !== undefined);
}

/**
 * Whether a path is one that is looked at only for the rules of a search: `.git`, its `info/exclude` or an ignore file in the
 * root or a directory above it. What these say is used and not reported, so no claim covers them.
 */
export function isRuleAbove(root: string, path: string): boolean {
  const isExclude = path.endsWith(`/${GIT_EXCLUDE}`);
  const directory = isExclude ? path.slice(0, -GIT_EXCLUDE.length - 1) || "/" : parentOf(path);
  const isRule = isExclude || [GIT, ...IGNORE_FILES].includes(baseName(path));
  return isRule && path !== root && isWithin(directory, root);
}

/** The rules that hold for a search from the directories above its root. */
export interface RulesAbove {
  readonly stack: IgnoreStack;
  /** The highest directory whose rules count. */
  readonly from: string;
  /** Whether that is the root of a repository. */
  readonly isRepository: boolean;
  /**
   * Whether the rules of git end where another repository begins. ripgrep needs to know of a repository for that, by the root
   * or by rules above it.
   */
  readonly endsAtGit: boolean;
}

/**
 * The rules above the root of a search: from the root of the repository that holds the workspace, else from the workspace.
 * Where those above the workspace leave the workspace itself out, they do not count. None where the root lies outside the
 * workspace.
 */
export async function rulesAbove(
  source: SearchSource,
  root: string,
  workspace: string | undefined,
  turns: Turns,
): Promise<RulesAbove> {
  const none = { stack: IgnoreStack.EMPTY, from: root, isRepository: false, endsAtGit: false };
  if (workspace === undefined || !isWithin(workspace, root)) return none;
  const isThere = (path: string) =>
    source.stat(path).then(
      () => true,
      () => false,
    );
  const repository = await firstOf([workspace, ...parentDirectories(workspace)], (directory) =>
    isThere(join(directory, GIT)),
  );
  const enter = async (directory: string, stack: IgnoreStack) => {
    const isRepository = directory === repository || (directory !== workspace && (await isThere(join(directory, GIT))));
    const names = new Set<string>(isRepository ? [GIT, ...IGNORE_FILES] : IGNORE_FILES);
    return stack.enter(directory, names, (path) => readRules(source, path), turns, repository !== undefined);
  };
  const between = (top: string, below: string) =>
    parentDirectories(below)
      .filter((directory) => isWithin(top, directory))
      .reverse();
  let from = workspace;
  let stack = IgnoreStack.EMPTY;
  if (repository !== undefined && repository !== workspace) {
    from = repository;
    const outer = between(repository, workspace);
    for (const [index, directory] of outer.entries()) {
      stack = await enter(directory, stack);
      if (!(await stack.ignores(outer[index + 1] ?? workspace, true, turns))) continue;
      [from, stack] = [workspace, IgnoreStack.EMPTY];
      break;
    }
  }
  for (const directory of between(workspace, root)) stack = await enter(directory, stack);
  const isRepository = from === repository;
  return { stack, from, isRepository, endsAtGit: isRepository && (root === from || !stack.isEmpty) };
}

/** Every directory above a path, the nearest first. */
export function parentDirectories(path: string): string[] {
  const directories: string[] = [];
  for (let directory = path; directory !== "/"; ) {
    directory = parentOf(directory);
    directories.push(directory);
  }
  return directories;
}

async function firstOf(directorys: readonly string[], is: (directory: string) => Promise<boolean>) {
  for (const directory of directorys) if (await is(directory)) return directory;
  return undefined;
}

function join(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/** The text of a file of rules. One that cannot be read leaves nothing out: too much is searched rather than too little. */
export async function readRules(source: SearchSource, path: string): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of source.openRead(path)) {
      chunks.push(new Uint8Array(chunk));
      size += chunk.length;
      if (size > MAX_IGNORE_FILE_BYTES) return undefined;
    }
  } catch {
    return undefined;
  }
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}
