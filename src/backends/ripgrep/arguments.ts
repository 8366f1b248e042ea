import { acrossLineEndings, parentDirectories, type RuleFiles, type RulesAbove } from "../../engines/search/index.js";
import { type EntryKind, type GrepQuery, isWithin, type Pattern } from "../../kernel/index.js";
import { escapeGlob, expandBraces, MAX_GLOB_ALTERNATIVES } from "../../text/index.js";

/** Where ripgrep is started. */
export interface RipgrepRoot {
  readonly kind: EntryKind;
  /** The real path. */
  readonly real: string;
  /** The root as seen from the directory in which ripgrep starts: "." or "./name". */
  readonly argument: string;
}

/** What ripgrep prints: single lines, the number of them in each file, or the files alone. */
export type RipgrepOutput = "lines" | "counts" | "files";

interface RipgrepRequest {
  readonly query: GrepQuery;
  readonly root: RipgrepRoot;
  /** See {@link patternFlags}. */
  readonly patternFlags: readonly string[];
  readonly output: RipgrepOutput;
  /** See {@link ignoreFlags}. */
  readonly ignoreFlags: readonly string[];
  readonly except: readonly string[];
  /** See {@link nameFlags}. */
  readonly nameFlags: readonly string[];
  /** Most lines of one file that are printed. */
  readonly maxLines: number | undefined;
}

const FLAGS = [
  "--no-config",
  "--no-ignore-messages",
  "--no-ignore-global",
  "--hidden",
  "--no-mmap",
  "--crlf",
  "--color=never",
  "--glob=!.git",
];

/** ripgrep checks only the first part of a memory-mapped file for a NUL, hence `--no-mmap`. */
const OUTPUT_FLAGS: Readonly<Record<RipgrepOutput, readonly string[]>> = {
  lines: ["--json"],
  counts: ["--count", "--null", "--with-filename", "--stats"],
  files: ["--files-with-matches", "--null", "--stats"],
};

export function ripgrepArguments(request: RipgrepRequest): string[] {
  const { query, root, output, ignoreFlags, maxLines } = request;
  const optional: readonly (readonly [boolean, string])[] = [
    [query.binary !== "any-nul", "--text"],
    // Sorting makes ripgrep use a single thread.
    [query.order === "path", "--sort=path"],
    [query.maxFileBytes !== undefined, `--max-filesize=${query.maxFileBytes}`],
    [maxLines !== undefined, `--max-count=${maxLines}`],
    [output === "lines" && query.mode === "content" && query.context > 0, `--context=${query.context}`],
  ];
  return [
    ...FLAGS,
    ...OUTPUT_FLAGS[output],
    ...ignoreFlags,
    ...optional.filter(([isIncluded]) => isIncluded).map(([, flag]) => flag),
    ...exceptedBelow(query.root, root, request.except).map((path) => `--glob=!/${literalGlob(path)}`),
    ...(root.kind === "directory" ? request.nameFlags : []),
    // The last matching glob wins and is reported, so pruned files must not count as excluded by policy.
    ...query.prune.map((name) => `--glob=!${literalGlob(name)}/`),
    ...(root.kind === "directory" && query.ignoreGlobCase !== true ? typeFlags(query.glob) : []),
    ...request.patternFlags,
    "--",
    root.argument,
  ];
}

/**
 * The pattern as ripgrep takes it. Undefined if our own engine must search: ripgrep finds non-ASCII characters in Unicode files
 * only, has set operators in classes, and has no `\Q`, nor `\A` and `\z` of a line.
 */
export function patternFlags(pattern: Pattern): readonly string[] | undefined {
  const { source, syntax, ignoreCase, multiline } = acrossLineEndings(pattern);
  if (/[^\0-\x7f]/.test(source) || (syntax === "re2" && /\\[AQz]|\(\?\w*-\w*m|\[[^\]]*(?:&&|--|~~)/.test(source)))
    return undefined;
  return [
    ...(syntax === "literal" ? ["--fixed-strings"] : []),
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(multiline ? ["--multiline"] : []),
    "-e",
    source,
  ];
}

/**
 * Flags for what the grant excepts by name. Undefined if our own engine must search: ripgrep compares bytes, so `?` would match
 * a part of a character. Of ASCII characters it takes the same ones as equal, of others fewer: those files are omitted later.
 */
export function nameFlags(exceptNames: readonly string[]): readonly string[] | undefined {
  if (exceptNames.some((glob) => !/^[\x20-\x7e]+$/.test(glob) || /[?/]/.test(glob))) return undefined;
  return exceptNames.map((glob) => `--iglob=!${glob.split(/(\*+)/).map(literalPart).join("")}`);
}

function literalPart(part: string): string {
  return part.startsWith("*") ? "*" : literalGlob(part);
}

/** Excluded paths below the root, relative to the requested root and to its real path. */
export function exceptedBelow(asked: string, { real }: Pick<RipgrepRoot, "real">, except: readonly string[]): string[] {
  const relative = new Set<string>();
  for (const top of [asked, real]) {
    for (const path of except)
      if (path !== top && isWithin(top, path)) relative.add(path.slice(top === "/" ? 1 : top.length + 1));
  }
  return [...relative];
}

/**
 * Flags that make ripgrep apply the same ignore files as our own engine. Undefined when no flags can: ripgrep applies those of
 * all directories above the root, up to the repository's root, or of none; and it follows symlinks to ignore files.
 *
 * @param files - What was found of the ignore files in the root and above it. The caller checks those below.
 * @param hasAny - Whether one of the directories has one of the names. ripgrep cannot read rules from an unreadable directory either.
 */
export async function ignoreFlags(
  { root, includeIgnored }: Pick<GrepQuery, "root" | "includeIgnored">,
  { kind, real }: Pick<RipgrepRoot, "kind" | "real">,
  above: RulesAbove,
  files: Pick<RuleFiles, "skipped" | "hasGitElsewhere" | "hasExclude">,
  hasAny: (directories: readonly string[], names: readonly string[]) => boolean | Promise<boolean>,
): Promise<readonly string[] | undefined> {
  if (includeIgnored || kind !== "directory") return ["--no-ignore"];
  if (files.skipped > 0 || (files.hasGitElsewhere && files.hasExclude)) return undefined;
  const git = [...(above.endsAtGit ? [] : ["--no-require-git"]), ...(files.hasExclude ? [] : ["--no-ignore-exclude"])];
  if (above.stack.isEmpty) return ["--no-ignore-parent", ...git];
  const outer = above.isRepository ? [".ignore", ".rgignore"] : [".gitignore", ".git", ".ignore", ".rgignore"];
  const isAlike = root === real && !(await hasAny(parentDirectories(above.from), outer));
  return isAlike ? git : undefined;
}

/** File types, because globs passed to ripgrep would override ignore files. The types may match more than the glob does. */
function typeFlags(glob: string | undefined): string[] {
  const types = glob === undefined ? undefined : globTypes(glob);
  return types === undefined ? [] : [...types.map((type) => `--type-add=haft:${type}`), "--type=haft"];
}

/** Escapes trailing spaces, which a glob would drop. */
function literalGlob(text: string): string {
  return escapeGlob(text).replace(/ +$/, (whitespace) => whitespace.replaceAll(" ", "\\ "));
}

/** Characters that mean themselves in every glob. */
const PLAIN = /[\p{L}\p{N}._-]/u;

/**
 * File name globs of letters and `*` that match every file that `glob` matches; undefined if they would match all files.
 */
export function globTypes(glob: string): string[] | undefined {
  if (glob.startsWith("!")) return undefined;
  const alternatives = expandBraces(glob, MAX_GLOB_ALTERNATIVES) ?? ["*"];
  const names = new Set(alternatives.map(looseName));
  return names.has("*") ? undefined : [...names];
}

function looseName(alternative: string): string {
  const name =
    alternative
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .at(-1) ?? "*";
  let loose = "";
  for (const character of name) {
    // The end of a class or an escape is not parsed: anything may follow.
    if (character === "[" || character === "\\") return `${loose}*`.replace(/\*+/g, "*");
    loose += PLAIN.test(character) ? character : "*";
  }
  return loose.replace(/\*+/g, "*");
}
