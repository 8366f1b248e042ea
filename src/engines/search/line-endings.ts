import type { Pattern } from "../../kernel/index.js";

/** A quotation, an escape, a character class, or a newline. */
const TOKEN = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\n/g;
const SIGNS = /[\\.+*?()|[\]{}^$]/g;

/** The pattern of a multiline search, in which a newline outside of a character class also matches `\r\n`. */
export function acrossLineEndings(pattern: Pattern): Pattern {
  const { syntax, multiline } = pattern;
  if (!multiline || !/\n|\\n/.test(pattern.source)) return pattern;
  const regex = syntax === "literal" ? pattern.source.replace(SIGNS, "\\$&") : pattern.source;
  const source = regex.replace(TOKEN, (token) => (token === "\n" || token === "\\n" ? "(?:\\r?\\n)" : token));
  return { ...pattern, source, syntax: "re2" };
}
