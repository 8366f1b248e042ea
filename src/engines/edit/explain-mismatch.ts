/**
 * Explains why an `oldText` was not found: the nearest places, each with its first difference in words, and a hint if the
 * text contains the line numbers of `read`, or an escape sequence instead of the character.
 */
import { firstDifference, foldTypography, showControls, stripControls, truncateToHead } from "../../text/index.js";
import { findMatches, type MatchOptions } from "./match.js";
import { endOfLine, linesOf, nearestLines } from "./nearest.js";
import type { FileViews } from "./stages.js";
import type { UnitText } from "./units.js";

/** A place that is similar to `oldText`. */
interface NearestPlace {
  readonly line: number;
  readonly text: string;
  /** What differs there, in words. */
  readonly differs: string;
}

export interface Mismatch {
  readonly nearest: readonly NearestPlace[];
  /** The likely mistake, as a sentence. */
  readonly hint?: string;
}

/** The escape sequences are those of JSON. */
const HINTS = {
  gutter: "`oldText` seems to include the line numbers that `read` prints. Send the lines without them.",
  escaped:
    "It has an escape sequence, such as `\\n`, where the file has the character itself, such as a line break. Send the character.",
  unescaped:
    "The file has an escape sequence, such as `\\n`, where `oldText` has the character itself, such as a line break. Send both characters.",
} as const;

export function explainMismatch(views: FileViews, oldText: string, options: MatchOptions): Mismatch {
  const { text } = views;
  const nearestTo = (sought: string) => nearestLines(text, sought).map((line) => describe(text, line, linesOf(sought)));
  const isFound = (sought: string) => {
    const units = text.encode(sought);
    return units !== undefined && units.length > 0 && findMatches(views, units, options) !== "not-found";
  };
  const bare = withoutGutter(oldText);
  if (bare !== undefined) {
    const nearest = nearestTo(bare);
    if (nearest.length > 0 || isFound(bare)) return { nearest, hint: HINTS.gutter };
  }
  const unescaped = oldText.replace(JSON_ESCAPE, (pair, char: string) => ESCAPED[char] ?? pair);
  if (unescaped !== oldText && isFound(unescaped)) return { nearest: nearestTo(unescaped), hint: HINTS.escaped };
  const nearest = nearestTo(oldText);
  const escaped = JSON.stringify(oldText).slice(1, -1);
  return escaped !== oldText && isFound(escaped) ? { nearest, hint: HINTS.unescaped } : { nearest };
}

/** A line number and the separator that tools print after it. */
const GUTTER = /^ *\d+(?:\t|│|\||→|: )/;
const JSON_ESCAPE = /\\([nrt"\\])/g;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** The text without its line numbers; undefined unless every line that is not blank has one. */
function withoutGutter(oldText: string): string | undefined {
  const lines = oldText.split("\n");
  const numbered = lines.filter((line) => line.trim() !== "");
  if (numbered.length === 0 || !numbered.every((line) => GUTTER.test(line))) return undefined;
  return lines.map((line) => line.replace(GUTTER, "")).join("\n");
}

/** Lines and bytes shown of one place. */
const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_BYTES = 1_024;

/** As many lines of the file as `oldText` has, from a 1-based line on. */
export function placeAt(text: UnitText, line: number, oldText: string): Omit<NearestPlace, "differs"> {
  const { differs: _, ...place } = describe(text, line - 1, linesOf(oldText));
  return place;
}

function describe(text: UnitText, line: number, lines: readonly string[]): NearestPlace {
  const found = readLines(text, line, lines.length);
  const last = lines.length - 1;
  // `oldText` may begin inside its first line, unless that begins with indentation, and may end inside its last line.
  const anchorOf = (at: number): Anchor => {
    const opens = at === 0 && (last === 0 || !/^[ \t]/.test(lines[0]!));
    if (at === last) return opens ? "anywhere" : "start";
    return opens ? "end" : "whole";
  };
  const differing = lines.findIndex((one, at) => !fits(found[at] ?? "", one, anchorOf(at)));
  const index = differing === -1 ? 0 : differing;
  const actual = found[index];
  const differs =
    actual === undefined
      ? "the file ends before it"
      : `on line ${line + index + 1}, ${describeDifference(actual, lines[index]!, anchorOf(index))}`;
  const shown = stripControls(found.slice(0, MAX_SHOWN_LINES).join("\n")).text;
  return { line: line + 1, text: truncateToHead(shown, MAX_SHOWN_BYTES).text, differs };
}

/** Lines of the file without their endings. Only the start of a long line is decoded. */
function readLines(text: UnitText, first: number, count: number): string[] {
  const { units } = text;
  let start = 0;
  for (let line = 0; line < first; line++) start = endOfLine(units, start) + 1;
  const lines: string[] = [];
  while (lines.length < count && start < units.length) {
    const end = endOfLine(units, start);
    const whole = text.decode(start, Math.min(end, start + 4 * MAX_SHOWN_BYTES));
    lines.push(whole.endsWith("\r") ? whole.slice(0, -1) : whole);
    start = end + 1;
  }
  return lines;
}

/** Which part of its line in the file a line of `oldText` must equal. */
type Anchor = "whole" | "start" | "end" | "anywhere";

function fits(file: string, line: string, anchor: Anchor): boolean {
  if (anchor === "whole") return file === line;
  if (anchor === "start") return file.startsWith(line);
  return anchor === "end" ? file.endsWith(line) : file.includes(line);
}

interface Difference {
  /** Removes this difference from a line. */
  fold(line: string): string;
  /** Where the folded line must be, if not where the line had to be: folding whitespace at an end moves it there. */
  readonly anchors?: Partial<Readonly<Record<Anchor, Anchor>>>;
  describe(file: string, line: string, anchor: Anchor): string;
}

const indentOf = (line: string) => /^[ \t]*/.exec(line)![0];
const oneSpace = (line: string) => line.replace(/[ \t]+/g, " ").trim();
const composed = (line: string) => line.normalize("NFC");

/** The first one that explains the whole difference of a line is reported; likely ones come first. */
const DIFFERENCES: readonly Difference[] = [
  {
    fold: (line) => line.trimEnd(),
    anchors: { anywhere: "end", start: "whole" },
    describe: () => "whitespace at the end of the line",
  },
  {
    fold: (line) => line.slice(indentOf(line).length),
    anchors: { anywhere: "start", end: "whole" },
    describe: (file, line) =>
      `the indentation: ${nameIndent(indentOf(file))} in the file, ${nameIndent(indentOf(line))} in \`oldText\``,
  },
  {
    fold: (line) => stripControls(line).text,
    describe: (file) => `control characters that \`read\` leaves out: ${controlsOf(file)}`,
  },
  {
    fold: oneSpace,
    describe: () => "whitespace inside the line",
  },
  {
    fold: composed,
    describe: (file, line, anchor) =>
      `the same letters composed differently (Unicode normalization)${nameCharacters(file, line, anchor, composed)}`,
  },
  {
    fold: foldTypography,
    describe: (file, line, anchor) =>
      `characters that look alike (quotes, dashes, spaces)${nameCharacters(file, line, anchor, foldTypography)}`,
  },
  {
    fold: (line) => oneSpace(foldTypography(line)),
    describe: () => "whitespace, and characters that look alike (quotes, dashes, spaces)",
  },
  {
    fold: (line) => oneSpace(line).toLowerCase(),
    describe: () => "upper and lower case",
  },
];

/** How `line` of `oldText` differs from `file`, the line of the file; both without line endings. */
function describeDifference(file: string, line: string, anchor: Anchor): string {
  const known = DIFFERENCES.find(({ fold, anchors }) => {
    const [actual, expected] = [fold(file), fold(line)];
    return actual === expected || (expected !== "" && fits(actual, expected, anchors?.[anchor] ?? anchor));
  });
  if (known !== undefined) return known.describe(file, line, anchor);
  const start = anchor === "end" || anchor === "anywhere" ? bestStart(file, line) : 0;
  const same = commonLength(file, start, line);
  const actual = `the text from character ${start + same + 1}: "${excerpt(file, start + same)}" in the file`;
  return `${actual}, "${excerpt(line, same)}" in \`oldText\``;
}

/** Characters shown on each side of the first difference of two lines. */
const SHOWN = 24;
/** A part of a line is searched by its first characters, at so many places. */
const PREFIX_LENGTH = 3;
const MAX_STARTS = 50;

/** Where `file` has the longest prefix of `line`; 0 if nowhere. */
function bestStart(file: string, line: string): number {
  const prefix = line.slice(0, PREFIX_LENGTH);
  let [best, length] = [0, commonLength(file, 0, line)];
  let at = file.indexOf(prefix);
  for (let seen = 0; at >= 0 && seen < MAX_STARTS; seen++) {
    const same = commonLength(file, at, line);
    if (same > length) [best, length] = [at, same];
    at = file.indexOf(prefix, at + 1);
  }
  return best;
}

function commonLength(file: string, start: number, line: string): number {
  let length = 0;
  while (start + length < file.length && file[start + length] === line[length]) length++;
  return length;
}

function excerpt(line: string, at: number): string {
  const from = Math.max(0, at - SHOWN / 3);
  const part = line.slice(from, at + SHOWN);
  return `${from > 0 ? "…" : ""}${showControls(part)}${at + SHOWN < line.length ? "…" : ""}`;
}

/** The code points of the first character that differs, because the two look alike. */
function nameCharacters(file: string, line: string, anchor: Anchor, fold: (line: string) => string): string {
  const start = rawStart(file, line, anchor, fold);
  const difference = firstDifference(file.slice(start), line);
  if (difference?.there === undefined || difference.here === undefined) return "";
  const column = [...file.slice(0, start)].length + difference.column;
  return `: character ${column} is ${difference.there} in the file, ${difference.here} in \`oldText\``;
}

/** Where the part of `file` begins that equals `line` when both are folded: the shortest prefix that folds to the text before it. */
function rawStart(file: string, line: string, anchor: Anchor, fold: (line: string) => string): number {
  const [actual, expected] = [fold(file), fold(line)];
  const at = anchor === "anywhere" ? actual.indexOf(expected) : anchor === "end" ? actual.length - expected.length : 0;
  let low = 0;
  let high = file.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fold(file.slice(0, middle)).length >= at) high = middle;
    else low = middle + 1;
  }
  return low;
}

function nameIndent(indent: string): string {
  if (indent === "") return "none";
  const count = (char: string) => indent.split(char).length - 1;
  const names = [
    [count("\t"), "tab"],
    [count(" "), "space"],
  ] as const;
  return names
    .filter(([number]) => number > 0)
    .map(([number, name]) => `${number} ${name}${number === 1 ? "" : "s"}`)
    .join(" and ");
}

function controlsOf(line: string): string {
  const shown = new Set(showControls(line.replace(/[\t\n]/g, "")).match(/\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|r)/g) ?? []);
  return [...shown].slice(0, 5).join(" ");
}
