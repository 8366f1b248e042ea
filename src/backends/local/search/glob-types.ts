import { expandBraces, MAX_GLOB_ALTERNATIVES } from "../../../text/index.js";

/** Characters that mean themselves in every glob. */
const PLAIN = /[\p{L}\p{N}._-]/u;

/**
 * Globs of names alone, of letters and `*`, that let through every file that `glob` does; undefined where these would be
 * all files.
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
    // Where a class or an escape ends is not asked: whatever follows may come.
    if (character === "[" || character === "\\") return `${loose}*`.replace(/\*+/g, "*");
    loose += PLAIN.test(character) ? character : "*";
  }
  return loose.replace(/\*+/g, "*");
}
