/** Patterns of paths: each matches what it names and everything below that. */
import type { PolicySearch } from "../../kernel/index.js";
import { matchGlobSegment, normalizePath, parseGlobSegment, resolvePath } from "../../text/index.js";

/** `**`, or a test of one name with the text it was made of. */
type Part = "**" | { readonly text: string; readonly isLiteral: boolean; test(name: string): boolean };

export interface PathPatternOptions {
  readonly workspace: string;
  readonly home: string;
  /** For a rule that opens: a wildcard does not match a dot at the beginning of a name, and letter case counts. */
  readonly opens: boolean;
}

const WILDCARD = /[*?]/;
const ALL_NAMES = ["*"];

export class PathPattern {
  readonly #parts: readonly Part[];
  /** The names before the first wildcard. */
  readonly base: string;

  constructor(text: string, { workspace, home, opens }: PathPatternOptions) {
    const names = namesOf(normalizePath(resolvePath(workspace, text, home)));
    while (names.at(-1) === "**") names.pop();
    const first = names.findIndex((name) => WILDCARD.test(name));
    this.base = `/${names.slice(0, first === -1 ? names.length : first).join("/")}`;
    this.#parts = names.map((name) => (name === "**" ? name : partOf(name, opens)));
  }

  /** Whether the path, or a directory above it, is one that the pattern names. */
  matches(path: string): boolean {
    return this.#walk(namesOf(path), (part, name) => part.test(name)) === "inside";
  }

  /** Whether the pattern names something at, above or below the path. */
  touches(path: string): boolean {
    return this.#walk(namesOf(path), (part, name) => part.test(name)) !== "apart";
  }

  /** Whether a path that the glob of a shell stands for may be one of the pattern's; with `isTree`, or lie above one. */
  mayMatchGlob(glob: string, isTree: boolean): boolean {
    const names = namesOf(glob);
    const any = names.indexOf("**");
    const found = this.#walk(any === -1 ? names : names.slice(0, any), (part, name) => {
      if (!WILDCARD.test(name) && !name.includes("[")) return part.test(name.replaceAll("\\", ""));
      if (!part.isLiteral || name.includes("[") || name.includes("\\")) return true;
      return (!part.text.startsWith(".") || name.startsWith(".")) && nameTest(name, false)(part.text);
    });
    return found === "inside" || (found === "above" && (isTree || any !== -1));
  }

  /** Finds out whether there is anything at `base`, in any letter case. Undefined where that is certain. */
  get existence(): PolicySearch | undefined {
    if (this.base === "/") return undefined;
    const glob = this.base.slice(1).replace(/[^/]/gu, inAnyCase);
    return { id: JSON.stringify(["exists", glob]), path: "/", glob, names: ALL_NAMES, includeIgnored: true };
  }

  /** How a search leaves out what the pattern names: a path with all below it, or a glob of names. */
  get exception(): { readonly path: string } | { readonly name: string } {
    const last = this.#parts.at(-1);
    const isPlain = this.#parts.every((part) => part !== "**" && part.isLiteral);
    if (isPlain || last === undefined || last === "**" || /^[*?]+$/.test(last.text)) return { path: this.base };
    return { name: last.text };
  }

  /** "inside": all of it is named before or with the last name; "above": more names may lead there. */
  #walk(
    names: readonly string[],
    test: (part: Exclude<Part, "**">, name: string) => boolean,
  ): "inside" | "above" | "apart" {
    const parts = this.#parts;
    const withGaps = (from: Iterable<number>) => {
      const all = new Set(from);
      for (const index of all) if (parts[index] === "**") all.add(index + 1);
      return all;
    };
    let at = withGaps([0]);
    for (const name of names) {
      if (at.has(parts.length)) return "inside";
      const next: number[] = [];
      for (const index of at) {
        const part = parts[index]!;
        if (part === "**") next.push(index);
        else if (test(part, name)) next.push(index + 1);
      }
      at = withGaps(next);
    }
    if (at.has(parts.length)) return "inside";
    return at.size === 0 ? "apart" : "above";
  }
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}

/** A part of a glob. Letters outside of ASCII have more forms than two. */
function inAnyCase(character: string): string {
  if (/[^ -~]/.test(character)) return "*";
  if (/[a-z]/i.test(character)) return `[${character.toLowerCase()}${character.toUpperCase()}]`;
  return /[\w.-]/.test(character) ? character : `\\${character}`;
}

function partOf(text: string, opens: boolean): Exclude<Part, "**"> {
  const test = nameTest(text, opens);
  const skipsDots = opens && /^[*?]/.test(text);
  return {
    text,
    isLiteral: !WILDCARD.test(text),
    test: (name) => test(name) && !(skipsDots && name.startsWith(".")),
  };
}

/** A denied name is denied in every letter case: some file systems take them for one. */
function nameTest(text: string, isExact: boolean): (name: string) => boolean {
  const fold = (name: string) => (isExact ? name : name.normalize().toUpperCase().toLowerCase());
  const tokens = parseGlobSegment(fold(text).replaceAll(/[\\[]/g, "\\$&"), false);
  return (name) => matchGlobSegment(tokens, fold(name));
}
