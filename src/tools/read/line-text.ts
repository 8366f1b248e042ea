import {
  decodeText,
  incompleteTailLength,
  type TextEncodingName,
  truncateToHead,
  utf8Length,
} from "../../text/index.js";
import type { ReadData } from "./contract.js";
import { join, keptContentOf, type RawLine } from "./line-collector.js";

interface LineText {
  readonly text: string;
  /** How many lines fit; at least one if there is any. */
  readonly lines: number;
  readonly truncatedLines: ReadData["truncatedLines"];
  readonly replaced: number;
}

interface LineTextLimits {
  /** Bytes of UTF-8, in total and of a line without its ending. */
  readonly maxBytes: number;
  readonly maxLineBytes: number;
}

/** Decodes collected lines, truncates long ones and stops at the limit. */
export function lineText(
  lines: readonly RawLine[],
  firstLine: number,
  encoding: TextEncodingName,
  limits: LineTextLimits,
): LineText {
  return wholeLineText(lines, encoding, limits) ?? lineByLine(lines, firstLine, encoding, limits);
}

/** The common case: nothing is truncated, so all can be decoded at once. */
function wholeLineText(
  lines: readonly RawLine[],
  encoding: TextEncodingName,
  { maxBytes, maxLineBytes }: LineTextLimits,
): LineText | undefined {
  // A byte of another encoding may take three in UTF-8.
  const growth = encoding === "utf-8" ? 1 : 3;
  const isWhole = (line: RawLine) => line.keptBytes === line.contentBytes && line.contentBytes * growth <= maxLineBytes;
  if (!lines.every(isWhole)) return undefined;
  const bytes = sideBySide(lines) ?? join(lines.flatMap((line) => [keptContentOf(line), line.end]));
  const decoded = decodedLines(bytes, encoding, maxBytes);
  return decoded && { ...decoded, lines: lines.length, truncatedLines: [] };
}

/** Lines that lie side by side; undefined if their text is too long. */
export function decodedLines(
  bytes: Uint8Array,
  encoding: TextEncodingName,
  maxBytes: number,
): Pick<LineText, "text" | "replaced"> | undefined {
  const decoded = decodeText(withoutDecodedBom(bytes, encoding), encoding);
  return utf8Length(decoded.text) > maxBytes ? undefined : decoded;
}

/** The bytes of lines that lie one behind the other in one piece of memory, which are then not copied. */
function sideBySide(lines: readonly RawLine[]): Uint8Array | undefined {
  const first = lines[0];
  if (first === undefined) return undefined;
  const placeOf = ({ memory, from }: RawLine) => memory.byteOffset + from;
  const { buffer } = first.memory;
  let at = placeOf(first);
  for (const line of lines) {
    if (!line.endFollows || line.memory.buffer !== buffer || placeOf(line) !== at) return undefined;
    at += line.keptBytes + line.end.length;
  }
  return new Uint8Array(buffer, placeOf(first), at - placeOf(first));
}

function lineByLine(
  lines: readonly RawLine[],
  firstLine: number,
  encoding: TextEncodingName,
  { maxBytes, maxLineBytes }: LineTextLimits,
): LineText {
  const texts: string[] = [];
  const truncatedLines: { line: number; bytes: number }[] = [];
  let used = 0;
  let replaced = 0;
  for (const [index, line] of lines.entries()) {
    const decoded = contentText(line, encoding);
    const truncation = truncateToHead(decoded.text, Math.min(maxLineBytes, maxBytes));
    const isTruncated = truncation.omittedBytes > 0 || line.keptBytes < line.contentBytes;
    const end = decodeText(line.end, encoding).text;
    const size = truncation.keptBytes + end.length;
    if (index > 0 && used + size > maxBytes) break;
    used += size;
    replaced += decoded.replaced;
    texts.push(truncation.text + end);
    if (isTruncated) truncatedLines.push({ line: firstLine + index, bytes: line.contentBytes });
  }
  return { text: texts.join(""), lines: texts.length, truncatedLines, replaced };
}

/** A truncated line may end in a partial character, which is dropped. */
function contentText(line: RawLine, encoding: TextEncodingName): { readonly text: string; readonly replaced: number } {
  const bytes = withoutDecodedBom(keptContentOf(line), encoding);
  if (line.keptBytes === line.contentBytes) return decodeText(bytes, encoding);
  if (encoding === "utf-8") return decodeText(bytes.subarray(0, bytes.length - incompleteTailLength(bytes)), encoding);
  const decoded = decodeText(bytes, encoding);
  const endsBroken = decoded.text.endsWith("\ufffd");
  return endsBroken ? { text: decoded.text.slice(0, -1), replaced: Math.max(0, decoded.replaced - 1) } : decoded;
}

/** A decoder removes a BOM at the start of its input; in the middle of a file those bytes are a character. */
function withoutDecodedBom(bytes: Uint8Array, encoding: TextEncodingName): Uint8Array {
  const isBom = encoding === "utf-8" && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isBom ? join([Uint8Array.of(0xef, 0xbb, 0xbf), bytes]) : bytes;
}
