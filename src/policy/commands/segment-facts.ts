/** Collects what one segment touches while it is judged. */
import type { Risk } from "../../kernel/index.js";
import { resolvePath } from "../../text/index.js";
import { leftDirectories, mayClimb } from "./climbing-path.js";
import { destroyedRoots } from "./destroyed-roots.js";
import { type ExpandedWord, shownWord } from "./expanded-word.js";
import {
  type CommandFile,
  type CommandProblem,
  type CommandSegment,
  type CommandWord,
  maxRisk,
  type ReadExtent,
} from "./judgement.js";
import type { ShellState } from "./shell-state.js";

/** Where the text of stdin comes from. */
export type ProgramInput =
  /** A here-document or here-string, if its text is known. */
  | { readonly kind: "text"; readonly text: string | undefined }
  /** The output of other segments of the same pipeline. */
  | { readonly kind: "pipe"; readonly producers: () => readonly SegmentFacts[] }
  | { readonly kind: "file" };

/** "change" is read and write. */
export type PathAccess = CommandFile["access"] | "change";

const PROBLEM_RISK: Readonly<Record<CommandProblem["kind"], Risk>> = {
  "too-long": "high",
  syntax: "high",
  "shells-differ": "high",
  "dynamic-command": "high",
  unresolved: "medium",
  "split-names": "low",
  environment: "high",
  "destroys-root": "high",
};

/** Stands for every host, where the arguments do not name one. */
const UNKNOWN_HOST = "*";

/** The directory that an absolute path is seen from. */
const ABSOLUTE = ["/"];
const NO_DIRECTORIES: readonly string[] = [];

/** Files of bash that are connections. */
const SOCKET = /^\/dev\/(tcp|udp)\//;

/** Devices that keep nothing, and descriptors of the program itself. */
const HARMLESS_FILE = /^\/dev\/(null|zero|full|random|urandom|tty|std(in|out|err)|fd\/\d+)$/;

export const isHarmlessFile = (path: string): boolean => HARMLESS_FILE.test(path);

/** What a program that takes whole trees reads below the names that were found is not known by these names. */
function within({ within: found }: ExpandedWord, scope: CommandFile["scope"]): ExpandedWord["within"] {
  if (scope !== "tree" || found?.only === undefined) return found;
  const { only: _, ...rest } = found;
  return rest;
}

export class SegmentFacts {
  #risk: Risk = "low";
  #reason = "only reads";
  network = false;
  runsWorkspaceCode = false;
  rule: string | undefined;
  /** The program is known before the command runs. */
  isNameKnown = true;
  /** Where stdin comes from; undefined if it is that of the whole command. */
  input: ProgramInput | undefined;
  /** Of all that is read: see `CommandFile`. */
  extent: ReadExtent | undefined;
  only: readonly string[] | undefined;
  follows = false;
  /** Of the arguments: see `CommandWord`. */
  operands: readonly ExpandedWord[] = [];
  readonly problems: CommandProblem[] = [];
  readonly #hosts: string[] = [];
  readonly #files: CommandFile[] = [];

  constructor(
    readonly text: string,
    readonly program: string,
    readonly args: readonly ExpandedWord[],
    readonly wrappers: readonly string[],
    public state: ShellState,
  ) {}

  /** Raises the risk; the reason for the highest one stays. */
  raise(risk: Risk, reason: string): void {
    if (maxRisk(risk, this.#risk) === this.#risk) return;
    this.#risk = risk;
    this.#reason = reason;
  }

  problem(kind: CommandProblem["kind"], detail: string, paths?: readonly string[]): void {
    this.raise(PROBLEM_RISK[kind], detail);
    const last = this.problems[this.problems.length - 1];
    if (last?.kind === kind && last.detail === detail) return;
    this.problems.push({ kind, detail, text: this.text, ...(paths === undefined ? {} : { paths }) });
  }

  /** The names of found files are taken apart at whitespace and, by the shell, expanded if they look like globs. */
  splits(words: readonly ExpandedWord[], hint = ""): void {
    const detail = `names with whitespace are taken for several arguments${hint}`;
    const isTree = ({ value }: ExpandedWord) => value.startsWith("/") && value.endsWith("/**");
    const paths = words.every(isTree) ? words.map(({ value }) => value.slice(0, -3) || "/") : undefined;
    const isUnignored = words.every(({ within }) => within?.extent !== undefined);
    this.raise(PROBLEM_RISK["split-names"], detail);
    this.problems.push({
      kind: "split-names",
      detail,
      text: this.text,
      ...(paths === undefined ? {} : { paths }),
      ...(isUnignored ? { isUnignored } : {}),
    });
  }

  unresolved(word: ExpandedWord): void {
    this.problem("unresolved", `\`${word.text}\` is not known before the command runs`);
  }

  /** The segment connects to `host`, or to one that is not known. */
  connects(host: string | undefined): void {
    this.network = true;
    const name = host === undefined || host === "" ? UNKNOWN_HOST : host.toLowerCase();
    if (!this.#hosts.includes(name)) this.#hosts.push(name);
  }

  /** A path that the segment touches. `-` stands for stdin or stdout. */
  file(word: ExpandedWord, access: PathAccess, scope: CommandFile["scope"] = "self", isDestructive = false): void {
    const { value, isUnresolved } = word;
    if (!isUnresolved && (value === "-" || value === "" || isHarmlessFile(value))) return;
    if (SOCKET.test(value)) {
      this.#socket(value);
      return;
    }
    if (value.includes("\0")) {
      this.problem("syntax", "the path contains NUL");
      return;
    }
    if (word.isSplit === true) this.splits([word]);
    const isTreeLost = scope === "tree" && (access === "delete" || isDestructive);
    if (isTreeLost) this.#guardRoots(word);
    if (access !== "change") this.#addPaths(word, access, scope);
    else {
      this.#addPaths(word, "read", scope);
      this.#addPaths(word, "write", scope);
    }
  }

  #addPaths(word: ExpandedWord, access: CommandFile["access"], scope: CommandFile["scope"]): void {
    const { value, prefix, pattern, isGlob, isUnresolved } = word;
    const isClimbing = isGlob && mayClimb(value.slice(prefix.lastIndexOf("/") + 1));
    const { directories } = this.state;
    const isAbsolute = value.startsWith("/") && prefix !== "";
    const isLost = !isAbsolute && directories === undefined;
    if (isUnresolved || isClimbing || isLost) {
      if (isLost && !isUnresolved)
        this.problem("unresolved", `the directory of \`${word.text}\` is not known before the command runs`);
      else this.unresolved(word);
      this.#add({ path: word.text, access, scope, resolved: false });
      return;
    }
    const path = isGlob ? pattern : value;
    for (const directory of isAbsolute ? ABSOLUTE : (directories ?? [])) {
      const resolved = resolvePath(directory, path);
      const left = path.includes("..") ? leftDirectories(directory, path, this.state.options.cwd) : NO_DIRECTORIES;
      // With a slash at the end a symlink is followed where it would be deleted itself.
      const through = access === "delete" && /\/\.?$/.test(path) && !isGlob ? [...left, resolved] : left;
      this.#add({
        path: resolved,
        access,
        scope,
        resolved: true,
        ...(isGlob ? { glob: true } : undefined),
        ...(access === "read" ? within(word, scope) : undefined),
        ...(through.length === 0 ? undefined : { through }),
      });
    }
    // Programs that expand `~` themselves mean the home directory.
    const { home } = this.state.options;
    if (value.startsWith("~/") && home !== undefined) {
      this.#add({ path: resolvePath("/", value, home), access, scope, resolved: true });
    }
  }

  #add(file: CommandFile): void {
    // Only neighbors are compared: a command with thousands of arguments repeats none on purpose.
    const last = this.#files[this.#files.length - 1];
    if (last?.path !== file.path || last.access !== file.access || last.scope !== file.scope) this.#files.push(file);
  }

  #socket(value: string): void {
    this.connects(value.split("/")[3]);
    this.raise("high", "opens a network connection of the shell");
  }

  #guardRoots(word: ExpandedWord): void {
    const { options, directories, roots } = this.state;
    const protectedPaths = [...roots, ...(options.home === undefined ? [] : [options.home])];
    const lost = destroyedRoots(word, directories ?? [options.cwd], protectedPaths);
    if (lost.length === 0) return;
    const condition = word.isUnresolved ? ` if \`${word.text}\` is empty there` : "";
    this.problem("destroys-root", `reaches ${lost.join(" and ")} as a whole${condition}`, lost);
  }

  /** Undefined if a word is known only when the command runs, or is a glob that may match a name which looks like an option. */
  #argv(): readonly CommandWord[] | undefined {
    const isKnown = ({ isUnresolved, isGlob, prefix }: ExpandedWord) =>
      !isUnresolved && (!isGlob || (prefix !== "" && !prefix.startsWith("-")));
    if (this.program === "" || !this.isNameKnown || !this.args.every(isKnown)) return undefined;
    const operands = new Set(this.operands);
    const words: CommandWord[] = [{ value: this.program }];
    for (const word of this.args) {
      const { value, isGlob } = word;
      const isOperand = operands.has(word);
      if (isGlob) words.push(isOperand ? { value, glob: true, operand: true } : { value, glob: true });
      else words.push(isOperand ? { value, operand: true } : { value });
    }
    return words;
  }

  /** What follows the text of the segment in a sentence. */
  #clause(): string {
    if (this.#risk === "low" && this.#files.some(({ access }) => access !== "read")) return "writes files";
    return this.#reason.startsWith("a") ? this.#reason.replace(/^(?=an? )/, "is ") : this.#reason;
  }

  segment(): CommandSegment {
    const { directories } = this.state;
    const argv = this.#argv();
    const segment: { -readonly [Key in keyof CommandSegment]: CommandSegment[Key] } = {
      text: this.text,
      program: this.program,
      args: this.args.map(shownWord),
      wrappers: this.wrappers,
      risk: this.#risk,
      reason: this.#clause(),
      network: this.network,
      hosts: this.network && this.#hosts.length === 0 ? [UNKNOWN_HOST] : this.#hosts,
      runsWorkspaceCode: this.runsWorkspaceCode,
      files: this.files,
    };
    // Assigned one by one: of a command with hundreds of programs, spreading them was a tenth of the time.
    if (argv !== undefined) segment.argv = argv;
    if (directories !== undefined) segment.directories = directories;
    if (this.input !== undefined) segment.hasInput = true;
    if (this.rule !== undefined) segment.rule = this.rule;
    return segment;
  }

  get files(): readonly CommandFile[] {
    const { extent, only, follows } = this;
    if (extent === undefined && only === undefined && !follows) return this.#files;
    const how = {
      ...(extent === undefined ? {} : { extent }),
      ...(only === undefined ? {} : { only }),
      ...(follows ? { follows: true as const } : {}),
    };
    // What is named one by one is read whatever the program passes over in a tree.
    const isMeant = ({ access, glob }: CommandFile) => access === "read" && (glob !== true || extent === "names");
    return this.#files.map((file) => (isMeant(file) ? { ...file, ...how } : file));
  }

  /** Nothing of it needs a look. */
  get isHarmless(): boolean {
    return this.#risk === "low" && this.#files.length === 0 && !this.network && this.problems.length === 0;
  }
}
