import { compilePattern, type GrepQuery, type Pattern } from "../../../kernel/index.js";
import { hasLoneSurrogate } from "../../../text/index.js";
import {
  type Cursor,
  codePoint,
  readCharacter,
  readClass,
  readEscapedCharacter,
  readPerlClass,
  readProperty,
} from "./class-items.js";

/**
 * A pattern for ripgrep that matches in every line, or with `multiline` in every file, in which our own engine finds a
 * match. It may match in more; where `doubt` says so, our engine looks again.
 */
export interface RipgrepPattern {
  readonly source: string;
  /**
   * What a line holds in which a match of ripgrep may be none; `lineStart`: a U+FEFF as its first character. All false: it
   * finds exactly the lines that it should, but for a line behind a BOM.
   */
  readonly doubt: { readonly carriageReturn: boolean; readonly beyondAscii: boolean; readonly lineStart: boolean };
}

/** A longer one would come near what the system takes as one argument. */
const MAX_SOURCE_LENGTH = 64 * 1024;

/** Our engine reads each byte that is not UTF-8 as U+FFFD; to ripgrep it is no character at all. */
const STRAY_BYTE = "(?-u:[\\x80-\\xff])";
const STRAY = Uint8Array.of(0xff);
/** To ripgrep the first byte of a line's end belongs to the line. */
const RETURN = Uint8Array.of(13);
const REPLACEMENT = 0xfffd;
/** What the Unicode versions of the engines disagree about: characters newer than ripgrep, and one that moved. */
const DISPUTED = "\\p{Cn}\\x{295}";
const NEVER = "[a&&b]";
const FILE_START = "(?:\\A\\x{feff}?)";
const NUL = 0;
const NEWLINE = 10;
/** Characters that stand for themselves only behind a backslash. */
const SIGNS = /[\\.+*?()|[\]{}^$#&\-~]/;

/**
 * Undefined where none can be made.
 * @param pattern - One that `compilePattern` has accepted.
 */
export async function ripgrepPattern(
  pattern: Pattern,
  binary: GrepQuery["binary"],
): Promise<RipgrepPattern | undefined> {
  if (hasLoneSurrogate(pattern.source)) return undefined;
  const writer = new PatternWriter(pattern, binary === "any-nul");
  await writer.write();
  const source = `${pattern.ignoreCase ? "(?i)" : ""}${writer.text}`;
  return source.length > MAX_SOURCE_LENGTH ? undefined : { source, doubt: writer.doubt };
}

interface GroupFlags {
  /** Whether `^` and `$` stand at lines rather than at the ends of the text. */
  readonly lines: boolean;
  readonly ignoreCase: boolean;
}

class PatternWriter {
  text = "";
  readonly doubt = { carriageReturn: false, beyondAscii: false, lineStart: false };
  readonly #pattern: Pattern;
  readonly #skipsNul: boolean;
  readonly #cursor: Cursor;
  readonly #known = new Map<string, { readonly stray: boolean; readonly carriageReturn: boolean }>();
  readonly #outer: GroupFlags[] = [];
  #flags: GroupFlags;

  constructor(pattern: Pattern, skipsNul: boolean) {
    this.#pattern = pattern;
    this.#skipsNul = skipsNul;
    this.#cursor = { source: pattern.source, at: 0 };
    this.#flags = { lines: true, ignoreCase: pattern.ignoreCase };
  }

  async write(): Promise<void> {
    const cursor = this.#cursor;
    while (cursor.at < cursor.source.length) {
      if (this.#pattern.syntax === "literal") this.#literal(readCharacter(cursor));
      else await this.#item(cursor.source[cursor.at]!);
    }
  }

  async #item(sign: string): Promise<void> {
    const cursor = this.#cursor;
    if (sign === "\\") return this.#escape();
    if (sign === "[") return this.#class();
    if (sign === "(") return this.#openGroup();
    if (sign === "{") return this.#count();
    if (!".^$)|*+?".includes(sign)) return this.#literal(readCharacter(cursor));
    cursor.at++;
    if (sign === ".") this.#any(".");
    else if (sign === "^") this.text += this.#start();
    else if (sign === "$") this.text += this.#end();
    else {
      if (sign === ")") this.#flags = this.#outer.pop() ?? this.#flags;
      this.text += sign;
    }
  }

  async #escape(): Promise<void> {
    const cursor = this.#cursor;
    const letter = cursor.source[cursor.at + 1] ?? "";
    if (letter === "Q") return this.#quoted();
    const anchor = this.#anchor(letter);
    if (anchor !== undefined) {
      cursor.at += 2;
      this.text += anchor;
      return;
    }
    const start = cursor.at;
    const property = readProperty(cursor);
    if (property !== undefined) return this.#written(start, `[${property}]`, true);
    const perl = readPerlClass(cursor);
    if (perl === undefined) this.#literal(readEscapedCharacter(cursor));
    else await this.#written(start, perl, false);
  }

  #anchor(letter: string): string | undefined {
    const isWhole = this.#pattern.multiline;
    if (letter === "A") return isWhole ? FILE_START : this.#lineStart();
    if (letter === "z") return isWhole ? "\\z" : this.#end();
    if (letter === "b") return "(?-u:\\b)";
    if (letter !== "B") return undefined;
    // Bytes inside of a character count as places for it.
    this.doubt.beyondAscii = true;
    return "(?-u:\\B)";
  }

  /** A line is all the text that a match sees, so that its start is the start of the text too. */
  #start(): string {
    return this.#pattern.multiline && !this.#flags.lines ? FILE_START : this.#lineStart();
  }

  /** The first line starts behind a BOM, and ripgrep cannot tell the first line from others here. */
  #lineStart(): string {
    this.doubt.lineStart = true;
    return "(?m:^\\x{feff}?)";
  }

  /** A line ends before its `\r\n`. ripgrep takes a lone `\r` for an end as well. */
  #end(): string {
    if (this.#pattern.multiline) return this.#flags.lines ? "(?m:$)" : "\\z";
    this.doubt.carriageReturn = true;
    return "(?mR:$)";
  }

  #quoted(): void {
    const cursor = this.#cursor;
    const close = cursor.source.indexOf("\\E", cursor.at);
    const end = close === -1 ? cursor.source.length : close;
    cursor.at += 2;
    while (cursor.at < end) this.#literal(readCharacter(cursor));
    if (close !== -1) cursor.at += 2;
  }

  #openGroup(): void {
    const cursor = this.#cursor;
    const rest = cursor.source.slice(cursor.at);
    const name = /^\(\?P?<\w+>/.exec(rest)?.[0];
    const [whole, letters, close] = /^\(\?([A-Za-z-]*)([:)])/.exec(rest) ?? [];
    cursor.at += (name ?? whole ?? "(").length;
    if (close !== ")") this.#outer.push(this.#flags);
    if (letters === undefined) {
      this.text += "(?:";
      return;
    }
    const [on = "", off = ""] = letters.split("-");
    const next = (before: boolean, letter: string) => !off.includes(letter) && (before || on.includes(letter));
    this.#flags = { lines: next(this.#flags.lines, "m"), ignoreCase: next(this.#flags.ignoreCase, "i") };
    const kept = [on, off].map((part) => part.replaceAll("m", ""));
    const flags = kept[1] === "" ? kept[0] : kept.join("-");
    if (close === ":") this.text += `(?${flags}:`;
    else if (flags !== "") this.text += `(?${flags})`;
  }

  #count(): void {
    const cursor = this.#cursor;
    const count = /^\{\d+(?:,\d*)?\}/.exec(cursor.source.slice(cursor.at, cursor.at + 16))?.[0];
    cursor.at += count?.length ?? 0;
    if (count === undefined) this.#literal(readCharacter(cursor));
    else this.text += count;
  }

  async #class(): Promise<void> {
    const start = this.#cursor.at;
    const { text, hasProperty } = readClass(this.#cursor);
    await this.#written(start, text, hasProperty);
  }

  /** @param start - Where the class stands in the source; it ends at the cursor. */
  async #written(start: number, text: string, hasProperty: boolean): Promise<void> {
    const { source, at } = this.#cursor;
    const whole = hasProperty ? `[${text}${DISPUTED}]` : text;
    const members = await this.#membersOf(source.slice(start, at));
    if (hasProperty) this.doubt.beyondAscii = true;
    if (members.carriageReturn) this.doubt.carriageReturn = true;
    if (members.stray) this.#orStray(whole);
    else this.text += whole;
  }

  /** Whether a class holds what ripgrep meets where our engine does not, or the other way round. */
  async #membersOf(source: string): Promise<{ readonly stray: boolean; readonly carriageReturn: boolean }> {
    const { ignoreCase } = this.#flags;
    const key = `${ignoreCase}${source}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const pattern = await compilePattern({ source, syntax: "re2", ignoreCase, multiline: false });
    const members = { stray: pattern.test(STRAY), carriageReturn: pattern.test(RETURN) };
    this.#known.set(key, members);
    return members;
  }

  #any(text: string): void {
    this.doubt.carriageReturn = true;
    this.#orStray(text);
  }

  #orStray(text: string): void {
    this.doubt.beyondAscii = true;
    this.text += `(?:${text}|${STRAY_BYTE})`;
  }

  #literal(point: number): void {
    const isNever = (point === NEWLINE && !this.#pattern.multiline) || (point === NUL && this.#skipsNul);
    if (point === RETURN[0]) this.doubt.carriageReturn = true;
    if (isNever) this.text += NEVER;
    else if (point === REPLACEMENT) this.#orStray(codePoint(point));
    else if (point < 0x20 || point === 0x7f) this.text += codePoint(point);
    else {
      const character = String.fromCodePoint(point);
      this.text += SIGNS.test(character) ? `\\${character}` : character;
    }
  }
}
