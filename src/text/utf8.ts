/** What a cut kept of a string and how much it omitted, in UTF-8 bytes; the two numbers add up to the whole. */
export interface Utf8Truncation {
  readonly text: string;
  readonly keptBytes: number;
  readonly omittedBytes: number;
}

/** The high bit of each byte of a word. */
const HIGH_BITS = 0x80808080 | 0;
const SAMPLE_BYTES = 256 * 1024;
const NOT_ASCII = /[^\0-\x7f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Counts the bytes of `text` in UTF-8. A lone surrogate counts 3, as `TextEncoder` writes U+FFFD for it.
 * Linear, and allocates nothing.
 */
export function utf8Length(text: string): number {
  // The common case, several times faster than a look at each character.
  return NOT_ASCII.test(text) ? rangeLength(text, 0, text.length) : text.length;
}

/**
 * Whether `text` holds half of a character: a surrogate without its other one. UTF-8 has no bytes for it, so that on its way
 * to a file, a path or a process it becomes U+FFFD, and the text another one than was judged.
 */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/**
 * Keeps the longest start of `text` that fits in `maxBytes` of UTF-8 without splitting a character.
 *
 * A text that fits is returned as the same string. A `maxBytes` that is negative or not a number keeps nothing.
 */
export function truncateToHead(text: string, maxBytes: number): Utf8Truncation {
  if (text.length * 3 <= maxBytes) return whole(text);
  let end = 0;
  let keptBytes = 0;
  while (end < text.length) {
    const units = unitsAt(text, end);
    const next = keptBytes + widthAt(text, end, units);
    if (!(next <= maxBytes)) break;
    keptBytes = next;
    end += units;
  }
  return { text: text.slice(0, end), keptBytes, omittedBytes: rangeLength(text, end, text.length) };
}

/** As {@link truncateToHead}, for the longest end of `text` that fits in `maxBytes`. */
export function truncateToTail(text: string, maxBytes: number): Utf8Truncation {
  if (text.length * 3 <= maxBytes) return whole(text);
  let start = text.length;
  let keptBytes = 0;
  while (start > 0) {
    const isPair =
      start > 1 && isLowSurrogate(text.charCodeAt(start - 1)) && isHighSurrogate(text.charCodeAt(start - 2));
    const units = isPair ? 2 : 1;
    const next = keptBytes + widthAt(text, start - units, units);
    if (!(next <= maxBytes)) break;
    keptBytes = next;
    start -= units;
  }
  return { text: text.slice(start), keptBytes, omittedBytes: rangeLength(text, 0, start) };
}

/**
 * The index at which a head of at most `maxBytes` bytes ends without splitting a character.
 *
 * Bytes that are not UTF-8 are tolerated: the index is never more than 3 below `maxBytes`. What is already incomplete
 * at the end of `bytes` stays; see {@link incompleteTailLength}.
 */
export function utf8HeadEnd(bytes: Uint8Array, maxBytes: number): number {
  const end = clampIndex(maxBytes, bytes.length);
  const lead = splitLead(bytes, end);
  return lead === -1 ? end : lead;
}

/** The index at which a tail of at most `maxBytes` bytes starts without splitting a character: at most 3 further on. */
export function utf8TailStart(bytes: Uint8Array, maxBytes: number): number {
  let start = bytes.length - clampIndex(maxBytes, bytes.length);
  const lead = splitLead(bytes, start);
  if (lead === -1) return start;
  const end = Math.min(lead + sequenceLength(bytes[lead]!), bytes.length);
  while (start < end && isContinuation(bytes[start]!)) start++;
  return start;
}

/**
 * How many bytes at the end of `bytes`, 0 to 3, begin a character that later bytes may still complete.
 *
 * Bytes that can no longer become a character count 0, so a reader that holds the tail back never waits for them.
 */
export function incompleteTailLength(bytes: Uint8Array): number {
  const size = bytes.length;
  for (let back = 1; back <= 3 && back <= size; back++) {
    const byte = bytes[size - back]!;
    if (isContinuation(byte)) continue;
    const isOpen = sequenceLength(byte) > back && (back === 1 || isSecondByte(byte, bytes[size - back + 1]!));
    return isOpen ? back : 0;
  }
  return 0;
}

/** Whether all of `bytes` is well-formed UTF-8. Linear; decodes in pieces of 256 KiB, so large inputs stay cheap. */
export function isUtf8(bytes: Uint8Array): boolean {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for (let start = 0, end = 0; start < bytes.length; start += end) {
    const rest = bytes.subarray(start);
    end = start + SAMPLE_BYTES < bytes.length ? utf8HeadEnd(rest, SAMPLE_BYTES) : rest.length;
    const piece = rest.subarray(0, end);
    try {
      if (isAscii(piece)) continue;
      decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      decoder.decode(piece);
    } catch {
      return false;
    }
  }
  return true;
}

function whole(text: string): Utf8Truncation {
  return { text, keptBytes: utf8Length(text), omittedBytes: 0 };
}

function rangeLength(text: string, start: number, end: number): number {
  let total = end - start;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) total += 1;
    else if (isHighSurrogate(unit) && index + 1 < end && isLowSurrogate(text.charCodeAt(index + 1))) {
      total += 2;
      index++;
    } else total += 2;
  }
  return total;
}

function unitsAt(text: string, index: number): 1 | 2 {
  return isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1)) ? 2 : 1;
}

function widthAt(text: string, index: number, units: 1 | 2): number {
  if (units === 2) return 4;
  const unit = text.charCodeAt(index);
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The length a lead byte announces; 1 for ASCII and for every byte that cannot lead. */
function sequenceLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/**
 * The second byte has a narrower range after E0, ED, F0 and F4: no overlong form, no surrogate, nothing past U+10FFFF.
 */
function isSecondByte(lead: number, byte: number): boolean {
  if (!isContinuation(byte)) return false;
  if (lead === 0xe0) return byte >= 0xa0;
  if (lead === 0xed) return byte < 0xa0;
  if (lead === 0xf0) return byte >= 0x90;
  if (lead === 0xf4) return byte < 0x90;
  return true;
}

/** Where the character starts that a cut before `index` would split, or -1. Looks back 3 bytes at most. */
function splitLead(bytes: Uint8Array, index: number): number {
  if (index <= 0 || index >= bytes.length || !isContinuation(bytes[index]!)) return -1;
  for (let back = 1; back <= 3 && back <= index; back++) {
    const byte = bytes[index - back]!;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? index - back : -1;
  }
  return -1;
}

function clampIndex(maxBytes: number, size: number): number {
  return maxBytes > 0 ? Math.min(Math.floor(maxBytes), size) : 0;
}

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

/** Orders two texts as their UTF-8 bytes are ordered, which for characters beyond U+FFFF is not the order of `<`. */
export function compareUtf8(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let at = 0;
  while (at < shorter && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === shorter) return one.length - other.length;
  return rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
}

/** Surrogates stand for characters beyond all others, but are not the largest code units. */
function rank(codeUnit: number): number {
  return codeUnit >= 0xd800 && codeUnit < 0xe000 ? codeUnit + 0x10000 : codeUnit;
}
