/** The high bit of each byte of a word. */
const HIGH_BITS = 0x80808080 | 0;

/** Whether no byte is over 0x7f. Looks at 16 bytes at once: many times faster than decoding them. */
export function isAscii(bytes: Uint8Array): boolean {
  if (bytes.length < 32) return eachAscii(bytes, 0, bytes.length);
  const aligned = (4 - (bytes.byteOffset % 4)) % 4;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + aligned, ((bytes.length - aligned) >>> 4) * 4);
  for (let index = 0; index < words.length; index += 4) {
    const any = words[index]! | words[index + 1]! | words[index + 2]! | words[index + 3]!;
    if ((any & HIGH_BITS) !== 0) return false;
  }
  return eachAscii(bytes, 0, aligned) && eachAscii(bytes, aligned + words.length * 4, bytes.length);
}

function eachAscii(bytes: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (bytes[index]! > 0x7f) return false;
  return true;
}
