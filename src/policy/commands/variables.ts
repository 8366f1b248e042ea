/** Which variables have values that are known without running the command. */
import { type Assignment, type Command, forEachChild, type Script, type SyntaxNode, type Word } from "unbash";
import { expandWord, type Lookup, type VariableValue } from "./expanded-word.js";

/** Programs of the shell that set the variables whose names they get. */
const SETTERS = new Set(["read", "mapfile", "readarray", "getopts", "unset", "let", "printf", "wait"]);
const DECLARERS = new Set(["export", "declare", "typeset", "local", "readonly"]);
/** Programs after which any variable may have any value. */
const CHANGE_ALL = new Set(["eval", "source", ".", "builtin", "command"]);

const NOTHING_KNOWN: Lookup = { variable: () => undefined, home: undefined, substitution: () => undefined };

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
  #isAllUnknown = false;

  constructor(script: Script) {
    this.#collect(script);
  }

  /** Whether the script assigns the variable anywhere. */
  mentions(name: string): boolean {
    return this.#isAllUnknown || this.#unknown.has(name) || this.#assigned.has(name);
  }

  /** Whether the script defines a function of this name anywhere. */
  definesFunction(name: string): boolean {
    return this.#isAllUnknown || this.#functions.has(name);
  }

  /** The possible values of a variable that is certainly assigned at this place. */
  values(name: string): readonly VariableValue[] | undefined {
    if (this.#isAllUnknown || this.#unknown.has(name)) return undefined;
    return this.#current.get(name);
  }

  /** What the only assignment of `name` gives it, seen when the walk passes it. */
  assign(name: string, values: readonly VariableValue[] | undefined): void {
    const words = this.#assigned.get(name) ?? [];
    const known = this.#reassigned.has(name) ? literalValues(words) : values;
    if (known === undefined) this.#unknown.add(name);
    else this.#current.set(name, known);
  }

  #collect(node: SyntaxNode): void {
    if (node.type === "Assignment") this.#assignment(node);
    else if (node.type === "For" || node.type === "Select") this.#loop(node.name.value, node.wordlist);
    else if (node.type === "Command") this.#command(node);
    else if (node.type === "Function") this.#functions.add(node.name.value);
    else if (node.type === "ParameterExpansion" && node.operation?.type === "Default") {
      if (node.operation.operator.includes("=")) this.#unknown.add(node.parameter);
    } else if (node.type === "ArithmeticBinary" && /^[^=!<>]*=$|^<<=$|^>>=$/.test(node.operator)) {
      this.#arithmetic(node.left);
    } else if (node.type === "ArithmeticUnary" && /^(\+\+|--)$/.test(node.operator)) {
      this.#arithmetic(node.operand);
    }
    forEachChild(node, (child) => this.#collect(child));
  }

  #assignment(node: Assignment): void {
    const { name, value } = node;
    if (node.append === true || node.index !== undefined || value.type !== "Word") this.#unknown.add(name);
    else this.#add(name, [value]);
  }

  #loop(name: string, words: readonly Word[] | undefined): void {
    if (words === undefined) this.#unknown.add(name);
    else this.#add(name, words);
  }

  #add(name: string, words: readonly Word[]): void {
    const known = this.#assigned.get(name);
    if (known !== undefined) this.#reassigned.add(name);
    this.#assigned.set(name, [...(known ?? []), ...words]);
  }

  #command(node: Command): void {
    if (node.name === undefined) return;
    const name = node.name.value;
    const words = node.args.filter((one) => one.type === "Word");
    if (CHANGE_ALL.has(name) || hasExpansion(node.name)) this.#isAllUnknown = true;
    if (!SETTERS.has(name) && !DECLARERS.has(name)) return;
    if (name === "printf" && words[0]?.value.startsWith("-v") !== true) return;
    for (const word of words) {
      // A name that is not known, or a reference to another variable.
      if (hasExpansion(word) || (DECLARERS.has(name) && /^-[A-Za-z]*n/.test(word.value))) this.#isAllUnknown = true;
      else this.#unknown.add(/^(?:-v)?(\w*)/.exec(word.value)?.[1] ?? "");
    }
  }

  #arithmetic(node: SyntaxNode): void {
    if (node.type === "ArithmeticWord") this.#unknown.add(/^\w*/.exec(node.value)?.[0] ?? "");
    else if (node.type === "ArithmeticGroup") this.#arithmetic(node.expression);
  }
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
    const [expanded] = expandWord(word, NOTHING_KNOWN, true);
    if (expanded === undefined) values.push({ value: "", isGlob: false });
    else if (expanded.isUnresolved || expanded.isGlob || /[*?[]/.test(word.text)) return undefined;
    else values.push({ value: expanded.value, isGlob: false });
  }
  return values;
}
