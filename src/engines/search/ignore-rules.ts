import { compileGlob } from "../../text/index.js";
import type { PauseCheck } from "./source.js";

/** A file of more rules is not applied. */
const MAX_IGNORE_RULES = 10_000;
/** Characters of rules between two pause checks: matching globs of this length against a long path may take milliseconds. */
const PAUSE_CHECK_CHARACTERS = 512;

/** Verdict of the last rule that matches: omitted, kept in spite of an earlier rule, or no rule at all. */
type IgnoreVerdict = "ignored" | "kept" | undefined;

interface Rule {
  /** The later one wins. */
  readonly place: number;
  readonly verdict: "ignored" | "kept";
}

interface Subject {
  /** Relative to the directory of the ignore file; one character a byte. */
  readonly path: string;
  /** The last part of the path, one character a byte. */
  readonly name: string;
  readonly isDirectory: boolean;
}

interface GlobRule extends Rule {
  /** Characters: what it costs to match it grows with them. */
  readonly length: number;
  takes(subject: Subject): boolean;
}

/**
 * The rules of one ignore file, read as ripgrep reads them: braces are alternatives, `[[:alpha:]]` is no named class, and a
 * line with `.` or `..` as a name matches nothing. Matching is linear in the rules that hold a wildcard, whatever they say;
 * those that are a plain name or path are looked up, however many they are.
 */
export class IgnoreRules {
  readonly #globs: GlobRule[] = [];
  readonly #plain = new PlainRules();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * Undefined where there are more than {@link MAX_IGNORE_RULES}: too much is searched rather than too little.
   * @param pauseCheck - Used between rules. Returns undefined if the search was aborted meanwhile.
   */
  static async of(text: string, pauseCheck: PauseCheck): Promise<IgnoreRules | undefined> {
    const rules = new IgnoreRules();
    let length = 0;
    for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
      length += line.length + 1;
      if (length > PAUSE_CHECK_CHARACTERS) {
        length = 0;
        if (pauseCheck.isPauseDue() && (await pauseCheck.pauseAndCheckAborted())) return undefined;
      }
      rules.#add(line);
      if (rules.#count > MAX_IGNORE_RULES) return undefined;
    }
    return rules;
  }

  /**
   * Returns a promise only if a pause is due between the rules.
   * @param path - Relative to the directory of the file. The directories above it must have been judged before.
   * @param pauseCheck - Used between rules. The verdict of an aborted search is meaningless.
   */
  verdictFor(path: string, isDirectory: boolean, pauseCheck: PauseCheck): IgnoreVerdict | Promise<IgnoreVerdict> {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const plain = this.#plain.last(path, name, isDirectory);
    if (this.#globs.length === 0) return plain?.verdict;
    const subject = { path: byteString(path), name: byteString(name), isDirectory: isDirectory };
    return this.#verdictFrom(this.#globs.length - 1, subject, plain, pauseCheck);
  }

  /** By the globs from the one at `last` back to the first, and by the plain rule where no later one takes the subject. */
  #verdictFrom(
    last: number,
    subject: Subject,
    plain: Rule | undefined,
    pauseCheck: PauseCheck,
  ): IgnoreVerdict | Promise<IgnoreVerdict> {
    let length = 0;
    for (let index = last; index >= 0; index--) {
      const rule = this.#globs[index]!;
      if (plain !== undefined && rule.place < plain.place) break;
      if (rule.takes(subject)) return rule.verdict;
      length += rule.length;
      if (length <= PAUSE_CHECK_CHARACTERS) continue;
      length = 0;
      if (!pauseCheck.isPauseDue()) continue;
      const next = (isAborted: boolean) =>
        isAborted ? undefined : this.#verdictFrom(index - 1, subject, plain, pauseCheck);
      return pauseCheck.pauseAndCheckAborted().then(next);
    }
    return plain?.verdict;
  }

  #add(line: string): void {
    if (line.startsWith("#")) return;
    let body = line.endsWith("\\ ") ? line : line.trimEnd();
    if (body === "") return;
    const isKept = body.startsWith("!");
    if (isKept) body = body.slice(1);
    const directoriesOnly = body.endsWith("/");
    if (directoriesOnly) body = body.slice(0, -1);
    // No path holds an empty name, `.` or `..`; what is left open at the end is no glob.
    if (body.includes("//") || /(?:^|\/)\.\.?(?:\/|$)/.test(body) || /(?<!\\)(?:\\\\)*\\$/.test(body)) return;
    const byName = !body.includes("/");
    if (body.startsWith("/")) body = body.slice(1);
    if (body === "") return;
    const rule: Rule = { place: this.#count, verdict: isKept ? "kept" : "ignored" };
    if (!NO_PLAIN_PATH.test(body)) this.#plain.add(body, byName, directoriesOnly, rule);
    else {
      // A directory is not inside itself, while the glob `a/**` takes `a` too.
      if (body.endsWith("/**")) body += "/*";
      const glob = compileGlob(byteString(body), { matchBase: false });
      if (!glob.ok) return;
      const takes = ({ path, name, isDirectory }: Subject) =>
        (isDirectory || !directoriesOnly) && glob.matches(byName ? name : path);
      this.#globs.push({ ...rule, length: body.length, takes });
    }
    this.#count++;
  }
}

/** A sign that means more than itself. */
const NO_PLAIN_PATH = /[\\*?[{]/;

/** Rules without a wildcard, the last one for each name or path. */
class PlainRules {
  readonly #rules = new Map<string, Rule>();
  readonly #directoryRules = new Map<string, Rule>();

  add(body: string, byName: boolean, directoriesOnly: boolean, rule: Rule): void {
    (directoriesOnly ? this.#directoryRules : this.#rules).set(byName ? body : `/${body}`, rule);
  }

  last(path: string, name: string, isDirectory: boolean): Rule | undefined {
    let last: Rule | undefined;
    for (const rules of isDirectory ? [this.#rules, this.#directoryRules] : [this.#rules]) {
      if (rules.size === 0) continue;
      for (const rule of [rules.get(name), rules.get(`/${path}`)])
        if (rule !== undefined && (last === undefined || rule.place > last.place)) last = rule;
    }
    return last;
  }
}

/** The UTF-8 bytes of a text as one character each: `?` and classes take a byte, for git and for ripgrep. */
function byteString(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return String.fromCharCode(...new TextEncoder().encode(text));
}
