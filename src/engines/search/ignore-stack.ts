import { type EntryKind, isWithin } from "../../kernel/index.js";
import { baseName, parentOf } from "../../text/index.js";
import { IgnoreRules } from "./ignore-rules.js";
import { GIT, GIT_EXCLUDE, GIT_INFO, IGNORE_FILES, type RuleFiles } from "./rule-files.js";
import type { PauseCheck } from "./source.js";

/** All that rules are read from, the later one wins. Those of git end at the repository's root. */
const RULE_FILES = [GIT_EXCLUDE, ...IGNORE_FILES] as const;
const GIT_FILES: readonly string[] = [GIT_EXCLUDE, ".gitignore"];
/**
 * Characters and rules that hold for one directory together, of all ignore files from the workspace down to it: they are kept in
 * memory while the directory is searched. A file that brings more is not applied.
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
   * @param kinds - Of the directory's children: `.git` and ignore files.
   * @param endsAtGit - Whether the rules of git from above end here where the directory is a repository.
   */
  async enter(
    directory: string,
    kinds: ReadonlyMap<string, EntryKind>,
    files: Pick<RuleFiles, "read" | "readExclude" | "skip"> & { hasExclude?: boolean },
    pauseCheck: PauseCheck,
    endsAtGit = false,
  ): Promise<IgnoreStack> {
    const prefix = directory === "/" ? "/" : `${directory}/`;
    const rules: (IgnoreRules | undefined)[] = [];
    let held = this.#held;
    for (const file of RULE_FILES) {
      const kind = kinds.get(file === GIT_EXCLUDE ? GIT : file);
      if (kind === undefined) {
        rules.push(undefined);
        continue;
      }
      const isExclude = file === GIT_EXCLUDE;
      const text = await (isExclude ? files.readExclude(prefix, kind) : files.read(prefix + file, kind));
      const length = held.length + (text?.length ?? 0);
      const parsed =
        text === undefined || length > MAX_HELD_LENGTH ? undefined : await IgnoreRules.of(text, pauseCheck);
      const isHeld = parsed !== undefined && held.rules + parsed.count <= MAX_HELD_RULES;
      if (isHeld) held = { length, rules: held.rules + parsed.count };
      else if (text !== undefined) files.skip();
      const hasAny = isHeld && parsed.count > 0;
      if (hasAny && isExclude) files.hasExclude = true;
      rules.push(hasAny ? parsed : undefined);
    }
    const above = endsAtGit && kinds.has(GIT) ? this.#levels.map(withoutGit).filter(hasRules) : this.#levels;
    const level = { at: prefix.length, rules };
    if (!hasRules(level)) return above.length === this.#levels.length ? this : new IgnoreStack(above, held);
    return new IgnoreStack([level, ...above], held);
  }

  get isEmpty(): boolean {
    return this.#levels.length === 0;
  }

  /**
   * Whether a child is omitted. The directories above it must have been judged before.
   * @param pauseCheck - Asked on the way; once they say that it is over, the answer means nothing.
   */
  async ignores(path: string, isDirectory: boolean, pauseCheck: PauseCheck): Promise<boolean> {
    for (let which = RULE_FILES.length - 1; which >= 0; which--) {
      for (const level of this.#levels) {
        const authorized = level.rules[which]?.verdictFor(path.slice(level.at), isDirectory, pauseCheck);
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
 * root or a directory above it. What these say is used and not reported, so no claim covers them; their symlinks are not
 * followed.
 */
export function isRuleAbove(root: string, path: string): boolean {
  const inGit = [GIT_EXCLUDE, GIT_INFO].find((name) => path.endsWith(`/${name}`));
  const directory = inGit === undefined ? parentOf(path) : path.slice(0, -inGit.length - 1) || "/";
  const isRule = inGit !== undefined || [GIT, ...IGNORE_FILES].includes(baseName(path));
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
  files: RuleFiles,
  root: string,
  workspace: string | undefined,
  pauseCheck: PauseCheck,
): Promise<RulesAbove> {
  const none = { stack: IgnoreStack.EMPTY, from: root, isRepository: false, endsAtGit: false };
  if (workspace === undefined || !isWithin(workspace, root)) return none;
  const repository = await firstOf(
    [workspace, ...parentDirectories(workspace)],
    async (directory) => (await files.kindOf(join(directory, GIT))) !== undefined,
  );
  const enter = async (directory: string, stack: IgnoreStack) => {
    const kinds = new Map<string, EntryKind>();
    // A workspace below the repository's root has no `.git`.
    const names = directory === workspace && directory !== repository ? IGNORE_FILES : [GIT, ...IGNORE_FILES];
    for (const name of names) {
      const kind = await files.kindOf(join(directory, name));
      if (kind !== undefined) kinds.set(name, kind);
    }
    return stack.enter(directory, kinds, files, pauseCheck, repository !== undefined);
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
      if (!(await stack.ignores(outer[index + 1] ?? workspace, true, pauseCheck))) continue;
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
