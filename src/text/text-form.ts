import {
  type DetectedEncoding,
  decodeText,
  detectEncoding,
  detectLegacyEncoding,
  looksBinary,
  type TextEncodingName,
} from "./encoding.js";

/** The encoding of a text file. */
export interface TextForm {
  readonly encoding: TextEncodingName;
  /** Bytes of the BOM, 0 to 3. */
  readonly bomBytes: number;
  /** False where the encoding is a guess. */
  readonly confident: boolean;
}

/** Weight of a well-formed character of three bytes as evidence for UTF-8 (two bytes: 1), and of a malformed one against it. */
const EVIDENCE_OF_THREE_BYTES = 3;
const EVIDENCE_AGAINST = 2;
const SAMPLE_BYTES = 64 * 1024;

/**
 * Detects the encoding of a file, the same for reading and editing it, so that text that was shown can be found again.
 *
 * @param isPrefix - `bytes` are only the start of the file.
 */
export async function detectTextForm(bytes: Uint8Array, isPrefix = false): Promise<TextForm> {
  const detected = detectEncoding(bytes, { isPrefix });
  if (detected.hasBom) return formOf(detected.encoding, true, true);
  if (detected.confident) return formOf("utf-8", false, true);
  if (isUtf16(detected)) return formOf(detected.encoding, false, false);
  if (isMostlyUtf8(bytes)) return formOf("utf-8", false, false);
  return formOf(await detectLegacyEncoding(bytes), false, false);
}

/** The form for an encoding that a caller names; with its BOM if the bytes have it. */
export function namedTextForm(encoding: TextEncodingName, bytes: Uint8Array): TextForm {
  const detected = detectEncoding(bytes.subarray(0, 4));
  return formOf(encoding, detected.hasBom && detected.encoding === encoding, true);
}

/** Whether a file, or its start, is no text. UTF-16 without a BOM is only called so where it is text. */
export function isBinary(bytes: Uint8Array, form: TextForm): boolean {
  return !(form.encoding.startsWith("utf-16") && form.bomBytes === 0) && looksBinary(bytes);
}

function formOf(encoding: TextEncodingName, mark: boolean, confident: boolean): TextForm {
  const markBytes = mark ? (encoding === "utf-8" ? 3 : 2) : 0;
  return { encoding, bomBytes: markBytes, confident };
}

function isUtf16({ encoding }: DetectedEncoding): boolean {
  return encoding === "utf-16le" || encoding === "utf-16be";
}

/**
 * A few broken bytes do not turn a UTF-8 text into another encoding. In one of those few characters look like UTF-8, and
 * hardly any like a long one.
 */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const { text, replaced } = decodeText(bytes.subarray(0, SAMPLE_BYTES), "utf-8");
  let evidence = -replaced * EVIDENCE_OF_THREE_BYTES;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) evidence += unit > 0x7ff ? EVIDENCE_OF_THREE_BYTES : 1;
  }
  return evidence > EVIDENCE_AGAINST * replaced;
}
