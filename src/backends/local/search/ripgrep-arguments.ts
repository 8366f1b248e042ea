import { type GrepQuery, isWithin } from "../../../kernel/index.js";
import { escapeGlob } from "../../../text/index.js";
import { globTypes } from "./glob-types.js";
import type { RipgrepPattern } from "./ripgrep-pattern.js";
import type { SearchRoot } from "./search-root.js";

/** What ripgrep prints: single lines, the number of them in each file, or the files alone. */
export type RipgrepOutput = "lines" | "counts" | "files";

export interface RipgrepRequest {
  readonly query: GrepQuery;
  readonly root: SearchRoot;
  readonly pattern: RipgrepPattern;
  readonly output: RipgrepOutput;
  readonly ignoreFlags: readonly string[];
  readonly except: readonly string[];
  /** Most lines of one file that are printed. */
  readonly maxLines: number | undefined;
}

/** The debug messages on the error stream name what was left out, which nothing else does. */
const FLAGS = [
  "--no-config",
  "--debug",
  "--no-ignore-messages",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--hidden",
  "--no-mmap",
  "--encoding=none",
  "--color=never",
  "--glob=!.git",
];

/** A mapped file would be looked at for a NUL in its first part only, hence `--no-mmap`. */
const OUTPUT_FLAGS: Readonly<Record<RipgrepOutput, readonly string[]>> = {
  lines: ["--json"],
  counts: ["--count", "--null", "--with-filename", "--stats"],
  files: ["--files-with-matches", "--null", "--stats"],
};

export function ripgrepArguments(request: RipgrepRequest): string[] {
  const { query, root, pattern, output, ignoreFlags, maxLines } = request;
  const optional: readonly (readonly [boolean, string])[] = [
    [query.pattern.multiline, "--multiline"],
    [query.binary !== "any-nul", "--text"],
    // One thread then, file by file: the price of an order.
    [query.order === "path", "--sort=path"],
    [query.maxFileBytes !== undefined, `--max-filesize=${query.maxFileBytes}`],
    [maxLines !== undefined, `--max-count=${maxLines}`],
    [output === "lines" && query.mode === "content" && query.context > 0, `--context=${query.context}`],
  ];
  return [
    ...FLAGS,
    ...OUTPUT_FLAGS[output],
    ...ignoreFlags,
    ...optional.filter(([isWanted]) => isWanted).map(([, flag]) => flag),
    ...exceptedBelow(request).map((path) => `--glob=!/${literalGlob(path)}`),
    // The last one that matches counts, and is named: what is pruned is not left out by policy.
    ...query.prune.map((name) => `--glob=!${literalGlob(name)}/`),
    ...(root.kind === "directory" && query.ignoreGlobCase !== true ? typeFlags(query.glob) : []),
    "-e",
    pattern.source,
    "--",
    root.argument,
  ];
}

/** What is excepted below the root, by its asked and by its real path, relative to it. */
function exceptedBelow({ query, root, except }: RipgrepRequest): string[] {
  const relative = new Set<string>();
  for (const top of [query.root, root.real]) {
    for (const path of except)
      if (path !== top && isWithin(top, path)) relative.add(path.slice(top === "/" ? 1 : top.length + 1));
  }
  return [...relative];
}

/** Globs of its own would win over ignore files, types do not; these let through somewhat more than the glob does. */
function typeFlags(glob: string | undefined): string[] {
  const types = glob === undefined ? undefined : globTypes(glob);
  return types === undefined ? [] : [...types.map((type) => `--type-add=haft:${type}`), "--type=haft"];
}

/** Blanks at the end of a glob would be dropped. */
function literalGlob(text: string): string {
  return escapeGlob(text).replace(/ +$/, (blanks) => blanks.replaceAll(" ", "\\ "));
}
