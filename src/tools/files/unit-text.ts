import {
  createLegacyEncoder,
  decodeText,
  isDoubleByte,
  type LegacyEncoder,
  legacyWidth,
  type TextForm,
} from "../../text/index.js";
import { type FileLineEndings, lineEndingsOf } from "./edit-line-ends.js";
import type { Units } from "./edit-search.js";

/** The content of a text file in the units it is matched by, its mark left out. */
export class UnitText {
  readonly units: Units;
  /** Bytes a unit takes: 2 in UTF-16, else 1. */
  readonly unitBytes: 1 | 2;
  #legacy: LegacyEncoder | undefined;
  #lineEndings: FileLineEndings | undefined;
  /** Where a character begins, near the place last asked about: places are asked about in rising order, in lines of any length. */
  #knownStart = 0;

  constructor(
    readonly bytes: Uint8Array,
    readonly form: TextForm,
  ) {
    const { encoding, markBytes } = form;
    this.unitBytes = encoding.startsWith("utf-16") ? 2 : 1;
    const body = bytes.subarray(markBytes);
    this.units = this.unitBytes === 1 ? body : toUnits16(body, encoding === "utf-16be");
  }

  /** Looked at when first asked for. */
  get lineEndings(): FileLineEndings {
    this.#lineEndings ??= lineEndingsOf(this.units);
    return this.#lineEndings;
  }

  /** Where a unit stands in the file. */
  byteOffset(unit: number): number {
    return this.form.markBytes + unit * this.unitBytes;
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

  /** The bytes of units as they stand in the file. */
  toBytes(units: Units): Uint8Array {
    if (!(units instanceof Uint16Array)) return units;
    const bytes = new Uint8Array(units.length * 2);
    const view = new DataView(bytes.buffer);
    const littleEndian = this.form.encoding !== "utf-16be";
    for (let index = 0; index < units.length; index++) view.setUint16(index * 2, units[index]!, littleEndian);
    return bytes;
  }

  /**
   * Whether a character may begin at this unit. UTF-8 and UTF-16 need no look: a whole character never matches inside
   * another. In encodings of one or two bytes the second byte may look like a letter or a bar.
   */
  isCharacterStart(unit: number): boolean {
    if (!isDoubleByte(this.form.encoding)) return true;
    const known = this.#knownStart <= unit ? this.#knownStart : 0;
    let at = unit;
    while (at > known && this.units[at - 1] !== 10) at--;
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

/** An odd last byte belongs to no unit and is never touched. */
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
