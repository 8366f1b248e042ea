import { compileGlob } from "../../text/index.js";

/** Verdict of the last rule that matches: left out, kept in spite of an earlier rule, or no rule at all. */
export type IgnoreVerdict = "ignored" | "kept" | undefined;

interface IgnoreRule {
  readonly verdict: "ignored" | "kept";
  readonly foldersOnly: boolean;
  /** By name alone, or by the path relative to the folder of the ignore file. */
  readonly byName: boolean;
  matches(subject: string): boolean;
}

/** The rules of one `.gitignore` or `.ignore` file. Matching is linear in the rules, whatever they say. */
export class IgnoreRules {
  readonly #rules: readonly IgnoreRule[];

  constructor(text: string) {
    const lines = text.replace(/^\uFEFF/, "").split("\n");
    this.#rules = lines.map(parseRule).filter((rule) => rule !== undefined);
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** @param path - Relative to the folder of the file. The folders above it must have been judged before. */
  judge(path: string, isFolder: boolean): IgnoreVerdict {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (let index = this.#rules.length - 1; index >= 0; index--) {
      const rule = this.#rules[index]!;
      if (rule.foldersOnly && !isFolder) continue;
      if (rule.matches(rule.byName ? name : path)) return rule.verdict;
    }
    return undefined;
  }
}

function parseRule(line: string): IgnoreRule | undefined {
  let body = trimEnd(line.endsWith("\r") ? line.slice(0, -1) : line);
  if (body === "" || body.startsWith("#")) return undefined;
  const isKept = body.startsWith("!");
  if (isKept) body = body.slice(1);
  const foldersOnly = body.endsWith("/");
  if (foldersOnly) body = body.slice(0, -1);
  // A path holds no empty name, and a backslash with nothing behind it matches nothing.
  if (body.includes("//") || /(?<!\\)(?:\\\\)*\\$/.test(body)) return undefined;
  const byName = !body.includes("/");
  if (body.startsWith("/")) body = body.slice(1);
  if (body === "") return undefined;
  // A folder is not inside itself, while the glob `a/**` takes `a` too.
  if (body.endsWith("/**")) body += "/*";
  const glob = compileGlob(escapeBraces(body), { matchBase: false });
  if (!glob.ok) return undefined;
  return { verdict: isKept ? "kept" : "ignored", foldersOnly, byName, matches: glob.matches };
}

/** Blanks at the end do not count unless a backslash stands before them. */
function trimEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " " && line[end - 2] !== "\\") end--;
  return line.slice(0, end);
}

/** Braces mean nothing in an ignore file. */
function escapeBraces(body: string): string {
  return body.replace(/\\.|[{}]/gs, (found) => (found.length === 1 ? `\\${found}` : found));
}
