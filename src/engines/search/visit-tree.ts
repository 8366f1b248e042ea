import type { EntryKind, WalkQuery } from "../../kernel/index.js";
import { isExceptedName, isWithin } from "../../kernel/index.js";
import { IgnoreStack, rulesAbove } from "./ignore-stack.js";
import { GIT, IGNORE_FILES, RuleFiles } from "./rule-files.js";
import type { SearchTally } from "./search-tally.js";
import { PauseCheck, type SearchScope, type SearchSource, type SourceChild } from "./source.js";

/** Directories below this depth are counted under "deep": only a file system that loops without symlinks has them. */
const MAX_DEPTH = 200;

const RULE_NAMES: ReadonlySet<string> = new Set([GIT, ...IGNORE_FILES]);

interface Visit {
  readonly path: string;
  readonly kind: EntryKind;
  readonly size?: number;
}

interface Frame {
  readonly directory: string;
  readonly children: readonly SourceChild[];
  readonly ignores: IgnoreStack;
  next: number;
}

interface VisitOptions {
  /** Asked once for each entry, in order; of the others only their children are visited. */
  isIncluded?(path: string, kind: EntryKind): boolean;
  /** Only directories are visited, which is several times faster. `exceptNames` still counts files, `except` counts nothing. */
  readonly onlyDirectories?: boolean;
  /** Reads the ignore files. Those that are not applied are counted under "ignore-file". */
  readonly files?: RuleFiles;
}

/**
 * Everything below the root, depth first: children by name in code-unit order, a directory before its contents. What ignore
 * files, prune names, the grant and `.git` exclude is not visited; a directory that cannot be read is counted. The root itself is
 * visited only if it is not a directory. Yields to the event loop and checks for an abort also within large directories.
 *
 * @throws What `source` rejects with for the root.
 */
export async function* visitTree(
  source: SearchSource,
  query: WalkQuery,
  scope: SearchScope,
  tally: SearchTally,
  options: VisitOptions = {},
): AsyncGenerator<Visit, void> {
  const { root } = query;
  const { isIncluded = () => true, onlyDirectories = false, files = new RuleFiles(source, scope) } = options;
  if (scope.except.some((directory) => isWithin(directory, root))) return tally.skip("policy");
  const info = await source.stat(root, true);
  // Where the root really is may except more.
  const except = new Set(scope.except);
  const { exceptNames } = scope;
  if (info.kind !== "directory") {
    if (isIncluded(root, info.kind)) yield { path: root, ...info };
    return;
  }
  const prune = new Set([".git", ...query.prune]);
  const pauseCheck = new PauseCheck(scope);
  const rules = query.includeIgnored ? undefined : await rulesAbove(files, root, scope.workspace, pauseCheck);
  let counted = 0;
  const open = async (directory: string, ignores: IgnoreStack): Promise<Frame> => {
    const children = await source.readDir(directory);
    const below = rules === undefined ? ignores : await entered(directory, children, ignores, rules.endsAtGit);
    for (; counted < files.skipped; counted++) tally.skip("ignore-file");
    const visited = onlyDirectories
      ? children.filter(({ kind, name }) => kind === "directory" || isExceptedName(exceptNames, name))
      : [...children];
    return {
      directory,
      children: visited.sort((one, other) => (one.name < other.name ? -1 : 1)),
      ignores: below,
      next: 0,
    };
  };
  const entered = (directory: string, children: readonly SourceChild[], ignores: IgnoreStack, endsAtGit: boolean) => {
    const kinds = new Map<string, EntryKind>();
    for (const { name, kind } of children) if (RULE_NAMES.has(name)) kinds.set(name, kind);
    return kinds.size === 0 ? ignores : ignores.enter(directory, kinds, files, pauseCheck, endsAtGit);
  };
  const stack = [await open(root, rules?.stack ?? IgnoreStack.EMPTY)];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (pauseCheck.isPauseDue()) await pauseCheck.pauseAndCheckAborted();
    const child = frame.children[frame.next++];
    if (child === undefined || scope.signal.aborted) {
      stack.pop();
      continue;
    }
    const path = frame.directory === "/" ? `/${child.name}` : `${frame.directory}/${child.name}`;
    const isDirectory = child.kind === "directory";
    if (child.name === ".git" || (isDirectory && prune.has(child.name))) continue;
    if (!frame.ignores.isEmpty && (await frame.ignores.ignores(path, isDirectory, pauseCheck))) continue;
    if (scope.signal.aborted) continue;
    const isNamed = isExceptedName(exceptNames, child.name);
    if (isNamed || except.has(path)) {
      if (isNamed || !onlyDirectories) tally.skip("policy");
      continue;
    }
    if (isIncluded(path, child.kind))
      yield child.size === undefined ? { path, kind: child.kind } : { path, kind: child.kind, size: child.size };
    if (!isDirectory) continue;
    if (stack.length > MAX_DEPTH) {
      tally.skip("deep");
      continue;
    }
    try {
      stack.push(await open(path, frame.ignores));
    } catch (thrown) {
      tally.failed(thrown, path);
    }
  }
}
