/** The language of the program tables: what a program does, by its subcommands, options and operands. */
import type { Risk } from "../../kernel/index.js";
import type { ExpandedWord } from "./expanded-word.js";
import type { ReadExtent } from "./judgement.js";
import type { ProgramInput, SegmentFacts } from "./segment-facts.js";
import type { ShellState } from "./shell-state.js";

/**
 * What a value means, an operand's or an option's:
 *
 * - `text`: names nothing. `maybe`: a file if it looks like a path (`./a`, `/a`, `../a`).
 * - `read`, `write`, `delete`, `change` (read and write): a path. `into`: a destination, which may be a directory.
 * - `cwd`: the directory that the program works in. `shell`: a text that a shell runs. `code`: a text that is code.
 * - `script`: a file with code that runs. `url`, `host`: what is connected to.
 */
export type Meaning =
  | "text"
  | "maybe"
  | "read"
  | "write"
  | "delete"
  | "change"
  | "into"
  | "cwd"
  | "shell"
  | "code"
  | "script"
  | "url"
  | "host";

/**
 * One program or subcommand. The strings are lists of words:
 *
 * - `does`: a risk (`low` by default), then facts: `network`, `workspace` (runs code of the workspace), `tree` (paths are trees),
 *   `destructive` (a tree that it changes counts as lost), `names` (of what it reads it shows no contents), `visible` (it passes over
 *   hidden and ignored files), `follows` (symlinks in a tree).
 * - values of `options`: the meaning of each value that the option takes, then `glued` if the value is only ever part of the same word,
 *   then a risk and facts as in `does`, then changes: `no-first` (the first operand is given by this option), `no-last`, `operands=MEANING`,
 *   `ends` (no options after it). An option with none of these needs no entry: unknown options are flags.
 * - `operands`: the meaning of each operand; the one with `*` repeats. Default `read*`.
 */
export interface ProgramSpec {
  readonly does?: string;
  /** Why, as a clause. */
  readonly why?: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly operands?: string;
  /** Without operands the program reads the current directory. */
  readonly here?: "self" | "tree";
  /** Subcommands by name; several names of one are separated by spaces. */
  readonly commands?: Readonly<Record<string, ProgramSpec>>;
  /** The subcommands that the table does not list, and none at all. Default: medium. */
  readonly otherwise?: ProgramSpec;
  /** Options end at the first operand. Always so with `commands`. */
  readonly stopsAtOperand?: true;
  /** The table lists every option that is harmless: others are asked about. */
  readonly closed?: true;
  /** Options of several letters have one hyphen: `-name`. */
  readonly singleHyphen?: true;
  /** As the only argument, these make the program print about itself: `--version --help`. */
  readonly info?: string;
  /** What the table cannot say. Runs after options and operands were judged. */
  readonly judge?: (call: ProgramCall) => void;
  /** `judge` finds nothing that a word that is not known yet could add. */
  readonly isSafe?: true;
}

export type ProgramTable = Readonly<Record<string, ProgramSpec>>;

export interface OptionEffect {
  readonly values: readonly Meaning[];
  readonly isGlued: boolean;
  readonly risk: Risk;
  readonly network: boolean;
  readonly workspace: boolean;
  readonly tree: boolean;
  readonly destructive: boolean;
  readonly noFirst: boolean;
  readonly noLast: boolean;
  readonly ends: boolean;
  readonly extent: ReadExtent | undefined;
  readonly follows: boolean;
  readonly operands: Meaning | undefined;
}

export interface CompiledSpec {
  readonly spec: ProgramSpec;
  readonly info: ReadonlySet<string>;
  readonly does: OptionEffect;
  readonly options: ReadonlyMap<string, OptionEffect>;
  readonly operands: readonly { readonly meaning: Meaning; readonly repeats: boolean }[];
  readonly commands: ReadonlyMap<string, ProgramSpec>;
  /** An option that a word turns out to be could do more than change the output. */
  readonly hasDangerousOption: boolean;
  /** No word can make the program touch anything. */
  readonly isInert: boolean;
}

export interface GivenOption {
  /** As the table names it, or as given if it is in no table: `-o`, `--output`. */
  readonly name: string;
  readonly effect: OptionEffect | undefined;
  readonly values: readonly ExpandedWord[];
  /** The value that an unknown option has in the same word: `--x=value`. */
  readonly attached?: ExpandedWord;
}

export interface ParsedArguments {
  readonly options: readonly GivenOption[];
  readonly operands: readonly ExpandedWord[];
  /** Unknown words that may turn out to be options. */
  readonly uncertain: readonly ExpandedWord[];
  /** Operands that are not the value of an option which the table does not know. */
  readonly certain: readonly ExpandedWord[];
  /** How many words came before the first operand. */
  readonly operandStart: number;
}

/** What a table entry's own judge gets: the call, and the ways to judge what is inside it. */
export interface ProgramCall {
  /** The words after the name, or after the subcommand that the table found. */
  readonly args: readonly ExpandedWord[];
  readonly parsed: ParsedArguments;
  readonly facts: SegmentFacts;
  readonly state: ShellState;
  readonly input: ProgramInput | undefined;
  /** Judges a program that this one starts with these words. */
  run(words: readonly ExpandedWord[], options?: { readonly remote?: true; readonly state?: ShellState }): void;
  /** Judges a text that a shell of its own runs, or this shell. An unknown text is a problem. */
  shell(
    text: ExpandedWord,
    options?: { readonly remote?: true; readonly isSameShell?: true; readonly state?: ShellState },
  ): void;
}
