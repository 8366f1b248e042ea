import { HaftError } from "../../kernel/index.js";
import { isUtf8 } from "../../text/index.js";

/** Decodes UTF-8 without loss, a mark kept. @throws `FS_NOT_TEXT` with the offset of the first bad byte. */
export function decodeStrict(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const offset = firstBadByte(bytes);
    throw new HaftError(
      "FS_NOT_TEXT",
      `Did not read "${path}" as text: byte ${offset} is not UTF-8. Read it as bytes, or name its encoding.`,
      { details: { path, offset } },
    );
  }
}

/** Where the first character begins that is not well-formed. Bisects, so only the last piece is looked at by character. */
function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let end = bytes.length;
  while (end - good > 64) {
    let middle = good + ((end - good) >> 1);
    while (middle < end && (bytes[middle]! & 0xc0) === 0x80 && middle - good < end) middle++;
    if (middle < end && isUtf8(bytes.subarray(good, middle))) good = middle;
    else if (middle < end) end = middle;
    else break;
  }
  while (good < bytes.length) {
    const width = [1, 2, 3, 4].find(
      (count) => good + count <= bytes.length && isUtf8(bytes.subarray(good, good + count)),
    );
    if (width === undefined) return good;
    good += width;
  }
  return good;
}
