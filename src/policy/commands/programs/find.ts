/** find: start paths, tests, and the actions that change files or start programs. */
import { type ExpandedWord, globWord, literalWord } from "../expanded-word.js";
import type { ProgramCall } from "../program-spec.js";

const LEADING_OPTION = /^-([HLP]+|O\d|D)$/;
const EXPRESSION = /^(-.|[(!,)])/;
const RUNS = /^-(exec|execdir|ok|okdir)$/;
/** Tests that choose few files, and take one value. */
const CHOOSES =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|newer\w*|anewer|cnewer|samefile|inum|[acm]time|[acm]min|size|used|links)$/;
/** Other tests and options with one value. */
const TAKES_VALUE = /^-(type|xtype|maxdepth|mindepth|user|group|uid|gid|perm|fstype|printf|regextype|context|flags)$/;
const TAKES_NOTHING =
  /^(-(print|print0|ls|prune|quit|depth|d|empty|readable|writable|executable|mount|xdev|follow|noleaf|daystart|true|false|not|o|or|a|and|nouser|nogroup|ignore_readdir_race|noignore_readdir_race|warn|nowarn|ls|x)|[()!,])$/;

/** Operators, and what is the same for all files. */
const NO_TEST =
  /^([()]|-a|-and|-prune|-depth|-d|-mount|-xdev|-x|-follow|-noleaf|-daystart|-(no)?warn|-(no)?ignore_readdir_race)$/;

export function judgeFind(call: ProgramCall): void {
  new FindExpression(call).judge();
}

class FindExpression {
  readonly #starts: readonly ExpandedWord[];
  readonly #words: readonly ExpandedWord[];
  #next = 0;
  /** Tests since the last `-o` that choose few files. */
  #choosing = 0;
  #others = 0;
  #hasAlternatives = false;
  #isNegated = false;
  readonly #names = new FoundNames();

  constructor(readonly call: ProgramCall) {
    const { args } = call;
    let index = 0;
    while (LEADING_OPTION.test(args[index]?.value ?? "")) index += args[index]?.value === "-D" ? 2 : 1;
    const from = index;
    while (index < args.length && !EXPRESSION.test((args[index] as ExpandedWord).prefix)) index++;
    const starts = args.slice(from, index);
    this.#starts = starts.length === 0 ? [literalWord(".")] : starts;
    this.#words = args.slice(index);
  }

  judge(): void {
    const { facts } = this.call;
    facts.extent = "names";
    if (this.call.args.some(({ value }) => value === "-L" || value === "-follow")) facts.follows = true;
    for (const start of this.#starts) facts.file(start, "read", "tree");
    while (this.#next < this.#words.length) this.#term(this.#words[this.#next++] as ExpandedWord);
    facts.only = this.#names.printed;
  }

  #term(word: ExpandedWord): void {
    const { facts } = this.call;
    const { value } = word;
    this.#names.pass(value);
    if (word.isUnresolved) facts.unresolved(word);
    else if (RUNS.test(value)) this.#run(value);
    else if (value === "-delete") this.#delete();
    else if (CHOOSES.test(value)) this.#choose(value);
    else if (/^-f(print0?|ls|printf)$/.test(value)) this.#write(value);
    else if (value === "-files0-from") {
      facts.raise("medium", "reads names from a file");
      this.#file("read");
    } else if (TAKES_VALUE.test(value)) {
      if (!/depth$/.test(value)) this.#others++;
      this.#value();
    } else if (TAKES_NOTHING.test(value)) this.#operator(value);
    else facts.raise("medium", `${value} of find is not known to Haft`);
  }

  #operator(value: string): void {
    if (value === "-empty") this.#choosing++;
    else if (value === "!" || value === "-not") this.#isNegated = true;
    else if (value === "-o" || value === "-or" || value === ",") {
      this.#hasAlternatives = true;
      this.#choosing = 0;
    } else if (!NO_TEST.test(value)) this.#others++;
  }

  /** The tests before the action choose which files it gets, instead of nearly all. */
  get #isChosen(): boolean {
    return this.#choosing > 0 && !this.#isNegated && !(this.#hasAlternatives && this.#others > 0);
  }

  #value(): ExpandedWord | undefined {
    const word = this.#words[this.#next++];
    if (word?.isUnresolved === true && word.maySplit) this.call.facts.unresolved(word);
    return word;
  }

  #choose(test: string): void {
    const value = this.#value();
    if (value === undefined) return;
    if (/^-i?name$/.test(test)) this.#names.choose(value);
    if (/^-(newer|anewer|cnewer|samefile)/.test(test) && !/t$/.test(test)) this.call.facts.file(value, "read");
    if (!/^[*?/.]*$/.test(value.value) || value.isUnresolved) this.#choosing++;
    else this.#others++;
  }

  #file(access: "read" | "write"): void {
    const word = this.#words[this.#next++];
    if (word !== undefined) this.call.facts.file(word, access);
  }

  #write(value: string): void {
    this.call.facts.raise("medium", `find ${value} writes a file`);
    this.#file("write");
    if (value === "-fprintf") this.#next++;
  }

  #delete(): void {
    const { facts } = this.call;
    facts.raise("high", "find -delete deletes files");
    for (const found of this.#found()) facts.file(found, "delete", "tree");
  }

  /** The paths that the expression finds. */
  #found(): ExpandedWord[] {
    return this.#starts.map((start) => {
      if (start.isUnresolved) return start;
      const glob = globWord(`${start.isGlob ? start.pattern : start.value}/**`);
      const only = this.#names.here;
      const word = only === undefined ? glob : { ...glob, within: { only } };
      return this.#isChosen ? { ...word, isPartial: true } : word;
    });
  }

  #run(action: string): void {
    const from = this.#next;
    while (this.#next < this.#words.length && !this.#isEnd(from)) this.#next++;
    const words = this.#words.slice(from, this.#next++);
    if (words.length === 0) return;
    const found = this.#found();
    const run = words.flatMap((word) => {
      if (word.value === "{}") return found;
      return word.value.includes("{}") ? [{ ...word, isUnresolved: true, isNonEmpty: true }] : [word];
    });
    const { state } = this.call;
    if (!action.endsWith("dir")) {
      this.call.run(run);
      return;
    }
    const inside = state.copy();
    inside.directories = undefined; // the directory of each file
    this.call.run(run, { state: inside });
  }

  #isEnd(from: number): boolean {
    const { value } = this.#words[this.#next] as ExpandedWord;
    return value === ";" || (value === "+" && this.#next > from && this.#words[this.#next - 1]?.value === "{}");
  }
}

/** Which names an expression finds: those of the `-name` of each of its alternatives, if all have one. */
class FoundNames {
  /** The first `-name` of each alternative before the current one. */
  readonly #alternatives: (string | undefined)[] = [];
  #current: string | undefined;
  #isNegated = false;
  #isGrouped = false;
  #isAny = false;
  #printed: (string | undefined)[] | undefined;

  pass(value: string): void {
    if (value === "(") this.#isGrouped = true;
    // What a negated group or a list finds is not worked out.
    if (value === "," || (value === "(" && this.#isNegated)) this.#isAny = true;
    if (value === "-o" || value === "-or") {
      this.#alternatives.push(this.#current);
      this.#current = undefined;
    }
    if (/^-print0?$/.test(value)) this.#printed = [...(this.#printed ?? []), ...this.#here];
    if (!/^-i?name$/.test(value)) this.#isNegated = value === "!" || value === "-not";
  }

  choose({ value, isUnresolved }: ExpandedWord): void {
    if (!this.#isNegated && !isUnresolved) this.#current ??= value;
    this.#isNegated = false;
  }

  /** Those that an action gets which is here. */
  get here(): readonly string[] | undefined {
    return this.#known(this.#here);
  }

  /** Those that are printed. */
  get printed(): readonly string[] | undefined {
    return this.#known(this.#printed ?? [...this.#alternatives, this.#current]);
  }

  /** Without groups an action belongs to its alternative alone. */
  get #here(): (string | undefined)[] {
    return this.#isGrouped ? [...this.#alternatives, this.#current] : [this.#current];
  }

  #known(names: readonly (string | undefined)[]): readonly string[] | undefined {
    const known = names.filter((name) => name !== undefined);
    return this.#isAny || known.length < names.length ? undefined : known;
  }
}
