/** What the shell knows at one place of a script: its directory and its variables. */
import type { Script, Word } from "unbash";
import { normalizePath, resolvePath } from "../../text/index.js";
import { type ExpandedWord, expandArgument, type Lookup, type VariableValue } from "./expanded-word.js";
import type { AnalyzeOptions } from "./judgement.js";
import { VariableTable } from "./variables.js";

/** Directories of which each may be the current one. More than this are unknown. */
const MAX_DIRECTORIES = 4;
/** Longest directory that is followed. */
const MAX_PATH = 1024;
/** Most variables, and most functions, of a script that are followed. */
const MAX_VARIABLES = 256;

/** Programs that print one number, name, date or commit. */
const PLAIN_SUBSTITUTION =
  /^\$\(\s*(git(?= (merge-base|rev-parse|branch)\b)|date|nproc|uname|whoami|id(?= -)|hostname)(?: (?:[\w./~^@%:]|\+|-(?=[a-z])|(?<=[\w.])-|--(?:short|abbrev-ref|show-current|verify))+)*\s*\)$/;

const NONE: ReadonlySet<string> = new Set();

export class ShellState implements Lookup {
  /** The directories of which one is the current one; undefined if it may be any. */
  directories: readonly string[] | undefined;
  /** Variables that are certainly assigned at this place. Shared by copies, and replaced instead of changed. */
  #assigned: ReadonlySet<string>;
  /** Functions that are certainly defined at this place; likewise. */
  #functions: ReadonlySet<string>;
  /** What substitutions print, by their text. Shared by copies: each is judged right before its command. */
  readonly #printed: Map<string, readonly ExpandedWord[] | undefined>;
  /** The values for which a command is judged that uses variables with several. */
  choice: ReadonlyMap<string, VariableValue> | undefined;

  private constructor(
    readonly options: AnalyzeOptions,
    readonly variables: VariableTable,
    directories: readonly string[] | undefined,
    assigned: ReadonlySet<string> = NONE,
    functions: ReadonlySet<string> = NONE,
    printed = new Map<string, readonly ExpandedWord[] | undefined>(),
  ) {
    this.#printed = printed;
    this.directories = directories;
    this.#assigned = assigned;
    this.#functions = functions;
  }

  static start(script: Script, options: AnalyzeOptions, directories?: readonly string[]): ShellState {
    return new ShellState(options, new VariableTable(script), directories ?? [normalizePath(options.cwd)]);
  }

  /** A copy, for a subshell or a branch: what it changes does not count after it. */
  copy(): ShellState {
    const copy = new ShellState(
      this.options,
      this.variables,
      this.directories,
      this.#assigned,
      this.#functions,
      this.#printed,
    );
    copy.choice = this.choice;
    return copy;
  }

  /** The state of a script that runs in a shell of its own: variables of this one are unknown there. */
  fresh(script: Script, directories: readonly string[] | undefined): ShellState {
    return new ShellState(this.options, new VariableTable(script), directories);
  }

  /** The state of a script that runs in this shell. */
  continued(script: Script): ShellState {
    return new ShellState(this.options, new VariableTable(script), this.directories);
  }

  get roots(): readonly string[] {
    return this.options.roots ?? [this.options.cwd];
  }

  get home(): string | undefined {
    return this.variables.mentions("HOME") ? undefined : this.options.home;
  }

  assign(name: string, values: readonly VariableValue[] | undefined): void {
    this.variables.assign(name, values);
    // Beyond that a variable is unknown.
    if (this.#assigned.size >= MAX_VARIABLES || this.#assigned.has(name)) return;
    this.#assigned = new Set(this.#assigned).add(name);
  }

  define(name: string): void {
    if (this.#functions.size < MAX_VARIABLES && !this.#functions.has(name))
      this.#functions = new Set(this.#functions).add(name);
  }

  hasFunction(name: string): boolean {
    return this.#functions.has(name) && this.variables.keepsFunctions;
  }

  /** The variable of a loop, which is each of the words in turn. */
  assignEach(name: string, words: readonly Word[] | undefined): void {
    const expanded = words?.flatMap((word) => expandArgument(word, this));
    const isKnown = expanded?.every(({ isUnresolved }) => !isUnresolved) === true;
    this.assign(
      name,
      isKnown
        ? expanded?.map((word) => ({
            value: word.isGlob ? word.pattern : word.value,
            isGlob: word.isGlob,
            ...(word.isSplit === true ? { printed: word } : {}),
          }))
        : undefined,
    );
  }

  /** Whether the variable is certainly a number, or empty, at this place. */
  isNumber(name: string): boolean {
    return this.variables.isNumberOfShell(name) || (this.#assigned.has(name) && this.variables.isNumber(name));
  }

  definesFunction(name: string): boolean {
    return this.variables.definesFunction(name);
  }

  /** Everything that `other` knows. */
  take(other: ShellState): void {
    this.directories = other.directories;
    this.#assigned = other.#assigned;
    this.#functions = other.#functions;
  }

  /** What may be the value of `name` here; undefined if it may be anything. */
  valuesOf(name: string): readonly VariableValue[] | undefined {
    if (name === "HOME" && this.home !== undefined) return [{ value: this.home, isGlob: false }];
    if (name === "PWD" && !this.variables.mentions(name)) {
      return this.directories?.map((value) => ({ value, isGlob: false }));
    }
    return this.#assigned.has(name) ? this.variables.values(name) : undefined;
  }

  /** Whether a variable may have several known values here. */
  get hasChoices(): boolean {
    return this.variables.hasSeveral || (this.directories !== undefined && this.directories.length > 1);
  }

  variable(name: string): VariableValue | undefined {
    const chosen = this.choice?.get(name);
    if (chosen !== undefined) return chosen;
    const values = this.valuesOf(name);
    return values?.length === 1 ? values[0] : undefined;
  }

  substitution(text: string): string | undefined {
    if (!/^(\$\(\s*pwd\s*\)|`\s*pwd\s*`)$/.test(text) || this.variables.definesFunction("pwd")) return undefined;
    return this.directories?.length === 1 ? this.directories[0] : undefined;
  }

  printedPaths(text: string): readonly ExpandedWord[] | undefined {
    return this.#printed.get(innerText(text));
  }

  /** A substitution was judged. */
  prints(text: string, paths: readonly ExpandedWord[] | undefined): void {
    this.#printed.set(innerText(text), paths);
  }

  /** The current directory becomes `word`. A word that is not known makes it unknown. */
  enter(word: ExpandedWord): void {
    if (word.isUnresolved || word.isGlob) this.directories = undefined;
    else if (word.value.startsWith("/")) this.directories = [normalizePath(word.value)];
    else {
      const entered = this.directories?.map((directory) => resolvePath(directory, word.value));
      this.directories = entered?.some(({ length }) => length > MAX_PATH) === true ? undefined : entered;
    }
  }

  isPlainSubstitution(text: string): boolean {
    const program = PLAIN_SUBSTITUTION.exec(text)?.[1];
    return program !== undefined && !this.variables.definesFunction(program);
  }

  /** Either this state or `other` holds from here. */
  mergeDirectories(other: readonly string[] | undefined): void {
    const { directories } = this;
    if (directories === other) return;
    const all = directories === undefined || other === undefined ? undefined : [...new Set([...directories, ...other])];
    this.directories = all === undefined || all.length > MAX_DIRECTORIES ? undefined : all;
  }
}

/** The script in `$(…)` or backticks. */
const innerText = (text: string): string => text.replace(/^\$\(|\)$|^`|`$/g, "").trim();
