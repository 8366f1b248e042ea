import { classEnd } from "./glob-segment.js";

/**
 * Multiplies out `{a,b}` groups, nested ones too. Braces without a comma, without a partner, escaped by a backslash or
 * in a `[class]` stay as they are.
 *
 * @returns The alternatives in reading order, or `undefined` when there would be more than `maxAlternatives`.
 */
export function expandBraces(pattern: string, maxAlternatives: number): string[] | undefined {
  let heads = [""];
  let copied = 0;
  for (let index = 0; index < pattern.length; index = nextIndex(pattern, index)) {
    if (pattern[index] !== "{") continue;
    const group = readGroup(pattern, index);
    if (group === undefined) continue;
    const literal = pattern.slice(copied, index);
    const tails: string[] = [];
    for (const part of group.parts) {
      const expanded = expandBraces(part, maxAlternatives);
      if (expanded === undefined || tails.length + expanded.length > maxAlternatives) return undefined;
      tails.push(...expanded);
    }
    if (heads.length * tails.length > maxAlternatives) return undefined;
    heads = heads.flatMap((head) => tails.map((tail) => head + literal + tail));
    copied = group.end;
    index = group.end - 1;
  }
  const rest = pattern.slice(copied);
  return heads.map((head) => head + rest);
}

/** The comma-separated parts of the group that opens at `open`, and the index after its closing brace. */
function readGroup(pattern: string, open: number): { parts: string[]; end: number } | undefined {
  const parts: string[] = [];
  let depth = 0;
  let partStart = open + 1;
  for (let index = open; index < pattern.length; index = nextIndex(pattern, index)) {
    const char = pattern[index];
    if (char === "{") depth++;
    else if (char === "," && depth === 1) {
      parts.push(pattern.slice(partStart, index));
      partStart = index + 1;
    } else if (char === "}" && --depth === 0) {
      if (parts.length === 0) return undefined;
      parts.push(pattern.slice(partStart, index));
      return { parts, end: index + 1 };
    }
  }
  return undefined;
}

/** Steps over one character, an escaped pair or a whole class. */
function nextIndex(pattern: string, index: number): number {
  if (pattern[index] === "\\") return index + 2;
  if (pattern[index] === "[") return Math.max(classEnd(pattern, index), index + 1);
  return index + 1;
}
