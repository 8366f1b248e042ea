import { incompleteTailLength, isUtf8 } from "./utf8.js";
import { decodeWindows1252 } from "./windows-1252.js";

/** The encodings that can be named and decoded, as `TextDecoder` spells them. */
export const TEXT_ENCODINGS = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "windows-1250",
  "windows-1251",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-1257",
  "windows-1258",
  "windows-874",
  "iso-8859-2",
  "iso-8859-5",
  "iso-8859-6",
  "iso-8859-7",
  "iso-8859-8",
  "iso-8859-15",
  "koi8-r",
  "koi8-u",
  "ibm866",
  "macintosh",
  "shift_jis",
  "euc-jp",
  "iso-2022-jp",
  "euc-kr",
  "big5",
  "gbk",
  "gb18030",
] as const;

export type TextEncodingName = (typeof TEXT_ENCODINGS)[number];

export interface DetectedEncoding {
  readonly encoding: TextEncodingName;
  /** Whether the bytes begin with a BOM. */
  readonly hasBom: boolean;
  /** True for a BOM and for well-formed UTF-8; a guess otherwise. */
  readonly confident: boolean;
}

export interface DetectEncodingOptions {
  /** The bytes are only the start of a text, so a character at their end may be incomplete. Default false. */
  readonly isPrefix?: boolean;
}

export interface DecodedText {
  /** The text without its BOM. */
  readonly text: string;
  /** Number of U+FFFD for bytes that are invalid in the encoding; 0 means that nothing was lost. */
  readonly replaced: number;
}

/** Bytes examined for a guess. */
const SAMPLE_BYTES = 64 * 1024;
/** Confidence, of 100, at or below which a guess is not based on any letters. */
const NO_GUESS = 10;
/** Another encoding than windows-1252 is guessed from this confidence on, when it is also so much ahead of that. */
const LIKELY = 25;
const AHEAD = 1.25;
/** Letter frequencies of fewer non-ASCII bytes than this are meaningless. */
const ENOUGH_BYTES = 12;

/**
 * Detects the encoding of `bytes`: by BOM, else UTF-8 if all of them are well formed and none is NUL, else UTF-16 if every
 * other byte is mostly NUL. Anything else is reported as windows-1252 without confidence; use {@link detectLegacyEncoding}
 * for a better guess. UTF-32 is not supported.
 */
export function detectEncoding(bytes: Uint8Array, options: DetectEncodingOptions = {}): DetectedEncoding {
  const marked = encodingFromBom(bytes);
  if (marked !== undefined) return { encoding: marked, hasBom: true, confident: true };
  const whole = options.isPrefix ? bytes.subarray(0, bytes.length - incompleteTailLength(bytes)) : bytes;
  // Twice as fast as `includes`.
  const hasNul = bytes.indexOf(0) !== -1;
  if (!hasNul && isUtf8(whole)) return { encoding: "utf-8", hasBom: false, confident: true };
  const utf16 = hasNul ? utf16WithoutBom(bytes) : undefined;
  return { encoding: utf16 ?? "windows-1252", hasBom: false, confident: false };
}

/** Loads what `detectLegacyEncoding` needs. A failed import is remembered for good: load it while descriptors are free. */
export const loadEncodingTables = () => import("chardet");

/**
 * Guesses the encoding of text that has no BOM and is not UTF-8, from the 64 KiB after its first non-ASCII byte:
 * windows-1252 unless it clearly is another one. That requires letter frequencies that fit another one better, and either
 * byte sequences that no western text has, or many letters and a clear lead. Loads its tables on the first call.
 */
export async function detectLegacyEncoding(bytes: Uint8Array): Promise<TextEncodingName> {
  const { analyse } = await loadEncodingTables();
  const start = Math.max(
    0,
    bytes.findIndex((byte) => byte >= 0x80),
  );
  const sample = bytes.subarray(start, start + SAMPLE_BYTES);
  // A sample that ends within a character of two bytes has one replacement that the text does not have.
  const allowed = start + sample.length < bytes.length ? 1 : 0;
  const guesses = analyse(sample).flatMap(({ name, confidence }) => {
    const encoding = findEncoding(name);
    if (encoding === undefined || encoding.startsWith("utf-")) return [];
    return decodeText(sample, encoding).replaced <= allowed ? [{ encoding, confidence }] : [];
  });
  const western = guesses.find(({ encoding }) => encoding === "windows-1252")?.confidence ?? 0;
  const [best] = guesses;
  if (best === undefined || best.confidence <= NO_GUESS) return "windows-1252";
  const { count, odd } = unlikelyInWestern(sample);
  const isAhead = best.confidence >= LIKELY && best.confidence >= AHEAD * western;
  return odd > 1 || (count >= ENOUGH_BYTES && isAhead) ? best.encoding : "windows-1252";
}

/** Of windows-1252: quotes, dashes, spaces and points, which may stand between letters. */
const BETWEEN_LETTERS = new Set([
  0x82, 0x84, 0x85, 0x8b, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99, 0x9b, 0xa0, 0xad, 0xb0, 0xb7,
]);
/** Of windows-1252: fractions, which begin no word. */
const FRACTIONS = new Set([0xbc, 0xbd, 0xbe]);
/** Of windows-1252: the letters below 0xc0, and the signs among those from there on. */
const LOW_LETTERS = new Set([0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f]);
const HIGH_SIGNS = new Set([0xd7, 0xf7]);

/** Bytes outside ASCII, and those at which no western text has a letter or a sign: inside a word, or third in a row. */
function unlikelyInWestern(sample: Uint8Array): { readonly count: number; readonly odd: number } {
  let [count, odd, row] = [0, 0, 0];
  for (let index = 0; index < sample.length; index++) {
    const byte = sample[index]!;
    if (byte < 0x80) {
      row = 0;
      continue;
    }
    count++;
    if (isWesternLetter(byte)) {
      if (++row >= 3) odd++;
      continue;
    }
    row = 0;
    if (BETWEEN_LETTERS.has(byte) || !isWesternLetter(sample[index + 1])) continue;
    if (FRACTIONS.has(byte) || isWesternLetter(sample[index - 1])) odd++;
  }
  return { count, odd };
}

function isWesternLetter(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  if (byte < 0x80) return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return byte >= 0xc0 ? !HIGH_SIGNS.has(byte) : LOW_LETTERS.has(byte);
}

/** The encoding that a label such as `latin1` or `SJIS` names, or `undefined` when it is unknown. */
export function findEncoding(label: string): TextEncodingName | undefined {
  try {
    const name = new TextDecoder(label).encoding;
    return TEXT_ENCODINGS.find((encoding) => encoding === name);
  } catch {
    return undefined;
  }
}

const UTF8 = new TextDecoder("utf-8");

/** Decodes all of `bytes`. Never throws: what cannot be decoded becomes U+FFFD and is counted. */
export function decodeText(bytes: Uint8Array, encoding: TextEncodingName): DecodedText {
  if (encoding === "windows-1252") return { text: decodeWindows1252(bytes), replaced: 0 };
  const text = (encoding === "utf-8" ? UTF8 : new TextDecoder(encoding)).decode(bytes);
  if (!text.includes("\ufffd")) return { text, replaced: 0 };
  let replaced = -replacementsIn(bytes, encoding);
  for (let at = text.indexOf("\ufffd"); at !== -1; at = text.indexOf("\ufffd", at + 1)) replaced++;
  return { text, replaced };
}

/**
 * Whether `bytes`, a whole file or its start, are no text: they hold a NUL, or more than a twentieth of the first 64
 * KiB are control characters that text does not use. UTF-16 with a mark is text when its characters are.
 */
export function looksBinary(bytes: Uint8Array): boolean {
  const marked = encodingFromBom(bytes);
  if (marked === "utf-16le" || marked === "utf-16be") {
    const units = new TextDecoder(marked).decode(bytes.subarray(0, SAMPLE_BYTES));
    return (
      units.includes("\0") ||
      hasManyControls(Uint16Array.from({ length: units.length }, (_, at) => units.charCodeAt(at)))
    );
  }
  return bytes.includes(0) || hasManyControls(bytes.subarray(0, SAMPLE_BYTES));
}

/** Length of the UTF-8 BOM. */
export const UTF8_BOM_BYTES = 3;

export function hasUtf8Bom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

export function hasUtf16Bom(bytes: Uint8Array): boolean {
  return encodingFromBom(bytes)?.startsWith("utf-16") ?? false;
}

function encodingFromBom(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | undefined {
  if (hasUtf8Bom(bytes)) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const isUtf32 = bytes[2] === 0 && bytes[3] === 0;
  return bytes[0] === 0xff && bytes[1] === 0xfe && !isUtf32 ? "utf-16le" : undefined;
}

/**
 * Text in a Latin script has a NUL in nearly every high byte and none in a low one. Numbers of two bytes look the same, so
 * nothing that text does not hold may be among them: a control character, half of a character, half of a unit.
 */
function utf16WithoutBom(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const size = Math.min(bytes.length, SAMPLE_BYTES) & ~1;
  let [evenNuls, oddIndexNuls] = [0, 0];
  for (let index = 0; index < size; index += 2) {
    if (bytes[index] === 0) evenNuls++;
    if (bytes[index + 1] === 0) oddIndexNuls++;
  }
  const most = (size / 2) * 0.7;
  const encoding =
    evenNuls === 0 && oddIndexNuls > most ? "utf-16le" : oddIndexNuls === 0 && evenNuls > most ? "utf-16be" : undefined;
  if (encoding === undefined || bytes.length % 2 === 1) return undefined;
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, size));
  return NOT_IN_UTF16.test(text) ? undefined : encoding;
}

const NOT_IN_UTF16 = /[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd-\uffff]/;

/** Number of U+FFFD that the bytes themselves encode. */
function replacementsIn(bytes: Uint8Array, encoding: TextEncodingName): number {
  let count = 0;
  if (encoding === "utf-8") {
    for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1))
      if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) count++;
  } else if (encoding === "utf-16le" || encoding === "utf-16be") {
    const [high, low] = encoding === "utf-16be" ? [0, 1] : [1, 0];
    for (let at = 0; at + 1 < bytes.length; at += 2) if (bytes[at + high] === 0xff && bytes[at + low] === 0xfd) count++;
  }
  return count;
}

/**
 * Tab, newline, form feed, carriage return, backspace and escape occur in text; a few others in a short one prove
 * nothing.
 */
function hasManyControls(codes: Uint8Array | Uint16Array): boolean {
  let count = 0;
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index]!;
    if (code < 32 && !(code >= 8 && code <= 13) && code !== 27) count++;
  }
  return count > 3 + codes.length / 20;
}
