/** Splits the arguments of a program into options with their values and operands, as getopt does. */
import { type ExpandedWord, withoutPrefix } from "./expanded-word.js";
import type { CompiledSpec, GivenOption, OptionEffect, ParsedArguments } from "./program-spec.js";

const OPTION = /^-./;

/** @param stopsAtOperand - Everything after the first operand is an operand. */
export function parseArguments(
  words: readonly ExpandedWord[],
  spec: CompiledSpec,
  stopsAtOperand = spec.spec.stopsAtOperand === true || spec.commands.size > 0,
): ParsedArguments {
  const parser = new ArgumentParser(words, spec, stopsAtOperand);
  parser.run();
  return parser;
}

class ArgumentParser implements ParsedArguments {
  readonly options: GivenOption[] = [];
  readonly operands: ExpandedWord[] = [];
  readonly uncertain: ExpandedWord[] = [];
  readonly certain: ExpandedWord[] = [];
  /** The next word may be the value of the option before it. */
  #mayBeValue = false;
  operandStart: number;
  #next = 0;
  #isEnded = false;

  constructor(
    readonly words: readonly ExpandedWord[],
    readonly spec: CompiledSpec,
    readonly stopsAtOperand: boolean,
  ) {
    this.operandStart = words.length;
  }

  run(): void {
    while (this.#next < this.words.length) {
      const word = this.words[this.#next++] as ExpandedWord;
      if (!this.#isEnded && word.value === "--" && !word.isUnresolved) {
        this.#isEnded = true;
        this.#mayBeValue = false;
      } else if (!this.#isEnded && OPTION.test(word.prefix)) this.#option(word);
      else this.#operand(word);
    }
  }

  #operand(word: ExpandedWord): void {
    const mayBeOption = word.prefix === "" && ((word.isUnresolved && !word.isPlain) || word.isGlob);
    if ((!this.#isEnded && mayBeOption) || word.maySplit) this.uncertain.push(word);
    if (this.operands.length === 0) this.operandStart = this.#next - 1;
    this.operands.push(word);
    if (!this.#mayBeValue && !word.value.startsWith("-")) this.certain.push(word);
    this.#mayBeValue = word.value.startsWith("-") && !word.value.includes("=") && word.value !== "--";
    if (this.stopsAtOperand) this.#isEnded = true;
  }

  #option(word: ExpandedWord): void {
    if (word.prefix.startsWith("--") || this.spec.spec.singleHyphen === true) this.#long(word);
    else if (this.#exactShort(word)) return;
    else this.#cluster(word);
  }

  /** `--name`, `--name=value`, and any beginning of a name that getopt accepts. */
  #long(word: ExpandedWord): void {
    const equals = word.prefix.indexOf("=");
    const given = equals === -1 ? word.value : word.prefix.slice(0, equals);
    if (equals === -1 && word.isUnresolved) this.uncertain.push(word);
    const attached = equals === -1 ? undefined : withoutPrefix(word, equals + 1);
    const matches = this.#matching(given);
    if (matches.length === 0) this.#add(given, undefined, attached);
    // What looks like an abbreviation may be an option of its own without a value: the next word counts as an operand too.
    const isExact = this.spec.options.has(given) || this.spec.spec.singleHyphen === true;
    for (const name of matches) this.#add(name, this.spec.options.get(name), attached, isExact);
  }

  #matching(given: string): string[] {
    const { options } = this.spec;
    if (options.has(given)) return [given];
    if (this.spec.spec.singleHyphen === true) return options.has(given.slice(1)) ? [given.slice(1)] : [];
    return [...options.keys()].filter((name) => name.startsWith(given) && name.startsWith("--"));
  }

  /** A table may list an option of one hyphen and several letters, such as `-exec` or `-0777`. */
  #exactShort(word: ExpandedWord): boolean {
    const effect = word.isUnresolved || word.value.length <= 2 ? undefined : this.spec.options.get(word.value);
    if (effect === undefined) return false;
    this.#add(word.value, effect, undefined);
    return true;
  }

  /** `-abc`: flags, the last of which may take the rest of the word or the next word. */
  #cluster(word: ExpandedWord): void {
    for (let index = 1; index < word.prefix.length; index++) {
      const name = `-${word.prefix[index]}`;
      const effect = this.spec.options.get(name);
      if (effect !== undefined && (effect.values.length > 0 || effect.isGlued)) {
        const rest = word.value.length > index + 1 || word.isUnresolved ? withoutPrefix(word, index + 1) : undefined;
        const value = rest?.prefix.startsWith("=") === true && effect.isGlued ? withoutPrefix(rest, 1) : rest;
        const isEmpty = value !== undefined && value.value === "" && !value.isUnresolved;
        this.#add(name, effect, isEmpty ? undefined : value);
        return;
      }
      this.#add(name, effect, undefined);
    }
    if (word.isUnresolved || word.isGlob) this.uncertain.push(word);
  }

  #add(name: string, effect: OptionEffect | undefined, attached: ExpandedWord | undefined, takesNext = true): void {
    if (effect?.ends === true) this.#isEnded = true;
    this.#mayBeValue = attached === undefined && (effect === undefined || !takesNext);
    if (effect === undefined) {
      this.options.push({ name, effect, values: [], ...(attached === undefined ? {} : { attached }) });
      return;
    }
    const values = attached === undefined ? [] : [attached];
    let next = this.#next;
    while (!effect.isGlued && values.length < effect.values.length && next < this.words.length) {
      values.push(this.words[next++] as ExpandedWord);
    }
    if (takesNext) this.#next = next;
    this.options.push({ name, effect, values });
  }
}
