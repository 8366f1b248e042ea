const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
/** Soft hyphen, zero-width space, word joiner and zero-width no-break space. */
const ZERO_WIDTH = /[\u00ad\u200b\u2060\ufeff]/g;

/**
 * Normalizes characters that look alike: accents are composed (NFC), each Unicode space becomes an ordinary one, curly
 * quotes become straight ones, and zero-width characters are removed. Lengths may change.
 */
export function foldLookAlikes(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\u2018-\u201b\u2032\u02bc]/g, "'")
    .replace(/[\u201c-\u201f\u2033]/g, '"')
    .replace(SPACES, " ")
    .replace(ZERO_WIDTH, "");
}

/** Whether `text` has a character that another one may be taken for: a space, a quote, anything outside ASCII. */
export function hasLookAlikes(text: string): boolean {
  return /[ '"]|[^\x00-\x7f]/.test(text);
}

/** The first difference of two texts, as code points; undefined for the end of a text. */
export interface FirstDifference {
  /** Characters before it, and one. */
  readonly column: number;
  readonly there: string | undefined;
  readonly here: string | undefined;
}

/** The first character of `there` that is another one in `here`, written as `U+202F`; undefined for equal texts. */
export function firstDifference(there: string, here: string): FirstDifference | undefined {
  if (there === here) return undefined;
  const [left, right] = [[...there], [...here]];
  let index = 0;
  while (index < left.length && left[index] === right[index]) index++;
  const pointAt = (chars: readonly string[]) => (index < chars.length ? codePointAt(chars[index]!) : undefined);
  return { column: index + 1, there: pointAt(left), here: pointAt(right) };
}

/** The first character of a text as `U+202F`. */
export function codePointAt(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A JSON string, quotes included, that spells every character outside printable ASCII as `\u202f`. */
export function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
