/** The part of a remote tree that decides what ripgrep may report: ignore files, `.git`, and what the grant excepts by name. */
import { IGNORE_FILES, type SearchSource, type SourceChild } from "../../../engines/search/index.js";
import { type EntryKind, isExceptedName } from "../../../kernel/index.js";
import { baseName, parentOf, posixQuote } from "../../../text/index.js";

const GIT = ".git";
/** Ends an entry; no path contains it, because `find` prints no empty names. */
const ENTRY_END = "//\n";
const KINDS: Readonly<Record<string, EntryKind>> = { "4": "directory", "8": "file", a: "link" };

interface ListingQuery {
  readonly includeIgnored: boolean;
  readonly prune: readonly string[];
}

/**
 * A command that prints "MODE PATH//" for each such entry below the working directory. Some `find` reports failure where it
 * could not enter a directory; ripgrep reports those too.
 */
export function listRules({ includeIgnored, prune }: ListingQuery, exceptNames: readonly string[]): string {
  const named = (option: string, glob: string) => `${option} ${posixQuote(glob)}`;
  const tests = [
    ...exceptNames.map((glob) => named("-iname", findGlob(glob))),
    ...(includeIgnored ? [] : IGNORE_FILES.map((name) => named("-name", name))),
  ];
  const pruned = prune.map((name) => `-type d ${named("-name", findGlob(name, true))} -prune -o`).join(" ");
  const git = includeIgnored ? "-name .git -prune -o" : "";
  const found = includeIgnored ? tests : [`-name ${GIT} -prune`, ...tests];
  return `LC_ALL=C find . ${pruned} ${git} \\( ${found.join(" -o ")} \\) -exec stat -c '%f %n//' {} +; echo end`;
}

/** The glob for `find`, where a backslash and brackets are special too. */
function findGlob(glob: string, isLiteral = false): string {
  return glob.replace(isLiteral ? /[\\[\]*?]/g : /[\\[\]?]/g, "\\$&");
}

/**
 * A source for `visitTree` that contains nothing else than these entries and the directories that lead to them. The children of
 * the root, and the contents of ignore files, come from the machine.
 */
export class RuleTree implements SearchSource {
  readonly #source: SearchSource;
  readonly #root: string;
  /** What was asked about rules above the root, which is asked twice. */
  readonly #stats = new Map<string, ReturnType<SearchSource["stat"]>>();
  #children: ReadonlyMap<string, ReadonlyMap<string, EntryKind>> = new Map();

  constructor(source: SearchSource, root: string) {
    this.#source = source;
    this.#root = root;
  }

  /** Takes the output of {@link listRules}. Returns whether it could be understood. */
  take(output: string, exceptNames: readonly string[]): boolean {
    const entries = output.split(ENTRY_END);
    if (entries.pop() !== "end\n") return false;
    const children = new Map<string, Map<string, EntryKind>>();
    const childrenOf = (directory: string): Map<string, EntryKind> => {
      const known = children.get(directory);
      if (known !== undefined) return known;
      const fresh = new Map<string, EntryKind>();
      children.set(directory, fresh);
      if (directory !== this.#root) childrenOf(parentOf(directory)).set(baseName(directory), "directory");
      return fresh;
    };
    for (const entry of entries) {
      const [, mode = "", below = ""] = /^([0-9a-f]+) \.\/(.+)$/s.exec(entry) ?? [];
      const name = baseName(`/${below}`);
      const isRule = name === GIT || IGNORE_FILES.some((one) => one === name);
      if (mode === "" || !(isRule || isExceptedName(exceptNames, name))) return false;
      const path = this.#root === "/" ? `/${below}` : `${this.#root}/${below}`;
      const kind = mode.length === 4 ? (KINDS[mode[0] ?? ""] ?? "other") : "other";
      childrenOf(parentOf(path)).set(name, kind);
    }
    this.#children = children;
    return true;
  }

  stat(path: string, follow: boolean): ReturnType<SearchSource["stat"]> {
    const key = `${follow} ${path}`;
    const known = this.#stats.get(key) ?? this.#source.stat(path, follow);
    this.#stats.set(key, known);
    return known;
  }

  async readDir(path: string): Promise<readonly SourceChild[]> {
    if (path === this.#root) return this.#source.readDir(path);
    return [...(this.#children.get(path) ?? [])].map(([name, kind]) => ({ name, kind }));
  }

  openRead(path: string): AsyncIterable<Uint8Array> {
    return this.#source.openRead(path);
  }
}
