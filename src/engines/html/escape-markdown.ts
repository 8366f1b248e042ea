import { TextBuilder } from "./text-builder.js";

const SPECIAL = /[\\`*_<&~[\]]/;
const CANDIDATES = /\\(?=[!-/:-@[-`{-~])|`|\*+|_+|<(?=[a-z/!?])|&(?=#?\w{1,31};)|~~+|[[\]]/gi;
const isSpace = (char: string) => char === "" || char === " " || char === "\n";
const isWord = (char: string) => /[\p{L}\p{N}]/u.test(char);

/**
 * Escapes what Markdown would interpret, and nothing else, so that the text stays readable.
 *
 * @param before - The character before the text, "" at the start of a block.
 */
export function escapeMarkdown(text: string, before: string, isLinkText: boolean): string {
  if (!SPECIAL.test(text)) return text;
  const lastLink = text.lastIndexOf("](");
  return text.replace(CANDIDATES, (match: string, offset: number) => {
    const escaped = () => match.replace(/./g, "\\$&");
    if (match === "[" || match === "]") return isLinkText || (match === "[" && offset < lastLink) ? escaped() : match;
    const [first] = match;
    if (first !== "*" && first !== "_") return escaped();
    const previous = offset > 0 ? text[offset - 1]! : before;
    const next = text[offset + match.length] ?? "";
    if (isSpace(previous) && next === " ") return match;
    return first === "_" && isWord(previous) && isWord(next) ? match : escaped();
  });
}

const LINE_STARTS = /^(#{1,6}|[-+*])(?=\s|$)|^>|^\d{1,9}(?=[.)](?:\s|$))|^-(?=--+\s*$)/gm;
/** Characters whose matches are in memory at once. */
const PIECE = 65_536;

/** Escapes what would make a heading, a list, a quote or a rule of the start of a line. */
export function escapeLineStarts(text: string): string {
  const escaped = new TextBuilder();
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = text.indexOf("\n", start + PIECE) + 1 || text.length;
    const piece = text.slice(start, end);
    escaped.add(piece.replace(LINE_STARTS, (match) => (/\d/.test(match) ? `${match}\\` : `\\${match}`)));
  }
  return escaped.toString();
}

/** A delimiter of backticks that the text does not contain. */
export function backtickFence(text: string, shortest: number): string {
  let longest = shortest - 1;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

/** A URL as the target of a link: in angle brackets where its parentheses would end the link. */
export function linkTarget(url: string): string {
  let depth = 0;
  for (const [char] of url.matchAll(/[()]/g)) {
    depth += char === "(" ? 1 : -1;
    if (depth < 0) break;
  }
  return depth === 0 ? url : `<${url}>`;
}
