import type { Pattern } from "../../../kernel/index.js";
import { decodeText, hasLoneSurrogate, TEXT_ENCODINGS } from "../../../text/index.js";

/**
 * A pattern for ripgrep that matches in every line in which our own engine finds a match, as far as their languages agree. It
 * may match additional lines if it is loose: lines with non-ASCII characters or a `\r` are then rechecked.
 */
export interface RipgrepPattern {
  readonly source: string;
  readonly isLoose: boolean;
}

/** A longer pattern would approach the system's limit for one argument. */
const MAX_SOURCE_LENGTH = 64 * 1024;

/** Our engine decodes each invalid UTF-8 byte as U+FFFD; for ripgrep it is not a character. */
const STRAY_BYTE = "(?-u:[\\x80-\\xff])";
/** A BOM is not part of the first line, and a ripgrep pattern cannot single out the first line. */
const LINE_START = "(?m:^\\x{feff}?)";
/** The end of a line is before its `\r\n`. ripgrep also treats a lone `\r` as a line ending. */
const LINE_END = "(?mR:$)";
/** Tokens that are translated, and literals; all special characters of ripgrep are among the escapes. */
const TOKEN =
  /\\[pP](?:\{[^}]*\}|.)|\\x\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\(\?[a-zA-Z-]*[:)]|\(\?P?<\w+>|[^\0-\x7f]+(?![*+?{])|[\s\S]/gu;
const CLASSES: Readonly<Record<string, string>> = { d: "digit", s: "space", w: "word" };

/**
 * Undefined if the pattern cannot be translated: our own engine searches then.
 * @param pattern - A pattern that `compilePattern` accepted.
 */
export function ripgrepPattern(pattern: Pattern): RipgrepPattern | undefined {
  const { source, syntax, ignoreCase } = pattern;
  const isLiteral = syntax === "literal";
  if (hasLoneSurrogate(source) || (!isLiteral && /\\Q/.test(source))) return undefined;
  const writer = new PatternWriter(ignoreCase || (!isLiteral && /\(\?\w*i/.test(source)));
  const tokens = isLiteral ? (source.match(/[^\0-\x7f]+|[\s\S]/g) ?? []) : (source.match(TOKEN) ?? []);
  const text = tokens.map((token) => (isLiteral ? writer.literal(token) : writer.token(token))).join("");
  const whole = `${ignoreCase ? "(?i)" : ""}${text}`;
  return whole.length > MAX_SOURCE_LENGTH ? undefined : { source: whole, isLoose: writer.isLoose };
}

class PatternWriter {
  isLoose = false;
  readonly #ignoresCase: boolean;

  constructor(ignoresCase: boolean) {
    this.#ignoresCase = ignoresCase;
  }

  token(token: string): string {
    if (/^[\0-\x7f]$/.test(token)) return this.#sign(token);
    if (token.startsWith("\\")) return this.#escape(token);
    if (token.startsWith("[")) return this.#class(token);
    // The anchors carry their own flags.
    if (token.startsWith("(?") && !token.includes("<")) return withoutLineFlag(token);
    return token.startsWith("{") || token.startsWith("(") ? token : this.#beyondAscii(token);
  }

  literal(token: string): string {
    if (/[^\0-\x7f]/.test(token)) return this.#beyondAscii(token);
    if (token === "\r") this.isLoose = true;
    return /\w/.test(token) ? token : `\\x{${token.charCodeAt(0).toString(16)}}`;
  }

  #sign(sign: string): string {
    if (sign === ".") return this.#orStray(sign);
    if (sign === "^") return this.#anchor(LINE_START);
    if (sign === "$") return this.#anchor(LINE_END);
    if (sign === "{") return "\\{";
    return "()|*+?".includes(sign) ? sign : this.literal(sign);
  }

  #escape(token: string): string {
    const letter = token[1]!;
    if (letter === "A") return this.#anchor(LINE_START);
    if (letter === "z") return this.#anchor(LINE_END);
    if (letter === "b") return "(?-u:\\b)";
    if ("BDSWsrx".includes(letter)) this.isLoose = true;
    if ("BDSWdsw".includes(letter)) return `(?-u:${token})`;
    if (/[pP]/.test(letter)) return this.#orStray(token);
    return letter === "<" || letter === ">" || letter > "\x7f" ? this.literal(token.slice(1)) : token;
  }

  /** Named classes become ASCII sets; brackets and doubled operators inside a class are escaped. */
  #class(token: string): string {
    const [open] = /^\[\^?/.exec(token)!;
    const items = token.slice(open.length, -1);
    const text = items.replace(
      /\\[dDsSwW]|\\[pP](?:\{[^}]*\}|.)|\\x\{[^}]*\}|\\.|\[:\^?\w+:\]|[[\]&~]|-(?=-)/gsu,
      (item) => {
        const letter = item[1] ?? "";
        const name = item.startsWith("\\") && letter !== "" ? CLASSES[letter.toLowerCase()] : undefined;
        if (name !== undefined) return `[:${letter === letter.toLowerCase() ? "" : "^"}${name}:]`;
        if (item === "\\<" || item === "\\>") return letter;
        return item.length === 1 ? `\\${item}` : item;
      },
    );
    const whole = `${open}${text}]`;
    const isWide = open === "[^" || /[^\0-\x7f]|\\[DSWpPxr]|\[:\^/.test(items);
    if (/\\s|\[:space:\]/.test(items)) this.isLoose = true;
    return isWide ? this.#orStray(whole) : whole;
  }

  #anchor(text: string): string {
    this.isLoose = true;
    return text;
  }

  #orStray(text: string): string {
    this.isLoose = true;
    return `(?:${text}|${STRAY_BYTE})`;
  }

  /** A run of non-ASCII characters, or its bytes in one of the single-byte encodings. */
  #beyondAscii(run: string): string {
    this.isLoose = true;
    const spelled = new Set<string>();
    for (const table of legacyTables()) {
      const bytes = [...run].map((character) => this.#bytesOf(character, table));
      if (!bytes.includes("")) spelled.add(`|(?-u:${bytes.map((one) => `[${one}]`).join("")})`);
    }
    return `(?:${run}${[...spelled].join("")})`;
  }

  #bytesOf(character: string, table: ReadonlyMap<string, number>): string {
    const forms = this.#ignoresCase ? [character, character.toLowerCase(), character.toUpperCase()] : [character];
    const bytes = forms.flatMap((form) => table.get(form) ?? []);
    return bytes.map((byte) => `\\x${byte.toString(16)}`).join("");
  }
}

function withoutLineFlag(group: string): string {
  const [, letters = "", close = ""] = /^\(\?([A-Za-z-]*)([:)])$/.exec(group) ?? [];
  const flags = letters.replaceAll("m", "").replace(/-$/, "");
  return flags === "" && close === ")" ? "" : `(?${flags}${close}`;
}

const ONE_BYTE_ENCODINGS = TEXT_ENCODINGS.filter((name) => /^(?:windows|iso-8859|koi8|ibm|mac)/.test(name));
let tables: readonly ReadonlyMap<string, number>[] | undefined;

/** The byte of each non-ASCII character, for each encoding. Created on first use. */
function legacyTables(): readonly ReadonlyMap<string, number>[] {
  const upper = Uint8Array.from({ length: 0x80 }, (_, index) => 0x80 + index);
  tables ??= ONE_BYTE_ENCODINGS.map(
    (name) => new Map([...decodeText(upper, name).text].map((character, index) => [character, 0x80 + index])),
  );
  return tables;
}
