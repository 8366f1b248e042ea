import type { EntryKind, WalkQuery } from "../../kernel/index.js";
import { isWithin } from "../../kernel/index.js";
import { IGNORE_FILES, IgnoreStack, readRules, rulesAbove } from "./ignore-stack.js";
import type { SearchTally } from "./search-tally.js";
import { type SearchScope, type SearchSource, type SourceChild, Turns } from "./source.js";

/** Directories below this depth are counted under "deep": only a file system that loops without symlinks has them. */
const MAX_DEPTH = 200;

export interface Visit {
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

/**
 * Everything below the root in the order of a reader: children by name in code-unit order, a directory before what it holds.
 * What ignore files, prune names, `except` and `.git` leave out is not visited; a directory that cannot be read is counted.
 * The root is visited itself only when it is no directory. Others get their turn on the way, and an abort is heard, however many
 * children and ignore rules there are.
 *
 * @param isIncluded - Asked once for each entry, in this order; of the others only their children are visited.
 * @throws What `source` rejects with for the root.
 */
export async function* visitTree(
  source: SearchSource,
  query: WalkQuery,
  scope: SearchScope,
  tally: SearchTally,
  isIncluded: (path: string, kind: EntryKind) => boolean = () => true,
): AsyncGenerator<Visit, void> {
  const { root } = query;
  if (scope.except.some((directory) => isWithin(directory, root))) return tally.skip("policy");
  const info = await source.stat(root);
  // Where the root really is may except more.
  const except = new Set(scope.except);
  if (info.kind !== "directory") {
    if (isIncluded(root, info.kind)) yield { path: root, ...info };
    return;
  }
  const prune = new Set([".git", ...query.prune]);
  const turns = new Turns(scope);
  const rules = query.includeIgnored ? undefined : await rulesAbove(source, root, scope.workspace, turns);
  const open = (directory: string, ignores: IgnoreStack) =>
    openDirectory(source, directory, ignores, rules?.endsAtGit, turns);
  const stack = [await open(root, rules?.stack ?? IgnoreStack.EMPTY)];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (turns.isDue()) await turns.isOver();
    const child = frame.children[frame.next++];
    if (child === undefined || scope.signal.aborted) {
      stack.pop();
      continue;
    }
    const path = frame.directory === "/" ? `/${child.name}` : `${frame.directory}/${child.name}`;
    const isDirectory = child.kind === "directory";
    if (child.name === ".git" || (isDirectory && prune.has(child.name))) continue;
    if (!frame.ignores.isEmpty && (await frame.ignores.ignores(path, isDirectory, turns))) continue;
    if (scope.signal.aborted) continue;
    if (except.has(path)) {
      tally.skip("policy");
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

/** @param endsAtGit - See {@link IgnoreStack.enter}; undefined where no rules are to be heeded. */
async function openDirectory(
  source: SearchSource,
  directory: string,
  above: IgnoreStack,
  endsAtGit: boolean | undefined,
  turns: Turns,
): Promise<Frame> {
  const children = [...(await source.readDir(directory))];
  children.sort((one, other) => (one.name < other.name ? -1 : 1));
  if (endsAtGit === undefined) return { directory, children, ignores: above, next: 0 };
  const names = new Set<string>();
  for (const { name, kind } of children)
    if (name === ".git" || (IGNORE_FILES.some((file) => file === name) && kind !== "directory")) names.add(name);
  const read = (path: string) => readRules(source, path);
  const ignores = names.size === 0 ? above : await above.enter(directory, names, read, turns, endsAtGit);
  return { directory, children, ignores, next: 0 };
}
