/** Compiles the strings of the program tables. */
import type { CompiledSpec, Meaning, OptionEffect, ProgramSpec } from "./program-spec.js";

const MEANINGS: readonly string[] = "text maybe read write delete change into cwd shell code script url host".split(
  " ",
) satisfies string[];
const FACTS = [
  "network",
  "workspace",
  "tree",
  "destructive",
  "glued",
  "no-first",
  "no-last",
  "ends",
  "names",
  "visible",
  "follows",
];
const RISKS: readonly string[] = ["low", "medium", "high"];

const compiled = new WeakMap<ProgramSpec, CompiledSpec>();

/** Compiles a table entry at its first use. @throws for a word that is not in the language. */
export function compileSpec(spec: ProgramSpec): CompiledSpec {
  const known = compiled.get(spec);
  if (known !== undefined) return known;
  const options = new Map<string, OptionEffect>();
  for (const [names, text] of Object.entries(spec.options ?? {})) {
    const effect = parseEffect(text);
    for (const name of names.split(" ")) options.set(name, effect);
  }
  const operands = (spec.operands ?? "read*").split(" ").map((word) => {
    const meaning = word.replace("*", "");
    if (!isMeaning(meaning)) throw new Error(`"${meaning}" is not the meaning of an operand.`);
    return { meaning, repeats: word.endsWith("*") };
  });
  const commands = new Map<string, ProgramSpec>();
  for (const [names, sub] of Object.entries(spec.commands ?? {})) {
    for (const name of names.split(" ")) commands.set(name, sub);
  }
  const hasDangerousOption =
    spec.closed === true ||
    (spec.judge !== undefined && spec.isSafe !== true) ||
    [...options.values()].some((effect) => isDangerous(effect));
  const isInert =
    !hasDangerousOption &&
    operands.every(({ meaning }) => meaning === "text") &&
    [...options.values()].every(({ values }) => values.every((meaning) => meaning === "text"));
  const info = new Set((spec.info ?? "--version --help").split(" "));
  const result = {
    spec,
    info,
    does: parseEffect(spec.does ?? ""),
    options,
    operands,
    commands,
    hasDangerousOption,
    isInert,
  };
  compiled.set(spec, result);
  return result;
}

const isMeaning = (word: string): word is Meaning => MEANINGS.includes(word);

const isDangerous = ({ values, risk, network, workspace, operands }: OptionEffect): boolean =>
  risk !== "low" ||
  network ||
  workspace ||
  (operands !== undefined && operands !== "read" && operands !== "text") ||
  values.some((meaning) => !["text", "read", "maybe"].includes(meaning));

function parseEffect(text: string): OptionEffect {
  const words = text.split(" ").filter((word) => word !== "");
  const operands = words.find((word) => word.startsWith("operands="))?.slice("operands=".length);
  if (operands !== undefined && !isMeaning(operands))
    throw new Error(`"${operands}" is not the meaning of an operand.`);
  for (const word of words) {
    if (isMeaning(word) || FACTS.includes(word) || RISKS.includes(word) || word.startsWith("operands=")) continue;
    throw new Error(`"${word}" in "${text}" is not a word of the program tables.`);
  }
  const has = (word: string) => words.includes(word);
  return {
    values: words.filter(isMeaning),
    isGlued: has("glued"),
    risk: has("high") ? "high" : has("medium") ? "medium" : "low",
    network: has("network"),
    workspace: has("workspace"),
    tree: has("tree"),
    destructive: has("destructive"),
    noFirst: has("no-first"),
    noLast: has("no-last"),
    ends: has("ends"),
    extent: has("names") ? "names" : has("visible") ? "visible" : undefined,
    follows: has("follows"),
    operands,
  };
}
