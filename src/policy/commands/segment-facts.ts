/** Collects what one segment touches while it is judged. */
import type { Risk } from "../../kernel/index.js";
import { resolvePath } from "../../text/index.js";
import { destroyedRoots } from "./destroyed-roots.js";
import { type ExpandedWord, shownWord } from "./expanded-word.js";
import { type CommandFile, type CommandProblem, type CommandSegment, maxRisk } from "./judgement.js";
import type { ShellState } from "./shell-state.js";

/** "change" is read and write. */
export type PathAccess = CommandFile["access"] | "change";

const PROBLEM_RISK: Readonly<Record<CommandProblem["kind"], Risk>> = {
  "too-long": "high",
  syntax: "high",
  "shells-differ": "high",
  "dynamic-command": "high",
  unresolved: "medium",
  environment: "high",
  "destroys-root": "high",
};

/** Stands for every host, where the arguments do not name one. */
const UNKNOWN_HOST = "*";

/** Devices that keep nothing, and descriptors of the program itself. */
const HARMLESS_FILE = /^\/dev\/(null|zero|full|random|urandom|tty|std(in|out|err)|fd\/\d+)$/;

export class SegmentFacts {
  #risk: Risk = "low";
  #reason = "only reads";
  network = false;
  runsWorkspaceCode = false;
  rule: string | undefined;
  readonly problems: CommandProblem[] = [];
  readonly #hosts = new Set<string>();
  readonly #files = new Map<string, CommandFile>();

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
    if (this.problems.some((one) => one.kind === kind && one.detail === detail)) return;
    this.problems.push({ kind, detail, text: this.text, ...(paths === undefined ? {} : { paths }) });
  }

  unresolved(word: ExpandedWord): void {
    this.problem("unresolved", `\`${word.text}\` is not known before the command runs`);
  }

  /** The segment connects to `host`, or to one that is not known. */
  connects(host: string | undefined): void {
    this.network = true;
    this.#hosts.add(host === undefined || host === "" ? UNKNOWN_HOST : host.toLowerCase());
  }

  /** A path that the segment touches. `-` stands for stdin or stdout. */
  file(word: ExpandedWord, access: PathAccess, scope: CommandFile["scope"] = "self", isDestructive = false): void {
    const { value, isUnresolved } = word;
    if (!isUnresolved && (value === "-" || value === "" || HARMLESS_FILE.test(value))) return;
    if (/^\/dev\/(tcp|udp)\//.test(value)) {
      this.#socket(value);
      return;
    }
    if (value.includes("\0")) {
      this.problem("syntax", "the path contains NUL");
      return;
    }
    const isTreeLost = scope === "tree" && (access === "delete" || isDestructive);
    if (isTreeLost) this.#guardRoots(word);
    const paths = this.#pathsOf(word);
    for (const one of access === "change" ? (["read", "write"] as const) : [access]) {
      for (const path of paths) this.#add({ ...path, access: one, scope });
    }
  }

  #pathsOf(word: ExpandedWord): Pick<CommandFile, "path" | "resolved" | "glob">[] {
    const { value, prefix, pattern, isGlob, isUnresolved } = word;
    const isClimbing = isGlob && /(^|\/)\.\.(\/|$)/.test(value.slice(prefix.lastIndexOf("/") + 1));
    const { directories } = this.state;
    const isAbsolute = value.startsWith("/") && prefix !== "";
    if (isUnresolved || isClimbing || (!isAbsolute && directories === undefined)) {
      this.unresolved(word);
      return [{ path: word.text, resolved: false }];
    }
    const found = (isAbsolute ? ["/"] : (directories ?? [])).map((directory) => ({
      path: resolvePath(directory, isGlob ? pattern : value),
      resolved: true,
      ...(isGlob ? ({ glob: true } as const) : {}),
    }));
    // Programs that expand `~` themselves mean the home directory.
    const { home } = this.state.options;
    if (value.startsWith("~/") && home !== undefined)
      found.push({ path: resolvePath("/", value, home), resolved: true });
    return found;
  }

  #add(file: CommandFile): void {
    const key = `${file.access} ${file.path}`;
    const known = this.#files.get(key);
    if (known === undefined || known.scope === "self") this.#files.set(key, file);
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

  segment(): CommandSegment {
    const files = [...this.#files.values()];
    return {
      text: this.text,
      program: this.program,
      args: this.args.map(shownWord),
      wrappers: this.wrappers,
      risk: this.#risk,
      reason: this.#reason,
      network: this.network,
      hosts: this.network && this.#hosts.size === 0 ? [UNKNOWN_HOST] : [...this.#hosts],
      runsWorkspaceCode: this.runsWorkspaceCode,
      files,
      ...(this.rule === undefined ? {} : { rule: this.rule }),
    };
  }

  get files(): readonly CommandFile[] {
    return [...this.#files.values()];
  }
}
