/** Character classes of the common pattern language, read as RE2 reads them and written as ripgrep reads them. */

/** A cursor over a pattern that the engine of our own has accepted, so malformed input is not met here. */
export interface Cursor {
  readonly source: string;
  at: number;
}

export interface ClassText {
  /** For ripgrep. */
  readonly text: string;
  /** It names a Unicode property, whose members the tables of the two engines give differently. */
  readonly hasProperty: boolean;
}

/** The ASCII sets that `\d`, `\s` and `\w` stand for; for ripgrep they would be Unicode ones. */
const PERL_SETS: Readonly<Record<string, string>> = {
  d: "0-9",
  s: "\\t\\n\\x0C\\r ",
  w: "0-9A-Za-z_",
};

const CONTROL_ESCAPES: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Reads from `\d` and the like at the cursor; undefined for another escape. */
export function readPerlClass(cursor: Cursor): string | undefined {
  const letter = cursor.source[cursor.at + 1] ?? "";
  const set = PERL_SETS[letter.toLowerCase()];
  if (set === undefined) return undefined;
  cursor.at += 2;
  return letter === letter.toLowerCase() ? `[${set}]` : `[^${set}]`;
}

/** Reads from `\pL`, `\p{Greek}`, `\P{^Greek}` at the cursor; undefined for another escape. */
export function readProperty(cursor: Cursor): string | undefined {
  const [whole, letter, braced, single] =
    /^\\([pP])(?:\{([^}]*)\}|(.))/su.exec(cursor.source.slice(cursor.at, cursor.at + 80)) ?? [];
  if (whole === undefined) return undefined;
  cursor.at += whole.length;
  const name = braced ?? single ?? "";
  const isNegated = (letter === "P") !== name.startsWith("^");
  return `\\${isNegated ? "P" : "p"}{${name.replace(/^\^/, "")}}`;
}

/** Reads an escape that stands for one character; the cursor is on the backslash. */
export function readEscapedCharacter(cursor: Cursor): number {
  const rest = cursor.source.slice(cursor.at + 1, cursor.at + 12);
  const [, hex] = /^x(?:\{([0-9A-Fa-f]+)\}|[0-9A-Fa-f]{2})/.exec(rest) ?? [];
  if (rest.startsWith("x")) {
    const digits = hex ?? rest.slice(1, 3);
    cursor.at += hex === undefined ? 4 : hex.length + 4;
    return Number.parseInt(digits, 16);
  }
  const octal = /^[0-7]{1,3}/.exec(rest)?.[0];
  if (octal !== undefined) {
    cursor.at += 1 + octal.length;
    return Number.parseInt(octal, 8);
  }
  cursor.at += 1;
  const control = CONTROL_ESCAPES[rest[0] ?? ""];
  if (control === undefined) return readCharacter(cursor);
  cursor.at += 1;
  return control;
}

/** Reads one character that stands for itself. */
export function readCharacter(cursor: Cursor): number {
  const point = cursor.source.codePointAt(cursor.at) ?? 0;
  cursor.at += point > 0xffff ? 2 : 1;
  return point;
}

/** Reads a bracketed class; the cursor is on its bracket and ends behind it. */
export function readClass(cursor: Cursor): ClassText {
  const { source } = cursor;
  cursor.at++;
  let text = "[";
  if (source[cursor.at] === "^") {
    text += "^";
    cursor.at++;
  }
  let hasProperty = false;
  for (let isFirst = true; isFirst || source[cursor.at] !== "]"; isFirst = false) {
    if (cursor.at >= source.length) break;
    const named = /^\[:\^?\w+:\]/.exec(source.slice(cursor.at, cursor.at + 16))?.[0];
    if (named !== undefined) {
      text += named;
      cursor.at += named.length;
      continue;
    }
    const property = readProperty(cursor);
    hasProperty ||= property !== undefined;
    text += property ?? (source[cursor.at] === "\\" ? readPerlClass(cursor) : undefined) ?? readRange(cursor);
  }
  cursor.at++;
  return { text: `${text}]`, hasProperty };
}

function readRange(cursor: Cursor): string {
  const low = readMember(cursor);
  const { source, at } = cursor;
  if (source[at] !== "-" || at + 1 >= source.length || source[at + 1] === "]") return codePoint(low);
  cursor.at++;
  return `${codePoint(low)}-${codePoint(readMember(cursor))}`;
}

function readMember(cursor: Cursor): number {
  return cursor.source[cursor.at] === "\\" ? readEscapedCharacter(cursor) : readCharacter(cursor);
}

export function codePoint(point: number): string {
  return `\\x{${point.toString(16)}}`;
}
