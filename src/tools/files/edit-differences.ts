import { firstDifference, foldTypography, showControls, stripControls } from "../../text/index.js";

/** How a line of `oldText` has to stand in a line of the file: as the whole of it, at its start or end, or anywhere. */
export type Anchor = "whole" | "start" | "end" | "anywhere";

export function standsIn(file: string, wanted: string, anchor: Anchor): boolean {
  if (anchor === "whole") return file === wanted;
  return anchor === "start"
    ? file.startsWith(wanted)
    : anchor === "end"
      ? file.endsWith(wanted)
      : file.includes(wanted);
}

interface Difference {
  /** A line without what this difference is about. */
  fold(line: string): string;
  /** Where a part of a line has to stand for this to be what differs. Default: as it is. */
  readonly anchors?: Partial<Readonly<Record<Anchor, Anchor>>>;
  say(file: string, wanted: string, anchor: Anchor): string;
}

const indentOf = (line: string) => /^[ \t]*/.exec(line)![0];
const oneSpace = (line: string) => line.replace(/[ \t]+/g, " ").trim();

/** The likeliest causes first: each is told alone when it explains the whole difference of a line. */
const DIFFERENCES: readonly Difference[] = [
  {
    fold: (line) => line.trimEnd(),
    anchors: { anywhere: "end", start: "whole" },
    say: () => "whitespace at the end of the line",
  },
  {
    fold: (line) => line.slice(indentOf(line).length),
    anchors: { anywhere: "start", end: "whole" },
    say: (file, wanted) =>
      `the indentation: ${nameIndent(indentOf(file))} in the file, ${nameIndent(indentOf(wanted))} in \`oldText\``,
  },
  {
    fold: (line) => stripControls(line).text,
    say: (file) => `control characters that \`read\` leaves out: ${controlsOf(file)}`,
  },
  {
    fold: oneSpace,
    say: () => "whitespace inside the line",
  },
  {
    fold: (line) => line.normalize("NFC"),
    say: (file, wanted, anchor) => {
      const where = nameCharacters(file, wanted, anchor, (line) => line.normalize("NFC"));
      return `the same letters composed differently (Unicode normalization)${where}`;
    },
  },
  {
    fold: foldTypography,
    say: (file, wanted, anchor) =>
      `characters that look alike (quotes, dashes, spaces)${nameCharacters(file, wanted, anchor, foldTypography)}`,
  },
  {
    fold: (line) => oneSpace(foldTypography(line)),
    say: () => "whitespace, and characters that look alike (quotes, dashes, spaces)",
  },
  {
    fold: (line) => oneSpace(line).toLowerCase(),
    say: () => "upper and lower case",
  },
];

/** Characters shown on each side of where two lines part. */
const SHOWN = 24;
/** Characters by which a part of a line is looked for in it, and how many such places are compared. */
const FIRST = 3;
const MAX_STARTS = 50;

/**
 * What keeps `wanted` from standing in `file`, as words; both are lines without their ends, the first ones that differ.
 *
 * @param anchor - How `wanted` would have to stand in `file`.
 */
export function describeDifference(file: string, wanted: string, anchor: Anchor): string {
  const known = DIFFERENCES.find(({ fold, anchors }) => {
    const [there, here] = [fold(file), fold(wanted)];
    return there === here || (here !== "" && standsIn(there, here, anchors?.[anchor] ?? anchor));
  });
  if (known !== undefined) return known.say(file, wanted, anchor);
  const start = anchor === "end" || anchor === "anywhere" ? startOf(file, wanted) : 0;
  const alike = commonLength(file, start, wanted);
  const there = `the text from character ${start + alike + 1}: "${excerpt(file, start + alike)}" in the file`;
  return `${there}, "${excerpt(wanted, alike)}" in \`oldText\``;
}

/** Where in `file` the longest beginning of `wanted` stands, among the first places that have its first few characters; else 0. */
function startOf(file: string, wanted: string): number {
  const first = wanted.slice(0, FIRST);
  let [best, length] = [0, commonLength(file, 0, wanted)];
  let at = file.indexOf(first);
  for (let seen = 0; at >= 0 && seen < MAX_STARTS; seen++) {
    const alike = commonLength(file, at, wanted);
    if (alike > length) [best, length] = [at, alike];
    at = file.indexOf(first, at + 1);
  }
  return best;
}

/** The first character that differs, by its code points, for what cannot be seen. */
function nameCharacters(file: string, wanted: string, anchor: Anchor, fold: (line: string) => string): string {
  const start = rawStart(file, wanted, anchor, fold);
  const difference = firstDifference(file.slice(start), wanted);
  if (difference?.there === undefined || difference.here === undefined) return "";
  const column = [...file.slice(0, start)].length + difference.column;
  return `: character ${column} is ${difference.there} in the file, ${difference.here} in \`oldText\``;
}

/** Where the part of `file` begins that `wanted` stands for once both are folded. */
function rawStart(file: string, wanted: string, anchor: Anchor, fold: (line: string) => string): number {
  const [there, here] = [fold(file), fold(wanted)];
  const at = anchor === "anywhere" ? there.indexOf(here) : anchor === "end" ? there.length - here.length : 0;
  let low = 0;
  let high = file.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fold(file.slice(0, middle)).length >= at) high = middle;
    else low = middle + 1;
  }
  return low;
}

function commonLength(file: string, start: number, wanted: string): number {
  let length = 0;
  while (start + length < file.length && file[start + length] === wanted[length]) length++;
  return length;
}

function excerpt(line: string, at: number): string {
  const from = Math.max(0, at - SHOWN / 3);
  const part = line.slice(from, at + SHOWN);
  return `${from > 0 ? "…" : ""}${showControls(part)}${at + SHOWN < line.length ? "…" : ""}`;
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
