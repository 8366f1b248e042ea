/** Patterns of commands: words, compared with the words that a program is started with. */
import type { CommandWord } from "../commands/index.js";

/** Literal texts, between which any characters may stand; one alone is the whole word. */
type PatternWord = readonly string[];

export interface CommandPattern {
  readonly words: readonly PatternWord[];
  /** Any further words may follow. */
  readonly isOpen: boolean;
}

/** Directories of the system, whose programs are known by their name alone. */
const SYSTEM_DIRECTORY = /^\/(usr\/(local\/)?)?s?bin\/(?=[^/]+$)/;

/** Splits like a shell: whitespace, single and double quotes, backslashes. An unquoted `*` is a wildcard. */
export function parseCommandPattern(text: string): CommandPattern | { readonly why: string } {
  const words: string[][] = [];
  let word: string[] | undefined;
  let quote = "";
  const add = (character: string) => {
    word ??= [""];
    word.push(`${word.pop()}${character}`);
  };
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    const next = text[index + 1];
    if (character === quote) quote = "";
    else if (character === "\\" && quote !== "'" && (quote === "" || next === '"' || next === "\\")) {
      if (next === undefined) return { why: "it ends with a backslash" };
      add(next);
      index++;
    } else if (quote !== "") add(character);
    else if (character === "'" || character === '"') {
      quote = character;
      add("");
    } else if (character === "*") {
      add("");
      word!.push("");
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (/[;&|<>`$(){}]/.test(character))
      return {
        why: `a command is one program with its words, and "${character}" is none; put it in quotes if a word has it`,
      };
    else add(character);
  }
  if (quote !== "") return { why: "a quote is not closed" };
  if (word !== undefined) words.push(word);
  const last = words.at(-1);
  const isOpen = last !== undefined && last.length > 1 && last.every((part) => part === "");
  const kept = isOpen ? words.slice(0, -1) : words;
  if (kept.length === 0 && !isOpen) return { why: "it names nothing" };
  const [first, ...others] = kept;
  const program = first?.length === 1 ? [first[0]!.replace(SYSTEM_DIRECTORY, "")] : first;
  return { words: program === undefined ? [] : [program, ...others], isOpen };
}

/** Whether the pattern is of these words, all of them. What a glob becomes is matched by a `*` at the end only. */
export function matchesWords({ words, isOpen }: CommandPattern, argv: readonly CommandWord[]): boolean {
  if (isOpen ? argv.length < words.length : argv.length !== words.length) return false;
  return words.every((word, index) => {
    const given = argv[index];
    return given !== undefined && given.glob !== true && matchesWord(word, given.value);
  });
}

/** Whether the pattern is of a program and its subcommand, whatever options stand between them: `git push *` of `git -C x push`. */
export function namesEntry({ words, isOpen }: CommandPattern, entry: string): boolean {
  const names = words.map((word) => (word.length === 1 ? word[0] : undefined));
  return isOpen && !names.includes(undefined) && names.join(" ") === entry;
}

function matchesWord([first = "", ...others]: PatternWord, text: string): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Longest rule that is suggested. */
const MAX_SUGGESTED = 200;

/** The pattern of exactly these words; undefined where it would not be readable. */
export function commandText(argv: readonly CommandWord[]): string | undefined {
  if (argv.some(({ value, glob }) => glob === true || /\p{C}/u.test(value))) return undefined;
  const text = argv.map(({ value }, index) => quoted(value, index === 0)).join(" ");
  return text.length > MAX_SUGGESTED || text.startsWith("-") ? undefined : text;
}

/**
 * The pattern that a user is shown: of exactly these words, but for free text, such as the message of a commit, and what follows it.
 * Undefined where it would not be readable.
 */
export function suggestedCommand(argv: readonly CommandWord[]): string | undefined {
  const at = argv.findIndex(({ value }, index) => index > 1 && /\s/.test(value));
  if (at === -1) return commandText(argv);
  const text = commandText(argv.slice(0, at));
  return text === undefined ? undefined : `${text} *`;
}

/** The first word is quoted where it would be read as the beginning of another kind of rule. */
function quoted(word: string, isFirst: boolean): string {
  const isPlain = /^[\w@%+=:,./~^-]+$/.test(word);
  if (isPlain && !(isFirst && /^(read|write|allow|ask|deny|[\w.+-]+:.*)$/.test(word))) return word;
  return `"${word.replaceAll(/["\\]/g, "\\$&")}"`;
}
