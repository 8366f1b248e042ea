/** The words of a command after expansion, as far as that is known without running anything. */

import type { DoubleQuotedChild, ParameterExpansionPart, Word, WordPart } from "unbash";
import { expandBraces } from "../../text/index.js";
import type { CommandFile } from "./judgement.js";
import { ALTERNATIVES } from "./limits.js";

/** One argument that a program gets. */
export interface ExpandedWord {
  /** As written. */
  readonly text: string;
  /** Without quotes. What is unknown is left out; `isUnresolved` says so. */
  readonly value: string;
  /** The beginning of `value` that is the same whatever a glob matches or an unknown part is. */
  readonly prefix: string;
  /** `value` with a backslash before each character that only looks like a glob. */
  readonly pattern: string;
  readonly isGlob: boolean;
  readonly isUnresolved: boolean;
  /** The unknown part cannot be empty: `${X:?}`. */
  readonly isNonEmpty: boolean;
  /** It stands for some of the paths that it matches: those that another condition chooses. */
  readonly isPartial?: true;
  /** Of the files in a tree that it stands for, those that another program has found. */
  readonly within?: Pick<CommandFile, "extent" | "only">;
  /** A substitution prints them, so that the shell takes names with whitespace apart. */
  readonly isSplit?: true;
  /** The unknown part is a number, or a name that begins with a letter or a digit: one word, and no option. */
  readonly isPlain: boolean;
  /** The unknown part is not quoted, so that it may become several words. */
  readonly maySplit: boolean;
}

/** A possible value of a variable. */
export interface VariableValue {
  readonly value: string;
  /** The value is one of the paths that this glob matches. */
  readonly isGlob: boolean;
  /** It is one of the paths that a substitution prints. */
  readonly printed?: ExpandedWord;
}

/** Looks up the values that expansion needs. */
export interface Lookup {
  /** The value of a variable at this place; undefined if it is not known. */
  variable(name: string): VariableValue | undefined;
  /** The directory of `~`. */
  readonly home: string | undefined;
  /** The value of `$(…)` for the few that are known. */
  substitution(text: string): string | undefined;
  /** The paths that `$(…)` prints, as globs; undefined if it may print anything else. */
  printedPaths(text: string): readonly ExpandedWord[] | undefined;
  /** Whether `$(…)` prints one name or number. */
  isPlainSubstitution(text: string): boolean;
}

/** A word whose text is its value. */
export const literalWord = (value: string): ExpandedWord => wordOf(value, value, value);

function wordOf(value: string, text: string, pattern: string): ExpandedWord {
  return {
    text,
    value,
    prefix: value,
    pattern,
    isGlob: false,
    isUnresolved: false,
    isNonEmpty: false,
    isPlain: false,
    maySplit: false,
  };
}

/** A word that a program makes up when it runs, such as the arguments that `xargs` adds. */
export function unknownWord(text: string): ExpandedWord {
  return { ...literalWord(""), text, isUnresolved: true, maySplit: true };
}

/** A word that stands for the paths which a program finds. */
export function globWord(glob: string): ExpandedWord {
  return { ...literalWord(glob), prefix: glob.slice(0, Math.max(glob.search(/[*?[]/), 0)), isGlob: true };
}

/** `word` without its first `count` characters: the value of `--file=value`. They must belong to its prefix. */
export function withoutPrefix(word: ExpandedWord, count: number): ExpandedWord {
  const text = word.text === word.value ? word.text.slice(count) : word.text;
  return {
    ...word,
    text,
    value: word.value.slice(count),
    prefix: word.prefix.slice(count),
    pattern: word.pattern.startsWith(word.value.slice(0, count)) ? word.pattern.slice(count) : word.pattern,
  };
}

/** The argument as a user reads it. */
export const shownWord = (word: ExpandedWord): string => (word.isUnresolved ? word.text : word.value);

interface Draft {
  value: string;
  prefix: string;
  pattern: string;
  isGlob: boolean;
  isUnresolved: boolean;
  isNonEmpty: boolean;
  isPlain: boolean;
  maySplit: boolean;
  /** Something that keeps an empty word from vanishing: quotes, or literal text. */
  isPresent: boolean;
}

const emptyDraft = (): Draft => ({
  value: "",
  prefix: "",
  pattern: "",
  isGlob: false,
  isUnresolved: false,
  isNonEmpty: false,
  isPlain: false,
  maySplit: false,
  isPresent: false,
});

/**
 * Expands one word to the arguments that it becomes: several for braces and for an unquoted variable with whitespace in it, none
 * for an unquoted variable that is empty. A glob stays one argument.
 *
 * @param isAssignment - The value of an assignment is not split.
 */
export function expandArgument(word: Word, lookup: Lookup, isAssignment = false): ExpandedWord[] {
  const literal = word.text.startsWith("~") ? undefined : literalValue(word);
  if (literal !== undefined) return [wordOf(literal, word.text, escapeGlobChars(literal))];
  const printed = isAssignment ? undefined : printedBy(word, lookup);
  if (printed !== undefined) return printed;
  const builder = new WordBuilder(lookup, isAssignment);
  const parts: readonly WordPart[] = word.parts ?? [
    { type: "Literal", pos: word.pos, end: word.end, value: word.value, text: word.text },
  ];
  parts.forEach((part, index) => {
    if (index === 0 && part.type === "Literal" && part.text.startsWith("~"))
      builder.tilde(part.value, parts.length > 1);
    else builder.part(part, false);
  });
  return builder.words(word.text);
}

/** The value of a word in which nothing is expanded: most of them. */
function literalValue({ value, parts }: Word): string | undefined {
  if (parts === undefined) return value;
  let text = "";
  for (const part of parts) {
    if (part.type === "Literal" || part.type === "SingleQuoted") text += part.value;
    else if (part.type === "DoubleQuoted")
      for (const child of part.parts) {
        if (child.type !== "Literal") return undefined;
        text += child.value;
      }
    else return undefined;
  }
  return text;
}

/** A word that is nothing but a substitution which prints paths, or a variable that is each of them in turn. */
function printedBy({ parts = [], text }: Word, lookup: Lookup): ExpandedWord[] | undefined {
  const [first, ...others] = parts;
  if (first === undefined || others.length > 0) return undefined;
  const part = first.type === "DoubleQuoted" && first.parts.length === 1 ? first.parts[0] : first;
  const name =
    part?.type === "SimpleExpansion"
      ? part.text.slice(1)
      : part?.type === "ParameterExpansion" && part.text === `\${${part.parameter}}`
        ? part.parameter
        : undefined;
  const words =
    first.type === "CommandExpansion"
      ? lookup.printedPaths(first.text)
      : name === undefined
        ? undefined
        : [lookup.variable(name)?.printed].filter((word) => word !== undefined);
  return words === undefined || words.length === 0
    ? undefined
    : words.map((word) => ({ ...word, text, isSplit: true }));
}

class WordBuilder {
  /** One list of words for each alternative of braces. */
  #alternatives: Draft[][] = [[emptyDraft()]];

  constructor(
    readonly lookup: Lookup,
    readonly isAssignment: boolean,
  ) {}

  words(text: string): ExpandedWord[] {
    const words: ExpandedWord[] = [];
    for (const draft of this.#alternatives.flat()) {
      const { value, prefix, pattern, isGlob, isUnresolved, isNonEmpty, isPlain, maySplit } = draft;
      if (!draft.isPresent && value === "" && !isUnresolved) continue;
      words.push({ text, value, prefix, pattern, isGlob, isUnresolved, isNonEmpty, isPlain, maySplit });
    }
    return words;
  }

  part(part: WordPart | DoubleQuotedChild, isQuoted: boolean): void {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        this.#literal(part.value);
        return;
      case "DoubleQuoted":
      case "LocaleString":
        this.#literal("");
        for (const child of part.parts) this.part(child, true);
        return;
      case "Glob":
      case "ExtendedGlob":
        this.#glob(part.text);
        return;
      case "SimpleExpansion":
        this.#variable(part.text.slice(1), isQuoted);
        return;
      case "ParameterExpansion":
        this.#parameter(part, isQuoted);
        return;
      case "CommandExpansion": {
        const known = this.lookup.substitution(part.text);
        if (known !== undefined) this.#known({ value: known, isGlob: false }, isQuoted);
        else if (this.lookup.isPlainSubstitution(part.text)) this.#plain();
        else this.#unknown(isQuoted);
        return;
      }
      case "ProcessSubstitution":
        // A path below /dev/fd: nothing that a rule could mean.
        this.#literal("/dev/fd/63");
        return;
      case "BraceExpansion":
        this.#braces(part.text);
        return;
      case "ArithmeticExpansion":
        this.#plain();
        return;
      default:
        part satisfies never;
    }
  }

  /** `~` and `~/x` at the beginning of a word; `~name`, `~+` and a quoted rest are unknown. */
  tilde(value: string, hasMore: boolean): void {
    const isHome = value === "~" ? !hasMore : value.startsWith("~/");
    if (isHome && this.lookup.home !== undefined) {
      this.#literal(this.lookup.home + value.slice(1));
      return;
    }
    const slash = value.indexOf("/");
    this.#unknown(true, true);
    if (slash !== -1) this.#literal(value.slice(slash));
  }

  #each(change: (draft: Draft, words: Draft[]) => void): void {
    for (const words of this.#alternatives) change(words[words.length - 1] as Draft, words);
  }

  #literal(text: string): void {
    this.#each((draft) => {
      draft.isPresent = true;
      append(draft, text, escapeGlobChars(text));
    });
  }

  #glob(text: string): void {
    this.#each((draft) => {
      draft.isPresent = true;
      if (this.isAssignment) append(draft, text, text);
      else appendGlob(draft, text);
    });
  }

  #unknown(isQuoted: boolean, isNonEmpty = false): void {
    this.#each((draft) => {
      draft.isNonEmpty = isNonEmpty || (draft.isNonEmpty && draft.isUnresolved);
      draft.isUnresolved = true;
      draft.isPlain = false;
      draft.maySplit ||= !isQuoted && !this.isAssignment;
    });
  }

  #plain(): void {
    this.#each((draft) => {
      draft.isPlain = !draft.isUnresolved || draft.isPlain;
      draft.isNonEmpty = !draft.isUnresolved || draft.isNonEmpty;
      draft.isUnresolved = true;
    });
  }

  #variable(name: string, isQuoted: boolean): void {
    if (/^[#?$!]$/.test(name)) {
      this.#plain();
      return;
    }
    const known = this.lookup.variable(name);
    // With more text around it the path is another one.
    if (known?.printed !== undefined || known === undefined) this.#unknown(isQuoted && name !== "@");
    else this.#known(known, isQuoted);
  }

  #known({ value, isGlob }: VariableValue, isQuoted: boolean): void {
    if (isGlob) {
      this.#glob(value);
      return;
    }
    if (isQuoted || this.isAssignment) {
      this.#literal(value);
      return;
    }
    // Unquoted: split at whitespace, and globs are active.
    const pieces = value.split(/[ \t\n]+/);
    pieces.forEach((piece, index) => {
      this.#each((draft, words) => {
        const target = index === 0 ? draft : emptyDraft();
        if (target !== draft) words.push(target);
        if (/[*?[]/.test(piece)) appendGlob(target, piece);
        else append(target, piece, piece);
      });
    });
  }

  #parameter(part: ParameterExpansionPart, isQuoted: boolean): void {
    const { operation, parameter } = part;
    if (part.prefix !== undefined || part.index !== undefined) {
      this.#unknown(isQuoted && parameter !== "@");
      return;
    }
    if (operation === undefined) {
      this.#variable(parameter, isQuoted);
      return;
    }
    const known = this.lookup.variable(parameter);
    if (operation.type !== "Default" || /[+=]/.test(operation.operator)) {
      this.#unknown(isQuoted);
      return;
    }
    if (known !== undefined && known.printed === undefined && known.value !== "") {
      this.#known(known, isQuoted);
      return;
    }
    const { operator } = operation;
    // The default is one of two possibilities, unless the variable is known to be empty.
    this.#unknown(isQuoted, operator === ":?" || (operator === ":-" && operation.operand.value !== ""));
  }

  #braces(text: string): void {
    const alternatives = braceAlternatives(text);
    if (alternatives === undefined || alternatives.length * this.#alternatives.length > ALTERNATIVES) {
      this.#unknown(false);
      return;
    }
    const before = this.#alternatives;
    this.#alternatives = alternatives.flatMap((alternative) =>
      before.map((words) => {
        const copy = words.map((draft) => ({ ...draft }));
        const last = copy[copy.length - 1] as Draft;
        last.isPresent = true;
        if (/[*?]/.test(alternative)) appendGlob(last, alternative);
        else append(last, alternative, alternative);
        return copy;
      }),
    );
  }
}

/** `{a,b}` and `{1..3}` if they contain nothing else that is expanded. */
function braceAlternatives(text: string): string[] | undefined {
  const range = /^\{(\d{1,4})\.\.(\d{1,4})\}$/.exec(text);
  if (range !== null) {
    const [from, to] = [Number(range[1]), Number(range[2])];
    if (Math.abs(to - from) >= ALTERNATIVES) return undefined;
    const step = to < from ? -1 : 1;
    return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => String(from + index * step));
  }
  return /^[\w{},./@%:=+*?-]*$/.test(text) && !text.includes("..") ? expandBraces(text, ALTERNATIVES) : undefined;
}

function append(draft: Draft, text: string, pattern: string): void {
  if (!draft.isGlob && !draft.isUnresolved) draft.prefix += text;
  draft.value += text;
  draft.pattern += pattern;
}

function appendGlob(draft: Draft, text: string): void {
  if (!draft.isGlob && !draft.isUnresolved) draft.prefix += /^[^*?[\\]*/.exec(text)?.[0] ?? "";
  draft.isGlob = true;
  draft.value += text;
  draft.pattern += text;
}

const GLOB_CHAR = /[*?[\]\\{}]/;

const escapeGlobChars = (text: string): string => (GLOB_CHAR.test(text) ? text.replace(/[*?[\]\\{}]/g, "\\$&") : text);
