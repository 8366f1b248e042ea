/** What the bytes 0x80 to 0x9f mean; five of them have no character and stay control characters. */
const UPPER =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";
const CHUNK = 8192;

/**
 * Decodes windows-1252; every byte has a meaning. `TextDecoder` would do, but several releases of Node.js 20 to 23 give
 * ISO-8859-1 for it, that is control characters instead of quotes, dashes and the euro sign.
 */
export function decodeWindows1252(bytes: Uint8Array): string {
  let text = "";
  const units = new Uint16Array(Math.min(CHUNK, bytes.length));
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const size = Math.min(CHUNK, bytes.length - start);
    for (let index = 0; index < size; index++) {
      const byte = bytes[start + index]!;
      units[index] = byte >= 0x80 && byte <= 0x9f ? UPPER.charCodeAt(byte - 0x80) : byte;
    }
    text += String.fromCharCode(...units.subarray(0, size));
  }
  return text;
}
