/** Options of the shell: `set`, `shopt`, `bash -o`. Others than these change what the words of a command mean. */
import type { ExpandedWord } from "./expanded-word.js";
import type { SegmentFacts } from "./segment-facts.js";

/** `-k` takes `PATH=.` anywhere in a command as an assignment, and with `-H` a line is replaced by words of the history. */
const LETTERS = /^[-+][abefhmnpuvxBCEPT]*o?$/;
const SET_NAMES =
  /^(errexit|nounset|pipefail|xtrace|verbose|noglob|noclobber|allexport|monitor|notify|braceexpand|hashall|errtrace|functrace|noexec|physical)$/;
/** Not `lastpipe`, after which a `cd` in a pipeline stays, nor what lets globs match more names, such as `dotglob`. */
const SHOPT_NAMES =
  /^(nullglob|failglob|extglob|globstar|inherit_errexit|nocasematch|xpg_echo|checkwinsize|checkhash|gnu_errfmt)$/;

/** The words of `set`. After the options are the positional parameters. */
export function judgeSetOptions(facts: SegmentFacts, words: readonly ExpandedWord[]): void {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as ExpandedWord;
    if (!word.isUnresolved && !/^[-+]./.test(word.value)) return;
    if (word.value === "--" && !word.isUnresolved) return;
    if (word.isUnresolved && word.prefix !== "" && !/^[-+]/.test(word.prefix)) return;
    const isKnown = !word.isUnresolved && LETTERS.test(word.value);
    const name = isKnown && word.value.endsWith("o") ? words[++index] : undefined;
    if (!isKnown || (name !== undefined && !isHarmless(name, SET_NAMES))) changes(facts, name ?? word);
  }
}

/** A name after `-o`, or after `-O` of a shell. */
export function judgeShellOption(facts: SegmentFacts, option: string, name: ExpandedWord): void {
  if (!isHarmless(name, option === "-O" ? SHOPT_NAMES : SET_NAMES)) changes(facts, name);
}

/** The words of `shopt`, which only shows options without `-s` and `-u`. */
export function judgeShopt(facts: SegmentFacts, words: readonly ExpandedWord[]): void {
  const isOption = ({ value, isUnresolved }: ExpandedWord) => !isUnresolved && value.startsWith("-");
  const flags = words.filter(isOption).map(({ value }) => value);
  const isSet = flags.some((flag) => flag.includes("o"));
  const isChange = flags.some((flag) => /[su]/.test(flag)) || words.some(({ isUnresolved }) => isUnresolved);
  if (!isChange) return;
  for (const word of words) {
    if (!isOption(word) && !isHarmless(word, isSet ? SET_NAMES : SHOPT_NAMES)) changes(facts, word);
  }
}

const isHarmless = ({ value, isUnresolved }: ExpandedWord, names: RegExp): boolean =>
  !isUnresolved && names.test(value);

function changes(facts: SegmentFacts, { text }: ExpandedWord): void {
  facts.problem("environment", `the option \`${text}\` of the shell may change what later words mean`);
}
