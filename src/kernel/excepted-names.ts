/** The globs of `Grant.exceptNames`: names that no tree of a grant covers, wherever they are below it. */
import { matchGlobSegment, parseGlobSegment } from "../text/index.js";

type NameTest = (foldedName: string) => boolean;

/** Compiled once for each list. A list may still grow, never change otherwise. */
const tests = new WeakMap<readonly string[], NameTest[]>();

/** Whether one of the globs matches a single name. The time depends on the lengths of globs and name alone. */
export function isExceptedName(exceptNames: readonly string[], name: string): boolean {
  if (exceptNames.length === 0) return false;
  const folded = fold(name);
  return testsOf(exceptNames).some((test) => test(folded));
}

/** Whether one of the globs matches a name of `path` below `directory`: its last one, or one of the directories between. */
export function isExceptedBelow(exceptNames: readonly string[], directory: string, path: string): boolean {
  if (exceptNames.length === 0) return false;
  const names = path.slice(directory.length).split("/");
  return names.some((name) => name !== "" && isExceptedName(exceptNames, name));
}

function testsOf(exceptNames: readonly string[]): NameTest[] {
  const compiled = tests.get(exceptNames) ?? [];
  if (compiled.length === 0) tests.set(exceptNames, compiled);
  while (compiled.length < exceptNames.length) compiled.push(nameTest(exceptNames[compiled.length]!));
  return compiled;
}

function nameTest(glob: string): NameTest {
  const folded = fold(glob);
  const [before = "", after, ...more] = folded.split(/\*+/);
  // Nearly every glob has one star at most; a search asks for each name that it passes.
  if (more.length === 0 && !folded.includes("?")) {
    if (after === undefined) return (name) => name === folded;
    const shortest = before.length + after.length;
    return (name) => name.length >= shortest && name.startsWith(before) && name.endsWith(after);
  }
  const tokens = parseGlobSegment(folded.replace(/[\\[]/g, "\\$&"), false);
  return (name) => matchGlobSegment(tokens, name);
}

/** Also folds characters such as U+017F, which some file systems take as another case of "s". */
function fold(text: string): string {
  return text.normalize().toUpperCase().toLowerCase();
}
