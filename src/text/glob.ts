import { expandBraces } from "./brace-expansion.js";
import { type GlobToken, matchGlobSegment, parseGlobSegment } from "./glob-segment.js";
import { utf8Length } from "./utf8.js";

/** Longest glob that is compiled, in UTF-8 bytes. */
export const MAX_GLOB_BYTES = 1024;
/** Most alternatives that the braces of one glob may multiply to. */
export const MAX_GLOB_ALTERNATIVES = 256;

/** How a glob is compiled. */
export interface GlobOptions {
  /** Takes upper and lower case as the same letter. Default false. */
  readonly ignoreCase?: boolean;
  /** Matches a glob without a slash against the last name of the path, at any depth. Default true. */
  readonly matchBase?: boolean;
}

/** A compiled glob, or a sentence with the reason why it is invalid and what to do. */
export type GlobResult =
  | { readonly ok: true; readonly matches: (path: string) => boolean }
  | { readonly ok: false; readonly error: string };

type Segment = "any-depth" | readonly GlobToken[];

/**
 * Compiles a glob to a predicate over paths that are relative to one directory and use `/`.
 *
 * `*` and `?` stay within a name, `**` as a whole segment spans any number of names (`a/**` also matches `a`), `[a-z]`
 * and `[!a-z]` are classes, `{a,b}` are alternatives, a backslash makes the next character literal. Everything else,
 * parentheses and a leading `!` included, stands for itself. Names that start with a dot match like any other. A
 * leading `/` or `./` and a trailing `/` of the glob change nothing but that it has a slash. An empty path never
 * matches.
 *
 * The time of a match is bounded by the sizes of glob and path, whatever the glob: it is not translated to a
 * backtracking regular expression. An empty glob, one over {@link MAX_GLOB_BYTES} and one with more than
 * {@link MAX_GLOB_ALTERNATIVES} alternatives are refused.
 */
export function compileGlob(pattern: string, options: GlobOptions = {}): GlobResult {
  if (pattern === "") return refuse("it is empty. Use `*` to match every name");
  const sizeBytes = utf8Length(pattern);
  if (sizeBytes > MAX_GLOB_BYTES)
    return refuse(`it has ${sizeBytes} bytes and the limit is ${MAX_GLOB_BYTES}. Use a shorter one`);
  const alternatives = expandBraces(pattern, MAX_GLOB_ALTERNATIVES);
  if (alternatives === undefined)
    return refuse(`its braces make more than ${MAX_GLOB_ALTERNATIVES} alternatives. Use several globs`);

  const { ignoreCase = false, matchBase = true } = options;
  const byName = matchBase && !pattern.includes("/");
  const globs = alternatives.map((alternative) => parseSegments(alternative, ignoreCase));
  const matches = (path: string): boolean => {
    const subject = byName ? path.slice(path.lastIndexOf("/") + 1) : path;
    const folded = ignoreCase ? subject.toLowerCase() : subject;
    const names = byName ? [folded] : folded.split("/");
    return path !== "" && globs.some((segments) => matchSegments(segments, names));
  };
  return { ok: true, matches };
}

/**
 * Writes `text` so that a glob matches exactly it. The result is also literal for ripgrep, hence the escaped leading
 * `!`.
 */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{},]|^!/g, "\\$&");
}

function refuse(reason: string): GlobResult {
  return { ok: false, error: `Did not compile the glob: ${reason}.` };
}

function parseSegments(pattern: string, ignoreCase: boolean): Segment[] {
  const segments: Segment[] = [];
  for (const part of pattern.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "**") segments.push(parseGlobSegment(part, ignoreCase));
    else if (segments.at(-1) !== "any-depth") segments.push("any-depth");
  }
  return segments;
}

/** The same walk as within a segment, one level up: only the latest `**` is ever widened. */
function matchSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  let at = 0;
  let index = 0;
  let depthSegment = -1;
  let depthEnd = 0;
  while (true) {
    const segment = segments[at];
    if (segment === "any-depth") {
      depthSegment = at++;
      depthEnd = index;
      continue;
    }
    if (segment === undefined) {
      if (index === names.length) return true;
    } else if (index < names.length && matchGlobSegment(segment, names[index]!)) {
      index++;
      at++;
      continue;
    }
    if (depthSegment === -1 || depthEnd >= names.length) return false;
    index = ++depthEnd;
    at = depthSegment + 1;
  }
}
