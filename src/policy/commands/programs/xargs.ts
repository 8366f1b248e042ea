/** xargs: the arguments that it adds are known to be inside of a directory if they come from a program that lists names. */
import { hasOption, optionValues } from "../call-options.js";
import { judgeAssignment } from "../environment.js";
import { type ExpandedWord, globWord, literalWord, unknownWord } from "../expanded-word.js";
import type { ProgramCall } from "../program-spec.js";
import type { SegmentFacts } from "../segment-facts.js";

/** The paths that a pipeline prints, a line each; undefined if it may print anything else. */
export function listedBy(producers: readonly SegmentFacts[]): ExpandedWord[] | undefined {
  const [lister, ...filters] = producers;
  // A function of that name may print anything.
  if (producers.some(({ program, state }) => state.variables.definesFunction(program))) return undefined;
  return lister !== undefined && filters.every(isLineFilter) ? listedPaths(lister) : undefined;
}

export function judgeXargs(call: ProgramCall): void {
  const { operands } = call.parsed;
  for (const { value } of optionValues(call, "--process-slot-var")) judgeAssignment(call.facts, value, undefined);
  if (operands.length === 0) return;
  const added = addedArguments(call);
  const mark = replacedMark(call);
  if (mark === undefined) {
    call.run([...operands, ...added]);
    return;
  }
  call.run(
    operands.flatMap((word) => {
      if (!word.value.includes(mark)) return [word];
      return word.value === mark ? added : [{ ...word, isUnresolved: true, isNonEmpty: true }];
    }),
  );
}

/** What `-I` replaces. */
function replacedMark(call: ProgramCall): string | undefined {
  const option = call.parsed.options.find(({ name }) => /^(-I|-i|-J|--replace)$/.test(name));
  return option === undefined ? undefined : (option.values[0]?.value ?? "{}");
}

function addedArguments(call: ProgramCall): ExpandedWord[] {
  const { input } = call;
  const unknown = [unknownWord("xargs")];
  if (input?.kind !== "pipe") return unknown;
  const listed = listedBy(input.producers());
  if (listed === undefined) return unknown;
  // Names may contain any other delimiter. With `-I` they end at lines, which a name may still contain.
  const delimiters = optionValues(call, "-d", "--delimiter");
  if (!delimiters.every(({ value }) => /^\\[n0]$/.test(value))) return unknown;
  if (delimiters.length > 0 || hasOption(call, "-0", "--null")) return listed;
  call.facts.splits(listed, ": use `xargs -0`");
  return listed.map((word) => ({ ...word, prefix: "", maySplit: true }));
}

/** Arguments with which a filter passes lines as they are. The file operands of a filter are in its facts. */
const PLAIN_FILTERS: Readonly<Record<string, RegExp>> = {
  grep: /^(-[vEFiwxz]+|-e|[^-].*)$/s,
  egrep: /^(-[viwxz]+|-e|[^-].*)$/s,
  fgrep: /^(-[viwxz]+|-e|[^-].*)$/s,
  head: /^(-n|-?\d+|-n\d+|-z)$/,
  tail: /^(-n|-?\d+|-n\d+|-z)$/,
  sort: /^-[urnVzf]+$/,
  uniq: /^-[udz]$/,
  tr: /^\\[n0]$/,
};

function isLineFilter(facts: SegmentFacts): boolean {
  const plain = Object.hasOwn(PLAIN_FILTERS, facts.program) ? PLAIN_FILTERS[facts.program] : undefined;
  if (plain === undefined || facts.input?.kind !== "pipe" || facts.files.length > 0 || facts.problems.length > 0)
    return false;
  return facts.args.every(({ value, isUnresolved }) => !isUnresolved && plain.test(value));
}

/** The paths that a program lists, as globs; undefined if it may print anything else. */
function listedPaths(lister: SegmentFacts): ExpandedWord[] | undefined {
  const { program, rule, args, problems } = lister;
  if (problems.length > 0 || args.some(({ isUnresolved }) => isUnresolved)) return undefined;
  const values = args.map(({ value }) => value);
  const has = (pattern: RegExp) => values.some((value) => pattern.test(value));
  // Names that begin with a directory cannot be options.
  if (program === "find") return has(/^-(printf|ls|exec|execdir|ok|okdir)$/) ? undefined : trees(lister, true);
  if (program === "rg") {
    const listsNames = has(/^(--files|--files-with-matches|--files-without-match|-[a-zA-Z]*l[a-zA-Z]*)$/);
    return listsNames && !has(/^(-r|--replace|--path-sep|--hyper|--context-sep|--field)/)
      ? trees(lister, false)
      : undefined;
  }
  if (/^[ef]?grep$/.test(program)) {
    return has(/^(-[a-zA-Z]*[lL][a-zA-Z]*|--files-with(out)?-match(es)?)$/) && !has(/^--la/)
      ? trees(lister, false)
      : undefined;
  }
  if (rule === "git ls-files") return has(/^--fo|^--eol|^-s$|^--stage|^--debug/) ? undefined : here(lister);
  if (rule === "git grep") return has(/^(-[a-zA-Z]*l|--files-with-matches|--name-only)$/) ? here(lister) : undefined;
  if (rule === "git diff")
    return has(/^--name-only$/) && !has(/^-(?!-name-only$|-cached$|-staged$|-diff-filter=|z$)/)
      ? here(lister)
      : undefined;
  if (program !== "ls" || has(/^-.*[lsi]|^--/)) return undefined;
  // Names in a directory, and file operands as they are.
  const operands = lister.files.map(({ path, glob }) => (glob === true ? globWord(path) : literalWord(path)));
  const names = here(lister);
  return names === undefined ? undefined : [...names, ...operands];
}

/** Below the directories that it reads. */
function trees(lister: SegmentFacts, isPrefixed: boolean): ExpandedWord[] | undefined {
  const read = lister.files.filter(({ access }) => access === "read");
  if (read.length === 0 || !read.every(({ resolved }) => resolved)) return here(lister);
  return read.map(({ path, glob, extent, only }) => {
    const within = { ...(extent === "visible" ? { extent } : {}), ...(only === undefined ? {} : { only }) };
    const word = { ...globWord(glob === true ? path : `${path}/**`), within };
    return isPrefixed ? word : { ...word, prefix: "" };
  });
}

/** `git ls-files --others` names ignored files too, unless an option says what is ignored. */
function listsIgnored({ rule, args }: SegmentFacts): boolean {
  if (rule !== "git ls-files") return false;
  const has = (pattern: RegExp) => args.some(({ value }) => pattern.test(value));
  if (has(/^(-[a-z]*[ik]|--[ik])/)) return true;
  return has(/^(-[a-z]*o|--o)/) && !has(/^--exclude-standard$/);
}

/** Below the current directory. What git tracks is taken as what it does not ignore. */
function here(lister: SegmentFacts): ExpandedWord[] | undefined {
  const isGit = lister.program === "git";
  const values = lister.args.map(({ value }) => value);
  // A path of git may lead to another part of the repository.
  if (isGit && values.some((value) => /^[/:]|(^|\/)\.\.(\/|$)/.test(value))) return undefined;
  const operands = values.slice(1).filter((value) => !value.startsWith("-"));
  const isNames =
    lister.rule === "git ls-files" && operands.length > 0 && operands.every((one) => /^\*[^/[\\]+$/.test(one));
  const within =
    isGit && !listsIgnored(lister) ? { extent: "unignored" as const, ...(isNames ? { only: operands } : {}) } : {};
  return lister.state.directories?.map((directory) => ({ ...globWord(`${directory}/**`), prefix: "", within }));
}
