import type { RE2JS } from "re2js";
import type { Pattern } from "../../kernel/index.js";
import { HaftError, messageOf } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import { acrossLineEndings } from "./line-endings.js";
import { unsupportedFeature } from "./unsupported-feature.js";

/** First and last-plus-one byte of a match; equal for an empty one. */
export type ByteRange = readonly [number, number];

/**
 * Most steps of one look at a text that nothing can interrupt: in the worst case of a pattern they take about two seconds,
 * and mostly a hundredth of that.
 */
const MAX_STEPS = 2 ** 28;

/**
 * What may match at the edge of a line that stands alone and not within a text: its own start and end, flags that are taken
 * back, and an end before `\r\n`, which a line is without.
 */
const EDGES = /\\[Az]|\(\?\w*-|\$/;

/** What means more than itself. */
const SIGNS = /[\\.+*?()|[\]{}^$]/;

/** Where a pattern matches in bytes. Time is linear in the bytes, whatever the pattern. */
export interface SearchPattern {
  /**
   * Most bytes of a text that may be looked at in one piece: `test`, and one step of `each`, take time by the size of the
   * pattern for each of them, and hold up everything else meanwhile.
   */
  readonly maxBytes: number;
  /** Whether a line that matches alone also does within a text of many lines, so that a text without a match has no such line. */
  readonly isOfLines: boolean;
  /** Whether the bytes, one line or many, hold a match. */
  test(bytes: Uint8Array): boolean;
  /** Every match in order, none overlapping another, each found when it is asked for. */
  each(bytes: Uint8Array): Iterable<ByteRange>;
  /** The matches in order, none overlapping another: every one, or those that start fewer than `within` bytes after the first. */
  find(bytes: Uint8Array, within?: number): readonly ByteRange[];
}

/** Compiling a longer pattern takes noticeable time, and the system limits the length of an argument of ripgrep. */
const MAX_PATTERN_BYTES = 64 * 1024;

/** Loads what `compilePattern` needs: see `loadValidator`. */
export const loadRegexEngine = () => import("re2js");

/**
 * Compiles a pattern for the engine of this module.
 * @throws `SEARCH_PATTERN` for a malformed pattern, `SEARCH_UNSUPPORTED` for a feature that this engine lacks.
 */
export async function compilePattern(asked: Pattern): Promise<SearchPattern> {
  const bytes = utf8Length(asked.source);
  if (bytes > MAX_PATTERN_BYTES) {
    const why = `the pattern has ${bytes} bytes; at most ${MAX_PATTERN_BYTES} are allowed`;
    throw new HaftError("SEARCH_PATTERN", `Did not search: ${why}. Search for a part of it.`, {
      details: { pattern: `${asked.source.slice(0, 100)}…`, why },
    });
  }
  const pattern = acrossLineEndings(asked);
  const feature = pattern.syntax === "literal" ? undefined : unsupportedFeature(pattern.source);
  if (feature !== undefined) {
    const text = `Did not search for "${asked.source}": it uses ${feature}, which is not supported. Use a simpler pattern and read around the matches.`;
    throw new HaftError("SEARCH_UNSUPPORTED", text, { details: { pattern: asked.source, feature } });
  }
  const { RE2JS } = await loadRegexEngine();
  const source = pattern.syntax === "literal" ? RE2JS.quote(pattern.source) : pattern.source;
  const flags = RE2JS.MULTILINE | (pattern.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, flags);
  } catch (thrown) {
    // The engine quotes the pattern with the flags that were put before it here.
    const why = messageOf(thrown).replace(`(?m)${pattern.ignoreCase ? "(?i)" : ""}${source}`, () => source);
    throw new HaftError("SEARCH_PATTERN", `Did not search for "${asked.source}": ${why}.`, {
      details: { pattern: asked.source, why },
    });
  }
  function* each(bytes: Uint8Array): Generator<ByteRange> {
    const matcher = compiled.matcher(bytes);
    while (matcher.find()) yield [matcher.start(), matcher.end()];
  }
  const isPlain = !pattern.ignoreCase && (pattern.syntax === "literal" || !SIGNS.test(source));
  return {
    maxBytes: isPlain ? MAX_STEPS : Math.floor(MAX_STEPS / compiled.programSize()),
    isOfLines: pattern.syntax === "literal" || !EDGES.test(source),
    test: (bytes) => compiled.test(bytes),
    each,
    find(bytes, within = Number.POSITIVE_INFINITY) {
      const ranges: ByteRange[] = [];
      for (const range of each(bytes)) {
        if (ranges.length > 0 && range[0] - ranges[0]![0] >= within) break;
        ranges.push(range);
      }
      return ranges;
    },
  };
}
