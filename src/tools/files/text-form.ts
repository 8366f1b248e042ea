import {
  type DetectedEncoding,
  decodeText,
  detectEncoding,
  detectLegacyEncoding,
  type TextEncodingName,
} from "../../text/index.js";

/** How the bytes of a file are text. */
export interface TextForm {
  readonly encoding: TextEncodingName;
  /** Bytes of the byte-order mark in front, 0 to 3. */
  readonly markBytes: number;
  /** False where the encoding is a guess on weak grounds. */
  readonly confident: boolean;
}

/** Well-formed characters that one broken one may stand among for a text still to be called UTF-8. */
const UTF8_SHARE = 2;
const SAMPLE_BYTES = 64 * 1024;

/**
 * Says how a file is encoded, the same for reading and editing it, so that what was shown is found again.
 *
 * @param isPrefix - `bytes` are only the start of the file.
 */
export async function detectTextForm(bytes: Uint8Array, isPrefix = false): Promise<TextForm> {
  const detected = detectEncoding(bytes, { isPrefix });
  if (detected.mark) return formOf(detected.encoding, true, true);
  if (detected.confident) return formOf("utf-8", false, true);
  if (isUtf16(detected)) return formOf(detected.encoding, false, true);
  if (isMostlyUtf8(bytes)) return formOf("utf-8", false, false);
  const guess = await detectLegacyEncoding(bytes);
  return formOf(guess.encoding, false, guess.confident);
}

/** The form that a caller names: its encoding, with the mark that belongs to it where there is one. */
export function namedTextForm(encoding: TextEncodingName, bytes: Uint8Array): TextForm {
  const detected = detectEncoding(bytes.subarray(0, 4));
  return formOf(encoding, detected.mark && detected.encoding === encoding, true);
}

function formOf(encoding: TextEncodingName, mark: boolean, confident: boolean): TextForm {
  const markBytes = mark ? (encoding === "utf-8" ? 3 : 2) : 0;
  return { encoding, markBytes, confident };
}

function isUtf16({ encoding }: DetectedEncoding): boolean {
  return encoding === "utf-16le" || encoding === "utf-16be";
}

/** A few broken bytes do not turn a UTF-8 text into another encoding; in one, few characters look like UTF-8. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const { text, replaced } = decodeText(sample, "utf-8");
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) wide++;
  return wide - replaced > UTF8_SHARE * replaced;
}
