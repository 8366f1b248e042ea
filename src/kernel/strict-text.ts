import { incompleteTailLength } from "../text/index.js";
import { HaftError } from "./errors.js";

/** Decodes UTF-8 without loss; a BOM stays as U+FEFF. @throws `FS_NOT_TEXT` with the offset of the first invalid byte. */
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

/** The start of the first malformed character, found by binary search. */
function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isStartOfText(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good - incompleteTailLength(bytes.subarray(0, good));
}

/** A truncated character at the end of a prefix is accepted, by decoding as a stream. */
function isStartOfText(prefix: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(prefix, { stream: true });
    return true;
  } catch {
    return false;
  }
}
