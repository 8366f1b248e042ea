/** What the analysis of a shell command returns: plain data, without functions. */
import type { Risk } from "../../kernel/index.js";

/** A path that a segment touches. */
export interface CommandFile {
  /** Absolute and normalized if `resolved`; otherwise the word as it is written. */
  readonly path: string;
  readonly access: "read" | "write" | "delete";
  readonly scope: "self" | "tree";
  /** False if the path depends on something that is known only when the command runs. */
  readonly resolved: boolean;
  /** `path` is a glob; a backslash makes the next character literal. */
  readonly glob?: true;
  /**
   * Directories that a `..` of the path leaves, after a name or a `cd`. Where one of them is a symlink, the path is another than
   * `path`, which removes a name for each `..`.
   */
  readonly through?: readonly string[];
  /** For "read": what of it is read, and of a tree also which files. Absent: the contents of all. */
  readonly extent?: ReadExtent;
  /** Globs of the names of the files that are read in a tree. Absent: all. */
  readonly only?: readonly string[];
  /** Symlinks in the tree are followed. */
  readonly follows?: true;
}

/**
 * "names": no contents. "unignored": what ignore files do not name. "visible": of these what is not hidden.
 */
export type ReadExtent = "names" | "unignored" | "visible";

/**
 * One word that a program is started with. `glob`: the paths that it matches, all of which begin as it does. `operand`: neither a
 * sub-command nor an option nor, as far as the table knows, an option's value.
 */
export interface CommandWord {
  readonly value: string;
  readonly glob?: true;
  readonly operand?: true;
}

/** One program that the command starts, or one redirection of a group of commands. */
export interface CommandSegment {
  /** As written; for a program inside a wrapper, the words that it is started with. */
  readonly text: string;
  /** Name without quotes and system directory: `ls` for `"/bin/ls"`. Empty for assignments and redirections alone. */
  readonly program: string;
  /** Without quotes; a word that is not known before the run is as written. */
  readonly args: readonly string[];
  /** The program and its arguments, if every one of them is known before the run and none may become an option by what it matches. */
  readonly argv?: readonly CommandWord[];
  /** The directories of which one is that of the program. Absent: not known, or of another machine. */
  readonly directories?: readonly string[];
  /** Its stdin is given by the command: a pipe, a file or a text. */
  readonly hasInput?: true;
  /** What starts the program, outermost first: `["sudo", "sh -c"]`. */
  readonly wrappers: readonly string[];
  readonly risk: Risk;
  /** Why the risk is what it is, as a clause: "deletes files". */
  readonly reason: string;
  readonly network: boolean;
  /** Hosts that the arguments name, and `*` for one that they do not name. Empty without `network`. */
  readonly hosts: readonly string[];
  /** Runs code that is in the workspace, or that the workspace configures: scripts, tests, builds. */
  readonly runsWorkspaceCode: boolean;
  readonly files: readonly CommandFile[];
  /** The entry of the program tables that decided: `git commit`. Absent for a program that is in none. */
  readonly rule?: string;
}

export const COMMAND_PROBLEMS = [
  "too-long", // the text, or what it expands to, is over a limit and was not analyzed wholly
  "syntax", // the shell would not accept it, or the parser does not
  "shells-differ", // dash and bash read it differently
  "dynamic-command", // what runs is known only when it runs
  "unresolved", // a word that is known only when the command runs, where it can change what is touched
  "split-names", // names that contain whitespace would be taken for several paths: `find . | xargs cat`
  "environment", // a variable that changes what programs do
  "destroys-root", // deletes or changes the workspace, a directory above it, the home directory or `/` as a whole
] as const;

/** Something that needs a user, or a refusal, whatever the rules say about single segments. */
export interface CommandProblem {
  readonly kind: (typeof COMMAND_PROBLEMS)[number];
  /** A clause: "`$X` is not known before the command runs". */
  readonly detail: string;
  /** The segment, as written. */
  readonly text: string;
  /** For "destroys-root": what would be deleted. For "split-names": the trees with the names, if they are known. */
  readonly paths?: readonly string[];
  /** For "split-names": files that ignore files name are not among them. */
  readonly isUnignored?: true;
}

export interface CommandJudgement {
  readonly segments: readonly CommandSegment[];
  /** The highest risk of all segments and problems. */
  readonly risk: Risk;
  readonly problems: readonly CommandProblem[];
}

export interface AnalyzeOptions {
  /** The directory in which the command starts: absolute, normalized. */
  readonly cwd: string;
  /** What `~` and `$HOME` mean. Without it they are unresolved. */
  readonly home?: string;
  /** The directories that belong to the workspace. Default: `cwd` alone. */
  readonly roots?: readonly string[];
}

const ORDER: Readonly<Record<Risk, number>> = { low: 0, medium: 1, high: 2 };

/** The higher of two risks. */
export function maxRisk(one: Risk, other: Risk): Risk {
  return ORDER[one] >= ORDER[other] ? one : other;
}
