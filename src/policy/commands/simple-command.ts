/** One simple command: its assignments, its redirections, and the words that it runs with. */
import type { Assignment, Command, SyntaxNode, TestExpression, Word } from "unbash";
import { forEachChild } from "unbash";
import { judgeAssignment } from "./environment.js";
import { type ExpandedWord, expandArgument, literalWord, unknownWord, type VariableValue } from "./expanded-word.js";
import { judgeEvaluated } from "./hidden-substitution.js";
import { MAX_COMBINATIONS } from "./limits.js";
import { judgeRedirects } from "./redirections.js";
import type { SegmentFacts } from "./segment-facts.js";
import type { ShellState } from "./shell-state.js";
import { DECLARERS } from "./variables.js";

/** Calls `judge` for each program that the command may start: one for each combination of the values of its variables. */
export function eachProgram(node: Command, state: ShellState, judge: (words: readonly ExpandedWord[]) => void): void {
  for (const choice of choices(node, state)) {
    state.choice = choice;
    const words: ExpandedWord[] = [];
    if (node.name !== undefined) words.push(...expandName(node.name, state));
    for (const one of node.args) for (const word of argument(one, state)) words.push(word);
    judge(words);
  }
  state.choice = undefined;
  // A redirection that fails prevents the assignment.
  if (node.redirects.length > 0) return;
  if (node.name === undefined) for (const one of node.prefix) if (one.type === "Assignment") remember(one, state);
  if (node.name !== undefined && DECLARERS.has(node.name.value)) {
    for (const one of node.args) if (one.type === "Assignment") remember(one, state);
  }
}

/** Judges what is not in the words of a command: assignments and redirections. */
export function judgeAround(facts: SegmentFacts, node: Command, state: ShellState): void {
  for (const one of node.prefix) {
    if (one.type === "Assignment") judgeAssigned(facts, one, state);
  }
  for (const one of node.args) {
    if (one.type === "Assignment") judgeAssigned(facts, one, state);
  }
  judgeRedirects(facts, node.redirects, state);
}

/** The words of `[[ … ]]`, as `[` would get them. */
export function testWords(node: TestExpression, state: ShellState): ExpandedWord[] {
  const one = (word: Word) => expandArgument(word, state, true).map((expanded) => ({ ...expanded, text: word.text }));
  switch (node.type) {
    case "TestUnary":
      return [literalWord(node.operator), ...one(node.operand)];
    case "TestBinary":
      return [...one(node.left), literalWord(node.operator), ...one(node.right)];
    case "TestLogical":
      return node.operands.flatMap((operand) => testWords(operand, state));
    case "TestNot":
      return testWords(node.operand, state);
    case "TestGroup":
      return testWords(node.expression, state);
  }
}

function judgeAssigned(facts: SegmentFacts, one: Assignment, state: ShellState): void {
  const word = assignedWord(one, state);
  judgeAssignment(facts, one.name, word);
  // Arithmetic evaluates what is in a variable.
  if (word !== undefined) judgeEvaluated(facts, word.value);
}

/** `$'ls'` and `$"ls"` are other names in dash, and braces are part of the name there. */
function expandName(name: Word, state: ShellState): ExpandedWord[] {
  const words = expandArgument(name, state);
  const differs = name.parts?.some(({ type }) => /AnsiC|Locale|Brace|ExtendedGlob/.test(type)) === true;
  const [first, ...rest] = words;
  if (first === undefined) return [unknownWord(name.text)];
  return differs ? [{ ...first, isUnresolved: true }, ...rest] : words;
}

function argument(one: Word | Assignment, state: ShellState): ExpandedWord[] {
  if (one.type === "Word") return expandArgument(one, state);
  const value = assignedWord(one, state);
  const start = literalWord(`${one.name}=`);
  if (value === undefined) return [{ ...unknownWord(one.text), prefix: start.value }];
  return [{ ...value, text: one.text, value: start.value + value.value, prefix: start.value + value.prefix }];
}

function assignedWord(one: Assignment, state: ShellState): ExpandedWord | undefined {
  if (one.append === true || one.index !== undefined || one.value.type !== "Word") return undefined;
  return expandArgument(one.value, state, true)[0] ?? literalWord("");
}

function remember(one: Assignment, state: ShellState): void {
  const word = assignedWord(one, state);
  const isKnown = word !== undefined && !word.isUnresolved;
  state.assign(one.name, isKnown ? [{ value: word.value, isGlob: word.isGlob }] : undefined);
}

const ONE_CHOICE = [undefined];

/** The combinations of the values of all variables in the command that have several. */
function choices(node: Command, state: ShellState): (ReadonlyMap<string, VariableValue> | undefined)[] {
  if (!state.hasChoices) return ONE_CHOICE;
  const names = new Set<string>();
  collectNames(node, names);
  if (names.size === 0) return ONE_CHOICE;
  let combinations: Map<string, VariableValue>[] = [new Map()];
  for (const name of names) {
    const values = state.valuesOf(name) ?? [];
    if (values.length < 2 || values.length * combinations.length > MAX_COMBINATIONS) continue;
    combinations = combinations.flatMap((one) => values.map((value) => new Map(one).set(name, value)));
  }
  return combinations.length === 1 ? ONE_CHOICE : combinations;
}

function collectNames(node: SyntaxNode, names: Set<string>): void {
  if (node.type === "Script") return;
  if (node.type === "SimpleExpansion") names.add(node.text.slice(1));
  if (node.type === "ParameterExpansion") names.add(node.parameter);
  forEachChild(node, (child) => collectNames(child, names));
}
