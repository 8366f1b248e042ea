/** The part of a remote tree that decides what ripgrep may report: ignore files, `.git`, and what the grant excepts by name. */
import { IGNORE_FILES, parentDirectories, type SearchSource, type SourceChild } from "../../../engines/search/index.js";
import { type EntryKind, FS_OPERATIONS, isExceptedName } from "../../../kernel/index.js";
import { baseName, childPath, parentOf, posixQuote } from "../../../text/index.js";
import { remoteFsFault } from "../fs/faults.js";
import type { RemoteSearchSource } from "./remote-search-source.js";

const GIT = ".git";
const RULE_NAMES: readonly string[] = [GIT, ...IGNORE_FILES];
/** Ends an entry; no path contains it, because `find` prints no empty names. */
const ENTRY_END = "//\n";
const KINDS: Readonly<Record<string, EntryKind>> = { "4": "directory", "8": "file", a: "link" };

const LETTERS_AND_DIGITS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Letters that a non-ASCII letter equals in any case; `find` may print too much. */
const FOLDING = /[ks]/gi;

interface ListingQuery {
  readonly includeIgnored: boolean;
  readonly prune: readonly string[];
}

/**
 * A command that prints "MODE SIZE PATH//" for each ignore file, `.git` and excepted name below the working directory. Some `find`
 * reports failure where it could not enter a directory; ripgrep reports those too.
 */
export function listRules({ includeIgnored, prune }: ListingQuery, exceptNames: readonly string[]): string {
  const rules = includeIgnored ? [GIT] : RULE_NAMES;
  const tests = [
    ...rules.map((name) => `-name ${name}${name === GIT ? " -prune" : ""}`),
    ...exceptNames.map((glob) => `-iname ${posixQuote(findGlob(glob).replace(FOLDING, "*"))}`),
  ];
  const pruned = prune.map((name) => `-type d -name ${posixQuote(findGlob(name, true))} -prune -o`).join(" ");
  const found = `${quickTest([...rules, ...exceptNames])} \\( ${tests.join(" -o ")} \\)`;
  return `LC_ALL=C find . ${pruned} ${found} -exec stat -c '%f %s %n//' {} +; echo end`;
}

/**
 * A test that few names pass, and all that match one of the globs: each test takes time for each file of the tree. Empty where
 * a glob can match names with any start and any ending. GNU find evaluates it first only because of the `-prune` after it.
 */
function quickTest(globs: readonly string[]): string {
  const atStart = globs.filter((glob) => !glob.startsWith("*."));
  const afterDot = globs.filter((glob) => glob.startsWith("*.")).map((glob) => glob.slice(2));
  if ([...atStart, ...afterDot].some((rest) => /^(?:\*|$)/.test(rest))) return "";
  const tests = [
    `-name ${posixQuote(`${noneOf(atStart)}*`)}`,
    ...(afterDot.length === 0 ? [] : [`-name ${posixQuote(`*.${noneOf(afterDot)}*`)}`]),
  ];
  return `\\( ${tests.join(" -o ")} \\)`;
}

/** A glob for one byte: one with which some of the texts begin, in any case, or one that is not an ASCII letter or digit. */
function noneOf(texts: readonly string[]): string {
  const starts = new Set(texts.map((text) => text[0]?.toLowerCase()));
  const others = [...LETTERS_AND_DIGITS].filter((letter) => !starts.has(letter.toLowerCase()));
  return `[!${others.join("")}]`;
}

/** The glob for `find`, where a backslash and brackets are special too. */
function findGlob(glob: string, isLiteral = false): string {
  return glob.replace(isLiteral ? /[\\[\]*?]/g : /[\\[\]?]/g, "\\$&");
}

/** Ignore files up to this size are kept, because they are read twice. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** Ignore files that are read before it is known whether they are in an ignored directory. */
const MAX_AHEAD = 100;
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
  readonly #source: RemoteSearchSource;
  readonly #root: string;
  /** Of entries in the root and above it. */
  readonly #kinds = new Map<string, EntryKind | undefined>();
  readonly #contents = new Map<string, readonly Uint8Array[]>();
  /** Of ignore files below the root that are regular files, in bytes. */
  readonly #sizes = new Map<string, number>();
  #children = new Map<string, Map<string, EntryKind>>();

  constructor(source: RemoteSearchSource, root: string) {
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

  /** Takes the output of {@link listRules}. Returns whether ripgrep may be used: false for output that is not understood, and where it might wait. */
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
      const [, mode = "", size = "", below = ""] = /^([0-9a-f]+) (\d+) \.\/(.+)$/s.exec(entry) ?? [];
      const name = baseName(`/${below}`);
      const isRule = RULE_NAMES.some((one) => one === name);
      if (mode === "") return false;
      if (!isRule && !isExceptedName(exceptNames, name)) continue;
      const path = childPath(this.#root, below);
      const kind = mode.length === 4 ? (KINDS[mode[0] ?? ""] ?? "other") : "other";
      // With `--sort`, ripgrep opens the ignore files of an ignored directory before it leaves that, and waits for a FIFO.
      if (isRule && kind === "other") return false;
      childrenOf(parentOf(path)).set(name, kind);
      if (kind === "file" && isRule && !this.#contents.has(path)) this.#sizes.set(path, Number(size));
    }
    this.#children = children;
    return true;
  }

  /** Reads the ignore files that were taken, at most {@link MAX_AHEAD}, those nearest to the root first. */
  async readAhead(): Promise<void> {
    const depth = (path: string) => path.split("/").length;
    const nearest = [...this.#sizes].sort(([one], [other]) => depth(one) - depth(other)).slice(0, MAX_AHEAD);
    for (const [path, bytes] of await this.#source.readTogether(new Map(nearest))) this.#contents.set(path, [bytes]);
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
