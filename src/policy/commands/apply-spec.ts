/** Applies a table entry to the words that a program gets. */
import { baseName } from "../../text/index.js";
import { compileSpec } from "./compile-spec.js";
import { type ExpandedWord, literalWord, withoutPrefix } from "./expanded-word.js";
import { maxRisk } from "./judgement.js";
import { parseArguments } from "./parse-arguments.js";
import type {
  CompiledSpec,
  GivenOption,
  Meaning,
  OptionEffect,
  ParsedArguments,
  ProgramCall,
  ProgramSpec,
} from "./program-spec.js";
import type { ShellState } from "./shell-state.js";

const UNKNOWN_SUBCOMMAND: ProgramSpec = {
  does: "medium",
  why: "a subcommand that is not known to Haft",
  operands: "maybe*",
};

/** A call whose arguments are not parsed yet. */
type UnparsedCall = Omit<ProgramCall, "parsed">;

/** Judges a call by its table entry. `rule` names the entry. */
export function applySpec(call: UnparsedCall, spec: ProgramSpec, rule: string): void {
  const { facts, args } = call;
  const [only] = args;
  const compiled = compileSpec(spec);
  if (args.length === 1 && only !== undefined && !only.isUnresolved && compiled.info.has(only.value)) {
    facts.rule = `${rule} ${only.value}`;
    facts.raise("low", "prints about itself");
    return;
  }
  const parsed = parseArguments(args, compiled);
  if (compiled.commands.size > 0 || spec.otherwise !== undefined) {
    subcommand(call, compiled, parsed, rule);
    return;
  }
  facts.rule = rule;
  applyParsed(call, parsed, compiled);
}

function subcommand(call: UnparsedCall, compiled: CompiledSpec, parsed: ParsedArguments, rule: string): void {
  const { facts, args } = call;
  applyEffect(call, compiled.does, compiled.spec.why);
  for (const option of parsed.options) applyOption(call, option, compiled.spec);
  compiled.spec.judge?.({ ...call, parsed: { ...parsed, operands: [] } });
  const [name] = parsed.operands;
  if (name?.isUnresolved === true || name?.isGlob === true) {
    facts.problem("dynamic-command", `the subcommand \`${name.text}\` is not known before the command runs`);
    return;
  }
  const known = name === undefined ? undefined : compiled.commands.get(name.value);
  if (known !== undefined && name !== undefined) {
    applySpec({ ...call, args: args.slice(parsed.operandStart + 1) }, known, `${rule} ${name.value}`);
    return;
  }
  const rest =
    compiled.spec.otherwise === undefined && name !== undefined ? parsed.operandStart + 1 : parsed.operandStart;
  const isAlone = name === undefined && parsed.options.length === 0;
  const fallback = compiled.spec.otherwise ?? (isAlone ? { operands: "text*" } : UNKNOWN_SUBCOMMAND);
  applySpec({ ...call, args: args.slice(rest) }, fallback, rule);
}

function applyParsed(call: UnparsedCall, parsed: ParsedArguments, compiled: CompiledSpec): void {
  const { spec } = compiled;
  const { facts } = call;
  facts.operands = parsed.certain;
  applyEffect(call, compiled.does, spec.why);
  for (const option of parsed.options) applyOption(call, option, spec);
  applyOperands(call, parsed, compiled);
  // A cluster of flags that the table does not know may be one option and its value: `-x/a`.
  if (compiled.operands.some(({ meaning }) => meaning === "maybe")) {
    for (const word of call.args)
      if (/^-[A-Za-z][^/]*[./~=]/.test(word.prefix)) applyMeaning(call, word, "maybe", "self", false);
  }
  spec.judge?.({ ...call, parsed });
  if (compiled.isInert) return;
  const reads = compiled.hasDangerousOption || compiled.operands.some(({ meaning }) => meaning !== "text");
  for (const word of parsed.uncertain) {
    if (word.isUnresolved && reads) facts.unresolved(word);
    else if (word.isGlob && compiled.hasDangerousOption) {
      facts.problem("unresolved", `a name that \`${word.text}\` matches may be taken for an option`);
    }
  }
}

function applyEffect({ facts }: UnparsedCall, effect: OptionEffect, why: string | undefined, name?: string): void {
  if (effect.network) facts.network = true;
  if (effect.workspace) facts.runsWorkspaceCode = true;
  facts.extent = effect.extent ?? facts.extent;
  facts.follows ||= effect.follows;
  const risk = effect.workspace ? maxRisk("medium", effect.risk) : effect.risk;
  const reason = why ?? defaultReason(effect);
  facts.raise(risk, name === undefined ? reason : `${reason} (${name})`);
}

function defaultReason(effect: OptionEffect): string {
  if (effect.workspace) return "runs code of the workspace";
  if (effect.network) return "uses the network";
  return effect.risk === "high" ? "can do harm that is hard to undo" : "changes files or state";
}

function applyOption(call: UnparsedCall, option: GivenOption, spec: ProgramSpec): void {
  const { effect, attached } = option;
  if (effect === undefined) {
    if (spec.closed === true) call.facts.raise("medium", `is given ${option.name}, which is not known to Haft`);
    if (attached !== undefined) {
      for (const part of [attached, ...pathsIn(attached)])
        if (mayBePath(part, call.state)) call.facts.file(part, "read");
    }
    return;
  }
  applyEffect(call, effect, spec.why, effect.risk === "low" ? undefined : option.name);
  const scope = effect.tree ? "tree" : "self";
  option.values.forEach((value, index) => {
    const meaning = effect.values[index] ?? effect.values[0];
    if (meaning !== undefined) applyMeaning(call, value, meaning, scope, false);
  });
}

function applyOperands(call: UnparsedCall, { operands, options }: ParsedArguments, compiled: CompiledSpec): void {
  let { tree, destructive } = compiled.does;
  let override: Meaning | undefined;
  let meanings = compiled.operands;
  for (const { effect } of options) {
    if (effect === undefined) continue;
    tree ||= effect.tree;
    destructive ||= effect.destructive;
    override = effect.operands ?? override;
    if (effect.noFirst && meanings === compiled.operands) meanings = withoutOne(meanings, 0);
    else if (effect.noLast && meanings === compiled.operands) meanings = withoutOne(meanings, -1);
  }
  const scope = tree ? "tree" : "self";
  const { here } = compiled.spec;
  if (operands.length === 0 && here !== undefined) call.facts.file(literalWord("."), "read", tree ? "tree" : here);
  operands.forEach((word, index) => {
    for (const usual of meaningsAt(index, operands, meanings)) {
      const meaning = usual === "text" ? usual : (override ?? usual);
      if (meaning === "into") into(call, word, operands.slice(0, index), scope);
      else applyMeaning(call, word, meaning, scope, destructive);
    }
  });
}

/** Without the first or the last place, unless it is the only one. */
function withoutOne(meanings: CompiledSpec["operands"], place: 0 | -1): CompiledSpec["operands"] {
  if (meanings.length < 2) return meanings;
  return place === 0 ? meanings.slice(1) : meanings.slice(0, -1);
}

/** The meanings of an operand. Those of the fixed places after it too if it is a glob, which may stand for several operands. */
function meaningsAt(index: number, operands: readonly ExpandedWord[], meanings: CompiledSpec["operands"]): Meaning[] {
  const usual = meaningAt(index, operands.length, meanings);
  const all = usual === undefined ? [] : [usual];
  if (operands[index]?.isGlob !== true || meanings.some(({ repeats }) => repeats)) return all;
  return [...all, ...meanings.slice(index + 1).map(({ meaning }) => meaning)];
}

/** The meaning of an operand: those before and after the repeated one have fixed places. */
function meaningAt(index: number, count: number, meanings: CompiledSpec["operands"]): Meaning | undefined {
  const repeated = meanings.findIndex(({ repeats }) => repeats);
  // More operands than the table knows are taken as the last one it knows.
  if (repeated === -1) return (meanings[index] ?? meanings.at(-1))?.meaning;
  if (index < repeated) return meanings[index]?.meaning;
  const fromEnd = count - index;
  const isAfter = fromEnd < meanings.length - repeated;
  return (isAfter ? meanings[meanings.length - fromEnd] : meanings[repeated])?.meaning;
}

/** A destination: itself, and what it would contain if it is a directory. */
function into(call: UnparsedCall, word: ExpandedWord, sources: readonly ExpandedWord[], scope: "self" | "tree"): void {
  call.facts.file(word, "write", scope);
  if (word.isUnresolved || word.isGlob) return;
  for (const source of sources) {
    if (source.isUnresolved || source.isGlob) call.facts.file(word, "write", "tree");
    else call.facts.file(literalWord(`${word.value}/${baseName(source.value)}`), "write", scope);
  }
}

function applyMeaning(
  call: UnparsedCall,
  word: ExpandedWord,
  meaning: Meaning,
  scope: "self" | "tree",
  isDestructive: boolean,
): void {
  const { facts, state } = call;
  switch (meaning) {
    case "text":
      return;
    case "maybe":
      if (looksLikePath(word)) facts.file(word, "read", scope);
      else for (const part of pathsIn(word)) if (mayBePath(part, state)) facts.file(part, "read", scope);
      return;
    case "read":
    case "write":
    case "delete":
    case "change":
      if (URL_WITH_HOST.test(word.value)) {
        facts.connects(hostOf(word.value));
        facts.raise("medium", "may read from the network");
      }
      facts.file(word, meaning, scope, isDestructive);
      return;
    case "into":
      facts.file(word, "write", "tree");
      return;
    case "script":
      facts.runsWorkspaceCode = true;
      facts.raise("medium", "runs code of the workspace");
      if (isInput(word)) facts.problem("dynamic-command", "runs code that comes from its input");
      facts.file(word, "read");
      return;
    case "cwd":
      facts.file(word, "read");
      state.enter(word);
      return;
    case "shell":
      call.shell(word);
      return;
    case "code":
      facts.raise("high", "runs code that is given in the command");
      return;
    case "url":
    case "host":
      facts.connects(word.isUnresolved ? undefined : hostOf(word.value));
      return;
    default:
      meaning satisfies never;
  }
}

/** What may be a path within a word: after the first and the last `=`, after `@`, and after the letter of an option. */
function pathsIn(word: ExpandedWord): ExpandedWord[] {
  const { prefix } = word;
  const starts = new Set([prefix.indexOf("=") + 1, prefix.lastIndexOf("=") + 1]);
  const parts = [...starts].filter((start) => start > 0).map((start) => withoutPrefix(word, start));
  const glued = /^-[A-Za-z](?=[./~])/.test(prefix) ? [withoutPrefix(word, 2)] : [];
  return [word, ...parts, ...glued].flatMap((part) => {
    if (part.prefix.startsWith("@")) return [withoutPrefix(part, 1)];
    return part === word ? [] : [part];
  });
}

/** Whether a path means stdin, or the output of another command. */
export function isInput(word: ExpandedWord): boolean {
  return /^(-|\/dev\/(stdin|fd\/.*)|\/proc\/[^/]+\/fd\/.*)$/.test(word.value);
}

/** The value of an unknown option names a file more often than an operand does: `--x=.env`. */
const mayBePath = (word: ExpandedWord, { directories }: ShellState): boolean =>
  looksLikePath(word) || (!word.isUnresolved && !word.isGlob && (directories !== undefined || /[./]/.test(word.value)));

/** Whether a word that may name a file does so by its form. */
export function looksLikePath(word: ExpandedWord): boolean {
  return /^(\/|~|\.{1,2}(\/|$))|\/\.\.(\/|$)/.test(word.value);
}

/** Some programs take it in the place of a file. */
const URL_WITH_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?!\/)/i;

/** `host` of `https://user@host:1/x`, `user@host:path`, `host:1`, `host`. */
export function hostOf(text: string): string | undefined {
  if (text.includes("\\")) return undefined; // programs differ in what it means
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@?#]*@)?(\[[0-9a-f:.]+\]|[^/:?#]+)/i.exec(text)?.[1];
}

/** The value in a word such as `if=/dev/sda` or `+%s`; undefined if it has no `=`. */
export function assignmentValue(word: ExpandedWord): { name: string; value: ExpandedWord } | undefined {
  const equals = word.prefix.indexOf("=");
  return equals === -1 ? undefined : { name: word.prefix.slice(0, equals), value: withoutPrefix(word, equals + 1) };
}
