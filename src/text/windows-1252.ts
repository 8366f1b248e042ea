/** What the bytes 0x80 to 0x9f mean; five of them have no character and stay control characters. */
const UPPER =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";
const CHUNK = 64 * 1024;

/**
 * Decodes windows-1252; every byte has a meaning. `TextDecoder` would do, but that of Node.js 20.20 gives ISO-8859-1
 * for this label, which is control characters instead of quotes, dashes and the euro sign. So the bytes are spelled out
 * as UTF-16, which it decodes right and fast.
 */
export function decodeWindows1252(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-16le");
  const units = new Uint8Array(2 * Math.min(CHUNK, bytes.length));
  let text = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const size = Math.min(CHUNK, bytes.length - start);
    for (let index = 0; index < size; index++) {
      const byte = bytes[start + index]!;
      const code = byte >= 0x80 && byte <= 0x9f ? UPPER.charCodeAt(byte - 0x80) : byte;
      units[2 * index] = code & 0xff;
      units[2 * index + 1] = code >> 8;
    }
    text += decoder.decode(units.subarray(0, 2 * size));
  }
  return text;
}
