/** Which variables have values that are known without running the command. */
import { type Assignment, type Command, forEachChild, type Script, type SyntaxNode, type Word } from "unbash";
import { isNumberWord } from "./evaluated-numbers.js";
import { expandArgument, type Lookup, type VariableValue } from "./expanded-word.js";
import { MAX_COMBINATIONS, MAX_DEPTH } from "./limits.js";

/** Programs of the shell that set the variables whose names they get. */
const SETTERS = new Set(["read", "mapfile", "readarray", "getopts", "unset", "let", "printf", "wait"]);
/** Builtins whose arguments are assignments that stay in the shell. */
export const DECLARERS: ReadonlySet<string> = new Set(["export", "declare", "typeset", "local", "readonly"]);
/** Programs after which any variable may have any value. */
const CHANGE_ALL = new Set(["eval", "source", ".", "trap"]);
const MAKES_ARRAY = new Set(["mapfile", "readarray"]);
const ARRAY_OPTION = /^-\w*[aA]/;
/** Programs that run the builtin which they name. */
const RUNS_BUILTIN = new Set(["builtin", "command"]);

/** Variables that the shell sets by itself, to what its input or a directory is named. */
const SET_BY_SHELL = /^(_|REPLY|MAPFILE|OPTARG|PWD|OLDPWD|DIRSTACK|COPROC|FUNCNAME|READLINE_\w*|COMP\w*|BASH_\w*)$/;
/** Variables that are numbers unless the script changes them. */
const NUMBERS = /^(RANDOM|SRANDOM|SECONDS|LINENO|EPOCHSECONDS|UID|EUID|PPID|BASHPID)$/;

const NOTHING_KNOWN: Lookup = {
  variable: () => undefined,
  home: undefined,
  substitution: () => undefined,
  printedPaths: () => undefined,
  isPlainSubstitution: () => false,
};

/**
 * The assignments of one script. A variable counts as known if every assignment to it in the whole script is understood; where a
 * script assigns it several times, it may have any of these values.
 */
export class VariableTable {
  readonly #assigned = new Map<string, Word[]>();
  readonly #unknown = new Set<string>();
  readonly #current = new Map<string, readonly VariableValue[]>();
  readonly #reassigned = new Set<string>();
  readonly #functions = new Set<string>();
  readonly #arrays = new Set<string>();
  /** Every text that a variable may get; undefined if one is not a word of the script. */
  readonly #texts = new Map<string, Word[] | undefined>();
  #isAllUnknown = false;
  #hasSeveral = false;
  #unsets = false;

  constructor(script: Script) {
    this.#collect(script);
  }

  /** A command whose name was an expansion turned out to be `name`. */
  ran(name: string | undefined): void {
    if (
      name === undefined ||
      CHANGE_ALL.has(name) ||
      RUNS_BUILTIN.has(name) ||
      SETTERS.has(name) ||
      DECLARERS.has(name)
    )
      this.#isAllUnknown = true;
  }

  /** Whether the script assigns the variable anywhere. */
  mentions(name: string): boolean {
    return this.#isAllUnknown || this.#unknown.has(name) || this.#assigned.has(name);
  }

  /** Whether the script makes an array of the variable anywhere. */
  isArray(name: string): boolean {
    return this.#arrays.has(name);
  }

  /** Whether the script defines a function of this name anywhere. */
  definesFunction(name: string): boolean {
    return this.#isAllUnknown || this.#functions.has(name);
  }

  /** A function that is defined stays so. */
  get keepsFunctions(): boolean {
    return !this.#isAllUnknown && !this.#unsets;
  }

  /** The possible values of a variable that is certainly assigned at this place. */
  values(name: string): readonly VariableValue[] | undefined {
    if (this.#isAllUnknown || this.#unknown.has(name)) return undefined;
    return this.#current.get(name);
  }

  /** Whether a variable that was assigned so far has several possible values. */
  get hasSeveral(): boolean {
    return this.#hasSeveral;
  }

  /** Whether nothing in the script gives the variable, once it is assigned, another value than a number. */
  isNumber(name: string): boolean {
    if (this.#isAllUnknown || SET_BY_SHELL.test(name)) return false;
    if (this.#texts.has(name)) return this.#texts.get(name)?.every((word) => isNumberWord(word, this)) === true;
    return this.#unknown.has(name);
  }

  /** Whether the variable is a number although the script does not assign it. */
  isNumberOfShell(name: string): boolean {
    return NUMBERS.test(name) && !this.mentions(name);
  }

  /** The walk passes an assignment. Its value counts if it is the only one of this variable. */
  assign(name: string, values: readonly VariableValue[] | undefined): void {
    if (this.#unknown.has(name)) return;
    if (this.#reassigned.has(name) && this.#current.has(name)) return;
    const known = this.#reassigned.has(name) ? literalValues(this.#assigned.get(name) ?? []) : values;
    if (known === undefined || known.length > MAX_COMBINATIONS) this.#unknown.add(name);
    else {
      this.#current.set(name, known);
      this.#hasSeveral ||= known.length > 1;
    }
  }

  /** Scripts around the node that is collected. */
  #depth = 0;

  readonly #collect = (node: SyntaxNode): void => {
    if (this.#depth > MAX_DEPTH) {
      this.#isAllUnknown = true;
      return;
    }
    if (node.type === "Assignment") this.#assignment(node);
    else if (node.type === "For" || node.type === "Select") this.#loop(node.name.value, node.wordlist);
    else if (node.type === "Command") this.#command(node);
    else if (node.type === "Function") this.#functions.add(node.name.value);
    const name = assignedName(node);
    if (name !== undefined) {
      this.#unknown.add(name);
      if (node.type === "ParameterExpansion") this.#texts.set(name, undefined);
    }
    if (node.type === "Script") this.#depth++;
    forEachChild(node, this.#collect);
    if (node.type === "Script") this.#depth--;
  };

  #assignment(node: Assignment): void {
    const { name, value } = node;
    if (node.index !== undefined || value.type !== "Word") this.#arrays.add(name);
    this.#gets(name, node.index !== undefined ? undefined : value.type === "Word" ? [value] : value.elements);
    if (node.append === true || node.index !== undefined || value.type !== "Word") this.#unknown.add(name);
    else this.#add(name, [value]);
  }

  #loop(name: string, words: readonly Word[] | undefined): void {
    this.#gets(name, words);
    if (words === undefined) this.#unknown.add(name);
    else this.#add(name, words);
  }

  #gets(name: string, words: readonly Word[] | undefined): void {
    const known = this.#texts.has(name) ? this.#texts.get(name) : [];
    this.#texts.set(name, known === undefined || words === undefined ? undefined : [...known, ...words]);
  }

  #add(name: string, words: readonly Word[]): void {
    const known = this.#assigned.get(name);
    if (known === undefined) this.#assigned.set(name, [...words]);
    else {
      this.#reassigned.add(name);
      for (const word of words) known.push(word);
    }
  }

  #command(node: Command): void {
    if (node.name === undefined) return;
    const name = node.name.value;
    const words = node.args.filter((one) => one.type === "Word");
    if (CHANGE_ALL.has(name) || (RUNS_BUILTIN.has(name) && mayRunBuiltin(words))) this.#isAllUnknown = true;
    if (name === "unset") this.#unsets = true;
    const isArray = MAKES_ARRAY.has(name) || words.some(({ value }) => ARRAY_OPTION.test(value));
    if (isArray) for (const { value } of words) this.#arrays.add(/^\w*/.exec(value)?.[0] ?? "");
    if (!SETTERS.has(name) && !DECLARERS.has(name)) return;
    if (name === "printf" && words[0]?.value.startsWith("-v") !== true) return;
    for (const word of words) {
      // A name that is not known, or a reference to another variable.
      if (hasExpansion(word) || (DECLARERS.has(name) && /^-[A-Za-z]*n/.test(word.value))) this.#isAllUnknown = true;
      else {
        const set = /^(?:-v)?(\w*)/.exec(word.value)?.[1] ?? "";
        this.#unknown.add(set);
        if (SETTERS.has(name) && name !== "let" && name !== "unset") this.#texts.set(set, undefined);
      }
    }
  }
}

/** The variable that an expansion or an arithmetic expression assigns: `${x:=1}`, `x = 1`, `x++`. */
export function assignedName(node: SyntaxNode): string | undefined {
  if (node.type === "ParameterExpansion") {
    return node.operation?.type === "Default" && node.operation.operator.includes("=") ? node.parameter : undefined;
  }
  if (node.type === "ArithmeticBinary") {
    return /^[^=!<>]*=$|^<<=$|^>>=$/.test(node.operator) ? nameIn(node.left) : undefined;
  }
  return node.type === "ArithmeticUnary" && /^(\+\+|--)$/.test(node.operator) ? nameIn(node.operand) : undefined;
}

function nameIn(node: SyntaxNode): string | undefined {
  if (node.type === "ArithmeticGroup") return nameIn(node.expression);
  return node.type === "ArithmeticWord" ? /^\w*/.exec(node.value)?.[0] : undefined;
}

/** `command -v name` runs nothing; `command ls` does not run a builtin that changes variables. */
function mayRunBuiltin(words: readonly Word[]): boolean {
  const first = words.find(({ value }) => value !== "-p" && value !== "--");
  if (first === undefined || /^-[vV]/.test(first.value)) return false;
  const name = first.value;
  const isBuiltin = CHANGE_ALL.has(name) || SETTERS.has(name) || DECLARERS.has(name) || RUNS_BUILTIN.has(name);
  return isBuiltin || hasExpansion(first);
}

/** Whether the word contains something that the shell replaces. */
export function hasExpansion(word: Word): boolean {
  return (word.parts ?? []).some(
    (part) =>
      /Expansion|Substitution|Glob/.test(part.type) ||
      ((part.type === "DoubleQuoted" || part.type === "LocaleString") &&
        part.parts.some(({ type }) => type !== "Literal")),
  );
}

function literalValues(words: readonly Word[]): readonly VariableValue[] | undefined {
  const values: VariableValue[] = [];
  for (const word of words) {
    const [expanded] = expandArgument(word, NOTHING_KNOWN, true);
    if (expanded === undefined) values.push({ value: "", isGlob: false });
    else if (expanded.isUnresolved || expanded.isGlob || /[*?[]/.test(word.text)) return undefined;
    else values.push({ value: expanded.value, isGlob: false });
  }
  return values;
}
