/** Files of git's configuration, read as git reads them: a value that is read otherwise would protect another path than git uses. */
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { smallText } from "./held-roots.js";

export type GitSetting = readonly [name: string, value: string];

const SPACE = /[ \t\r\n]+/y;
const COMMENT = /[#;][^\n]*/y;
const SECTION = /\[([A-Za-z0-9.-]*)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;
const NAME = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=|(?=\n)|$)/y;
const LINE_SPACE = /[ \t\r]+/y;
const PLAIN = /[^"\\\n]/y;
const ESCAPE = /\\(?:([tbn"\\])|\n|$)/y;
const ESCAPED: Readonly<Record<string, string>> = { t: "\t", b: "\b", n: "\n" };

/**
 * The settings of a file that have a value, in their order. Names are as git prints them: "core.hookspath", "includeif.gitdir:~/x/.path".
 * It ends at a line that git rejects, as git then does nothing with this configuration.
 */
export function gitSettings(text: string): readonly GitSetting[] {
  const input = new Input(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"));
  const found: GitSetting[] = [];
  let section = "";
  while (!input.isAtEnd) {
    if (input.take(SPACE) ?? input.take(COMMENT)) continue;
    const header = input.take(SECTION);
    if (header !== undefined) {
      const [, name = "", sub] = header;
      section = `${name.toLowerCase()}.${sub === undefined ? "" : `${sub.replace(/\\(.)/g, "$1")}.`}`;
      continue;
    }
    const [, name, equals] = input.take(NAME) ?? [];
    if (name === undefined) break;
    if (equals === "") continue;
    const value = takeValue(input);
    if (value === undefined) break;
    found.push([section + name.toLowerCase(), value]);
  }
  return found;
}

/** A value up to the end of its last line; undefined if git rejects it. */
function takeValue(input: Input): string | undefined {
  let value = "";
  /** White space that belongs to the value if more of it follows. */
  let pending = "";
  let isQuoted = false;
  while (!input.isAtEnd && !input.isAt("\n")) {
    const space = isQuoted ? undefined : input.take(LINE_SPACE);
    if (space !== undefined) {
      if (value !== "") pending += space[0];
      continue;
    }
    if (!isQuoted && input.take(COMMENT)) break;
    value += pending;
    pending = "";
    const plain = input.take(PLAIN);
    if (plain !== undefined) value += plain[0];
    else if (input.take(/"/y)) isQuoted = !isQuoted;
    else {
      const escaped = input.take(ESCAPE);
      if (escaped === undefined) return undefined;
      const [, letter = ""] = escaped;
      value += ESCAPED[letter] ?? letter;
    }
  }
  return isQuoted ? undefined : value;
}

class Input {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  isAt(letter: string): boolean {
    return this.#text[this.#at] === letter;
  }

  /** What the sticky pattern matches here, which is passed over; undefined if it does not match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text) ?? undefined;
    this.#at += match?.[0].length ?? 0;
    return match;
  }
}

/** A value in the form that git reads as this text. */
export function quotedValue(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** The files of the system's and the user's configuration. The last one takes precedence. */
export function userSettingsFiles(home: string): readonly string[] {
  const directory = process.env.XDG_CONFIG_HOME || join(home, ".config");
  return ["/etc/gitconfig", join(directory, "git", "config"), join(home, ".gitconfig")];
}

/** The text of a small file; "" where there is none, as git passes over it. What a command has put there may be a pipe. */
export function settingsText(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    return smallText(descriptor) ?? "";
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
