/** The paths that the words of a program may name, whatever the program makes of them. */
import { normalizePath, resolvePath } from "../text/index.js";
import type { CommandSegment } from "./commands/index.js";

/** @param roots - The workspace and other roots: git counts what stands after a revision from the top of its repository. */
export function namedPaths(
  { program, args, directories }: CommandSegment,
  { roots, home }: { readonly roots: readonly { readonly path: string }[]; readonly home: string },
): readonly string[] {
  if (directories === undefined) return [];
  const isGit = program === "git";
  const from = isGit ? [...directories, ...roots.map(({ path }) => path)] : directories;
  const texts = new Set(args.flatMap((word) => partsOf(word, isGit)));
  texts.delete("");
  return [...texts].flatMap((text) => from.map((directory) => normalizePath(resolvePath(directory, text, home))));
}

/** A word, the value in the same word as its option, and for git what follows a revision: `-fX`, `--x=X`, `HEAD:X`. */
function partsOf(word: string, isGit: boolean): readonly string[] {
  // `:!X` and `:(exclude)X` leave X out.
  if (isGit && /^:([!^]|\([^)]*exclude)/.test(word)) return [];
  const equals = word.indexOf("=");
  const values = [
    word,
    ...(equals === -1 ? [] : [word.slice(equals + 1)]),
    ...(/^-[A-Za-z]./.test(word) ? [word.slice(2)] : []),
  ];
  if (!isGit) return values;
  const magic = /^:(\([^)]*\)|\/)/.exec(word)?.[0];
  if (magic !== undefined) return [word.slice(magic.length)];
  const colons = [...word.matchAll(/:/g)].map(({ index }) => word.slice(index + 1));
  return [...values, ...colons];
}
