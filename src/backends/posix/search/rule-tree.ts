/** The part of a remote tree that decides what ripgrep may report: ignore files, `.git`, and what the grant excepts by name. */
import { IGNORE_FILES, parentDirectories, type SearchSource, type SourceChild } from "../../../engines/search/index.js";
import { type EntryKind, FS_OPERATIONS, isExceptedName } from "../../../kernel/index.js";
import { baseName, childPath, parentOf, posixQuote } from "../../../text/index.js";
import { remoteFsFault } from "../fs/faults.js";

const GIT = ".git";
const RULE_NAMES: readonly string[] = [GIT, ...IGNORE_FILES];
/** Ends an entry; no path contains it, because `find` prints no empty names. */
const ENTRY_END = "//\n";
const KINDS: Readonly<Record<string, EntryKind>> = { "4": "directory", "8": "file", a: "link" };

/** Letters that a non-ASCII letter equals in any case; `find` may print too much. */
const FOLDING = /[ks]/gi;

interface ListingQuery {
  readonly includeIgnored: boolean;
  readonly prune: readonly string[];
}

/**
 * A command that prints "MODE PATH//" for each such entry below the working directory. Some `find` reports failure where it
 * could not enter a directory; ripgrep reports those too.
 */
export function listRules({ includeIgnored, prune }: ListingQuery, exceptNames: readonly string[]): string {
  const tests = [
    ...(includeIgnored
      ? []
      : [nameTest("-name", GIT, " -prune"), ...IGNORE_FILES.map((name) => nameTest("-name", name))]),
    ...exceptNames.map((glob) => nameTest("-iname", findGlob(glob).replace(FOLDING, "*"))),
  ];
  const pruned = prune.map((name) => `-type d -name ${posixQuote(findGlob(name, true))} -prune -o`).join(" ");
  const git = includeIgnored ? "-name .git -prune -o" : "";
  return `LC_ALL=C find . ${pruned} ${git} \\( ${byFirstLetter(tests).join(" -o ")} \\) -exec stat -c '%f %n//' {} +; echo end`;
}

interface NameTest {
  readonly test: string;
  /** A glob for all names with the first character of these; undefined where that can be any. */
  readonly first: string | undefined;
}

function nameTest(option: "-name" | "-iname", glob: string, action = ""): NameTest {
  const [letter = ""] = glob;
  const first = /[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]*` : `${letter}*`;
  return { test: `${option} ${posixQuote(glob)}${action}`, first: /^[\w.]/.test(glob) ? first : undefined };
}

/** Each test takes time for each file of the tree, so that those with one first letter are behind one test for that. */
function byFirstLetter(tests: readonly NameTest[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { test, first = "" } of tests) groups.set(first, [...(groups.get(first) ?? []), test]);
  return [...groups].flatMap(([first, all]) =>
    first === "" || all.length === 1 ? all : [`-name ${posixQuote(first)} \\( ${all.join(" -o ")} \\)`],
  );
}

/** The glob for `find`, where a backslash and brackets are special too. */
function findGlob(glob: string, isLiteral = false): string {
  return glob.replace(isLiteral ? /[\\[\]*?]/g : /[\\[\]?]/g, "\\$&");
}

/** Ignore files up to this size are kept, because they are read twice. */
const MAX_KEPT_BYTES = 1024 * 1024;
const LETTERS: Readonly<Record<string, EntryKind>> = { d: "directory", f: "file", l: "link" };

/** The kind of each path itself; undefined where there is nothing. */
export type KindsOf = (paths: readonly string[]) => Promise<readonly (EntryKind | undefined)[]>;

/** Reads the answer of the remote side: one letter for each path. */
export function readKinds(letters: string): readonly (EntryKind | undefined)[] {
  return [...letters].map((letter) => (letter === "a" ? undefined : (LETTERS[letter] ?? "other")));
}

/**
 * A source for `visitTree` that contains nothing else than these entries and the directories that lead to them; at first, only
 * those in the root. The contents of ignore files come from the machine.
 */
export class RuleTree implements SearchSource {
  readonly #source: SearchSource;
  readonly #root: string;
  /** Of entries in the root and above it. */
  readonly #kinds = new Map<string, EntryKind | undefined>();
  readonly #contents = new Map<string, readonly Uint8Array[]>();
  #children = new Map<string, Map<string, EntryKind>>();

  constructor(source: SearchSource, root: string) {
    this.#source = source;
    this.#root = root;
  }

  /** Looks at the root and the directories above it, in one request. */
  async lookUp(kindsOf: KindsOf): Promise<void> {
    const paths = [this.#root, ...parentDirectories(this.#root)].flatMap((directory) =>
      RULE_NAMES.map((name) => childPath(directory, name)),
    );
    const kinds = await kindsOf(paths);
    const inRoot = new Map<string, EntryKind>();
    for (const [index, path] of paths.entries()) {
      const kind = kinds[index];
      this.#kinds.set(path, kind);
      if (index < RULE_NAMES.length && kind !== undefined) inRoot.set(RULE_NAMES[index]!, kind);
    }
    this.#children.set(this.#root, inRoot);
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
      const isRule = RULE_NAMES.some((one) => one === name);
      if (mode === "") return false;
      if (!isRule && !isExceptedName(exceptNames, name)) continue;
      const path = childPath(this.#root, below);
      const kind = mode.length === 4 ? (KINDS[mode[0] ?? ""] ?? "other") : "other";
      childrenOf(parentOf(path)).set(name, kind);
    }
    this.#children = children;
    return true;
  }

  async stat(path: string, follow: boolean): ReturnType<SearchSource["stat"]> {
    if (path === this.#root) return { kind: "directory", size: 0 };
    if (!this.#kinds.has(path)) return this.#source.stat(path, follow);
    const kind = this.#kinds.get(path);
    if (kind === undefined) throw remoteFsFault("absent", "", FS_OPERATIONS.stat, path);
    return { kind, size: 0 };
  }

  async readDir(path: string): Promise<readonly SourceChild[]> {
    return [...(this.#children.get(path) ?? [])].map(([name, kind]) => ({ name, kind }));
  }

  async *openRead(path: string): AsyncGenerator<Uint8Array, void> {
    const kept = this.#contents.get(path);
    if (kept !== undefined) return yield* kept;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.#source.openRead(path)) {
      bytes += chunk.length;
      if (bytes <= MAX_KEPT_BYTES) chunks.push(chunk);
      yield chunk;
    }
    if (bytes <= MAX_KEPT_BYTES) this.#contents.set(path, chunks);
  }
}
