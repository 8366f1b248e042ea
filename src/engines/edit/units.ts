/**
 * A text file as an array of units: its bytes, or the 16-bit units of a UTF-16 file. Units are compared, not decoded characters,
 * so no byte outside an edit changes, whatever the encoding. A folded view omits differences in whitespace, and maps each of
 * its units to the original.
 */
import {
  countNewlines,
  createLegacyEncoder,
  decodeText,
  isDoubleByte,
  type LegacyEncoder,
  legacyWidth,
  type TextForm,
} from "../../text/index.js";

export type Units = Uint8Array | Uint16Array;

export const LF = 10;
export const CR = 13;
const SPACE = 32;

/** Whitespace inside a line: space, tab, vertical tab, form feed. */
export function isInlineWhitespace(unit: number): boolean {
  return unit === SPACE || unit === 9 || unit === 11 || unit === 12;
}

export function isLineBreak(unit: number): boolean {
  return unit === LF || unit === CR;
}

/** Whether `text` has `part` at `from`. */
export function startsWithUnits(text: Units, part: Units, from: number): boolean {
  for (let index = 0; index < part.length; index++) if (text[from + index] !== part[index]) return false;
  return true;
}

export function endsWithUnits(text: Units, end: Units): boolean {
  return end.length <= text.length && startsWithUnits(text, end, text.length - end.length);
}

/** The line endings of a whole file: the one kind that it has, "none", or "mixed" for more than one kind. */
type FileLineEndings = "\n" | "\r\n" | "\r" | "none" | "mixed";

/** The content of a text file without its BOM. */
export class UnitText {
  readonly units: Units;
  /** Bytes of a unit: 2 in UTF-16, else 1. */
  readonly unitBytes: 1 | 2;
  #legacy: LegacyEncoder | undefined;
  #lineEndings: FileLineEndings | undefined;
  /** A character start near the last place asked about, so that places in ascending order scan a long line once. */
  #knownStart = 0;

  constructor(
    readonly bytes: Uint8Array,
    readonly form: TextForm,
  ) {
    const { encoding, bomBytes } = form;
    this.unitBytes = encoding.startsWith("utf-16") ? 2 : 1;
    const body = bytes.subarray(bomBytes);
    this.units = this.unitBytes === 1 ? body : toUnits16(body, encoding === "utf-16be");
  }

  /** Computed on first use. */
  get lineEndings(): FileLineEndings {
    this.#lineEndings ??= lineEndingsOf(this.units);
    return this.#lineEndings;
  }

  /** The offset of a unit in the file. */
  byteOffset(unit: number): number {
    return this.form.bomBytes + unit * this.unitBytes;
  }

  decode(from: number, to: number): string {
    return decodeText(this.bytes.subarray(this.byteOffset(from), this.byteOffset(to)), this.form.encoding).text;
  }

  /** The units of a text in this file's encoding, or undefined when it has a character that the encoding lacks. */
  encode(text: string): Units | undefined {
    if (this.unitBytes === 2) return Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
    if (this.form.encoding === "utf-8" || isAscii(text)) return new TextEncoder().encode(text);
    this.#legacy ??= createLegacyEncoder(this.form.encoding);
    return this.#legacy(text);
  }

  /** The bytes of units, in the byte order of the file. */
  toBytes(units: Units): Uint8Array {
    if (!(units instanceof Uint16Array)) return units;
    const bytes = new Uint8Array(units.length * 2);
    const view = new DataView(bytes.buffer);
    const littleEndian = this.form.encoding !== "utf-16be";
    for (let index = 0; index < units.length; index++) view.setUint16(index * 2, units[index]!, littleEndian);
    return bytes;
  }

  /**
   * Whether a character may begin at this unit. Always so in UTF-8 and UTF-16, where a whole character never matches inside
   * another one. In encodings of one or two bytes the second byte may look like a letter or a backslash.
   */
  isCharacterStart(unit: number): boolean {
    if (!isDoubleByte(this.form.encoding)) return true;
    const known = this.#knownStart <= unit ? this.#knownStart : 0;
    let at = unit;
    while (at > known && this.units[at - 1] !== LF) at--;
    while (at < unit) at += legacyWidth(this.form.encoding, this.units[at]!);
    this.#knownStart = at;
    return at === unit;
  }
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

const HOST_IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** An odd last byte belongs to no unit and is never changed. */
function toUnits16(body: Uint8Array, isBigEndian: boolean): Uint16Array {
  const length = body.length >>> 1;
  const isView = HOST_IS_LITTLE_ENDIAN && !isBigEndian && body.byteOffset % 2 === 0;
  if (isView) return new Uint16Array(body.buffer, body.byteOffset, length);
  const units = new Uint16Array(length);
  const high = isBigEndian ? 0 : 1;
  for (let index = 0; index < length; index++) {
    units[index] = (body[2 * index + high]! << 8) | body[2 * index + 1 - high]!;
  }
  return units;
}

function lineEndingsOf(units: Units): FileLineEndings {
  if (units.indexOf(CR) === -1) return units.indexOf(LF) === -1 ? "none" : "\n";
  let known: "\n" | "\r\n" | "\r" | undefined;
  for (let at = 0; at < units.length; at++) {
    const found = lineEndingAt(units, at);
    if (found === undefined) continue;
    if (known !== undefined && known !== found) return "mixed";
    known = found;
    at += found.length - 1;
  }
  return known!;
}

/** The line ending that begins at `at`. */
export function lineEndingAt(units: Units, at: number): "\n" | "\r\n" | "\r" | undefined {
  if (units[at] === LF) return "\n";
  if (units[at] !== CR) return undefined;
  return units[at + 1] === LF ? "\r\n" : "\r";
}

/** The 1-based line numbers of places that are asked for in ascending order, in one pass. */
export class LineNumbers {
  #unit = 0;
  #line = 1;

  constructor(private readonly text: UnitText) {}

  at(unit: number): number {
    const { units } = this.text;
    if (units instanceof Uint8Array) this.#line += countNewlines(units.subarray(this.#unit, unit));
    else for (let at = this.#unit; at < unit; at++) if (units[at] === LF) this.#line++;
    this.#unit = unit;
    return this.#line;
  }
}

/**
 * What a view folds. `line-endings`: every line ending becomes a line feed. `trailing-whitespace`: also drops whitespace before
 * a line ending. `whitespace-runs`: also makes whitespace inside a line one space; indentation stays. `all-whitespace`: every
 * run of whitespace, including indentation and line endings, becomes one space.
 */
export type FoldKind = "line-endings" | "trailing-whitespace" | "whitespace-runs" | "all-whitespace";

/** A folded view of a text, with the offsets in the original. */
export class FoldedUnits {
  /** @param endsInWhitespace - The original ends with whitespace that was dropped. */
  constructor(
    readonly units: Units,
    readonly original: Units,
    readonly endsInWhitespace: boolean,
    private readonly offsets: OffsetMap,
  ) {}

  /** Where the original of a folded unit begins. */
  originalStart(index: number): number {
    const [folded, original] = this.offsets.lastAt(index);
    return original + index - folded;
  }

  /** Where the original of the folded units before `end` ends, without whitespace dropped after them. */
  originalEnd(end: number): number {
    const start = this.originalStart(end - 1);
    return start + (lineEndingAt(this.original, start)?.length ?? 1);
  }

  /** Whether a line or the text ends here. */
  isLineEnd(index: number): boolean {
    return index === this.units.length || this.units[index] === LF;
  }
}

/** Folds a text in one pass. Not copied if only line endings are folded and it has no carriage return. */
export function foldUnits(units: Units, kind: FoldKind): FoldedUnits {
  const offsets = new OffsetMap();
  if (kind === "line-endings" && units.indexOf(CR) === -1) return new FoldedUnits(units, units, false, offsets);
  const out = units instanceof Uint16Array ? new Uint16Array(units.length) : new Uint8Array(units.length);
  let length = 0;
  let next = 0;
  let isIndent = true;
  const put = (unit: number, from: number) => {
    if (from !== next) offsets.add(length, from);
    out[length++] = unit;
    next = from + 1;
  };
  for (let at = 0; at < units.length; ) {
    const unit = units[at]!;
    let end = at + 1;
    if (kind === "all-whitespace" && (isInlineWhitespace(unit) || isLineBreak(unit))) {
      while (end < units.length && (isInlineWhitespace(units[end]!) || isLineBreak(units[end]!))) end++;
      put(SPACE, at);
    } else if (isLineBreak(unit)) {
      put(LF, at);
      if (unit === CR && units[end] === LF) end++;
      isIndent = true;
    } else if (kind === "line-endings" || !isInlineWhitespace(unit)) {
      put(unit, at);
      isIndent = false;
    } else {
      while (end < units.length && isInlineWhitespace(units[end]!)) end++;
      const isTrailing = end === units.length || isLineBreak(units[end]!);
      if (!isTrailing && kind === "whitespace-runs" && !isIndent) put(SPACE, at);
      else if (!isTrailing) for (let index = at; index < end; index++) put(units[index]!, index);
    }
    at = end;
  }
  const endsInWhitespace = units.length > next && isInlineWhitespace(units[units.length - 1]!);
  return new FoldedUnits(out.subarray(0, length), units, endsInWhitespace, offsets);
}

/** Removes the space at both ends of a view `all-whitespace`. */
export function trimSpaces(units: Units): Units {
  const start = units[0] === SPACE ? 1 : 0;
  const end = units.length > start && units[units.length - 1] === SPACE ? units.length - 1 : units.length;
  return units.subarray(start, end);
}

/** Pairs of a folded and the original offset, both ascending: one for each place where their difference changes. */
export class OffsetMap {
  #folded = new Uint32Array(64);
  #original = new Uint32Array(64);
  #count = 0;

  add(folded: number, original: number): void {
    if (this.#count === this.#folded.length) {
      this.#folded = doubled(this.#folded);
      this.#original = doubled(this.#original);
    }
    this.#folded[this.#count] = folded;
    this.#original[this.#count++] = original;
  }

  /** The last pair whose folded offset is at most `folded`; both offsets begin at 0. */
  lastAt(folded: number): readonly [folded: number, original: number] {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#folded[middle]! <= folded) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? [0, 0] : [this.#folded[low - 1]!, this.#original[low - 1]!];
  }
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
