/** The part of a text that one result shows, and the links in it. */
import { truncateToHead } from "../../text/index.js";

/** Offsets count UTF-16 units and never lie inside a character. */
export interface TextWindow {
  readonly text: string;
  readonly offset: number;
  /** Absent: the text ends here. */
  readonly nextOffset?: number;
}

/** A window from `offset` that ends after a line, or after a word of a long line, or else where the limits are. */
export function textWindow(text: string, offset: number, maxCharacters: number, maxBytes: number): TextWindow {
  const start = characterStart(text, Math.min(offset, text.length));
  const most = characterStart(text, Math.min(start + maxCharacters, text.length));
  const end = start + truncateToHead(text.slice(start, most), maxBytes).text.length;
  if (end >= text.length) return { text: text.slice(start), offset: start };
  const half = start + (end - start) / 2;
  const borders = [text.lastIndexOf("\n", end - 1) + 1, afterLastSpace(text, half, end)];
  const nextOffset = borders.find((border) => border > half) ?? Math.max(end, start + 1);
  return { text: text.slice(start, nextOffset), offset: start, nextOffset };
}

function afterLastSpace(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && !/\s/.test(text[at - 1]!)) at--;
  return at;
}

function characterStart(text: string, at: number): number {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000 ? at - 1 : at;
}

/** Links that are reported of one result. */
const MAX_LINKS = 1_000;
const LINK = /https?:\/\/[^\s<>"'`\\^{|}\u0000-\u001f]+/gi;

/** The absolute URLs that a text shows, as they would be requested, each once. */
export function linksIn(text: string): readonly string[] {
  const links = new Set<string>();
  for (const [match] of text.matchAll(LINK)) {
    const link = withoutClosing(match);
    if (!URL.canParse(link)) continue;
    const url = new URL(link);
    url.hash = "";
    if (links.add(url.href).size === MAX_LINKS) break;
  }
  return [...links];
}

const OPENING: Readonly<Record<string, string>> = { ")": "(", "]": "[" };

/** Without punctuation of the sentence, and without what closes a bracket that was opened before the link. */
function withoutClosing(link: string): string {
  const surplus: Record<string, number> = {};
  for (const [closing, opening] of Object.entries(OPENING))
    surplus[closing] = link.split(closing).length - link.split(opening).length;
  let end = link.length;
  for (; end > 0; end--) {
    const last = link[end - 1]!;
    const isSurplus = (surplus[last] ?? 0) > 0;
    if (!isSurplus && !/[.,;:!?*_~]/.test(last)) break;
    if (isSurplus) surplus[last]!--;
  }
  return link.slice(0, end);
}
