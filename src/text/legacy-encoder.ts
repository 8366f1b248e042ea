import { decodeText, type TextEncodingName } from "./encoding.js";

/** Encodes a text in one legacy encoding; undefined if it cannot encode a character. */
export type LegacyEncoder = (text: string) => Uint8Array | undefined;

/** The bytes that begin a character of two, in each encoding that has such; ranges are inclusive. */
const LEADS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  gbk: [[0x81, 0xfe]],
  gb18030: [[0x81, 0xfe]],
  big5: [[0x81, 0xfe]],
  "euc-kr": [[0x81, 0xfe]],
  "euc-jp": [
    [0x8e, 0x8f],
    [0xa1, 0xfe],
  ],
  shift_jis: [
    [0x81, 0x9f],
    [0xe0, 0xfc],
  ],
};
const FIRST_TRAIL = 0x40;
const LAST_TRAIL = 0xfe;

/** Whether this encoding has characters of several bytes whose later bytes cannot be recognized as such. */
export function isDoubleByte(encoding: string): boolean {
  return Object.hasOwn(LEADS, encoding);
}

/** The length in bytes of a character that begins with `byte`. */
export function legacyWidth(encoding: string, byte: number): number {
  const isLead = LEADS[encoding]?.some(([first, last]) => byte >= first && byte <= last) ?? false;
  if (!isLead) return 1;
  return encoding === "euc-jp" && byte === 0x8f ? 3 : 2;
}

/**
 * Inverts a decoder, because the platform can only decode legacy encodings. Characters of three or four bytes are
 * omitted, so a text with one of them is not encoded.
 */
export function createLegacyEncoder(encoding: TextEncodingName): LegacyEncoder {
  const codes = codesOf(encoding);
  return (text) => {
    const bytes: number[] = [];
    for (const char of text) {
      const code = codes.get(char);
      if (code === undefined) return undefined;
      if (code > 0xff) bytes.push(code >> 8);
      bytes.push(code & 0xff);
    }
    return Uint8Array.from(bytes);
  };
}

function codesOf(encoding: TextEncodingName): Map<string, number> {
  const codes = new Map<string, number>();
  const add = (prefix: number[], from: number, to: number) => {
    const trails = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    // A line feed after each keeps a broken sequence from swallowing its neighbour.
    const sequences = Uint8Array.from(trails.flatMap((trail) => [...prefix, trail, 10]));
    const texts = decodeText(sequences, encoding).text.split("\n");
    trails.forEach((trail, index) => {
      const char = texts[index]!;
      const isOne = char !== "" && [...char].length === 1 && char !== "\ufffd";
      if (isOne && !codes.has(char)) codes.set(char, ((prefix[0] ?? 0) << 8) | trail);
    });
  };
  add([], 0, 9);
  codes.set("\n", 10);
  add([], 11, 0xff);
  for (const [first, last] of LEADS[encoding] ?? []) {
    for (let lead = first; lead <= last; lead++) add([lead], FIRST_TRAIL, LAST_TRAIL);
  }
  return codes;
}
