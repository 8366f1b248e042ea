/** Checks rules and makes them ready to be matched. */
import { HaftError } from "../../kernel/index.js";
import { matchGlobSegment, nearestNames, parseGlobSegment } from "../../text/index.js";
import { analyzeCommand } from "../commands/index.js";
import { hostMatcher } from "../host-pattern.js";
import { type CommandPattern, matchesWords, namesEntry, parseCommandPattern } from "./command-pattern.js";
import { PathPattern } from "./path-pattern.js";
import { type PolicyRule, RULE_EFFECTS, RULE_SUBJECTS, type RuleEffect, type RuleSource } from "./policy-rule.js";
import { commandMistake, invalidRule, parseRule, ruleText } from "./rule-text.js";

interface Named {
  readonly effect: RuleEffect;
  /** "deny path:infra/**". */
  readonly text: string;
  readonly source: RuleSource;
}

/** A rule by what it is about. */
export type CompiledRule = Named &
  (
    | { readonly kind: "tool"; matches(name: string): boolean }
    | { readonly kind: "command"; readonly pattern: CommandPattern }
    | { readonly kind: "path"; readonly glob: string; readonly access: PolicyRule["access"] }
    | { readonly kind: "host"; matches(host: string): boolean }
  );

/** What each rule may name. */
export interface RuleNames {
  /** Known tools. Absent: not checked. */
  readonly tools?: readonly string[];
}

/** @throws `CONFIG_INVALID` for the first rule that is not one, or contradicts its examples. */
export function compileRules(rules: readonly (PolicyRule | string)[], names: RuleNames = {}): readonly CompiledRule[] {
  return rules.map((rule) => compileRule(rule, names));
}

/** Whether a rule denies every call of the tool. */
export function deniesTool(rules: readonly CompiledRule[], name: string): boolean {
  return rules.some((rule) => rule.kind === "tool" && rule.effect === "deny" && rule.matches(name));
}

/** Why a rule cannot be used, as a sentence; undefined for one that can. */
export function ruleProblem(rule: PolicyRule | string, names: RuleNames = {}): string | undefined {
  try {
    compileRule(rule, names);
    return undefined;
  } catch (error) {
    if (HaftError.is(error)) return error.message;
    throw error;
  }
}

function compileRule(given: PolicyRule | string, names: RuleNames): CompiledRule {
  const rule = typeof given === "string" ? parseRule(given) : given;
  const { effect, source = { by: "session" }, match = [], notMatch = [] } = rule;
  const text = ruleText(rule);
  const fail = (why: string) => invalidRule(text, why);
  if (!RULE_EFFECTS.includes(effect)) throw fail(`its effect is one of ${RULE_EFFECTS.join(", ")}`);
  const subjects = RULE_SUBJECTS.filter((name) => rule[name] !== undefined);
  const [kind] = subjects;
  if (kind === undefined || subjects.length > 1)
    throw fail(`it names exactly one of ${RULE_SUBJECTS.join(", ")}${kind ? `, not ${subjects.join(" and ")}` : ""}`);
  const value: unknown = rule[kind];
  if (typeof value !== "string" || value.trim() === "") throw fail(`its ${kind} is empty`);
  if (rule.access !== undefined && kind !== "path") throw fail("only a rule about a path has an access");
  if (rule.access !== undefined && rule.access !== "read" && rule.access !== "write")
    throw fail("its access is read or write");
  const named = { effect, text, source };
  const compiled = compilers[kind](value, named, rule, names, fail);
  const contradicts = (example: string, expected: boolean) => matchesExample(compiled, example) !== expected;
  const missed = match.find((example) => contradicts(example, true));
  if (missed !== undefined) throw fail(`it does not match "${missed}", which its "match" lists`);
  const met = notMatch.find((example) => contradicts(example, false));
  if (met !== undefined) throw fail(`it matches "${met}", which its "notMatch" lists`);
  return compiled;
}

type Compiler = (
  value: string,
  named: Named,
  rule: PolicyRule,
  names: RuleNames,
  fail: (why: string) => HaftError,
) => CompiledRule;

const compilers: Readonly<Record<(typeof RULE_SUBJECTS)[number], Compiler>> = {
  command(value, named, _rule, _names, fail) {
    const first = /^\s*(\S+)/.exec(value)?.[1] ?? "";
    if (RULE_EFFECTS.includes(first as RuleEffect))
      throw fail(
        `its command begins with "${first}"; leave that out, or put it in quotes if the program has that name`,
      );
    const mistake = commandMistake(named.effect, value.trim());
    if (mistake !== undefined) throw fail(mistake);
    const pattern = parseCommandPattern(value);
    if ("why" in pattern) throw fail(pattern.why);
    const isAny = pattern.words.length === 0 || pattern.words[0]?.join("") === "";
    if (isAny && named.effect === "allow") throw fail("it would allow every program; name one");
    return { ...named, kind: "command", pattern };
  },
  tool(value, named, _rule, { tools }, fail) {
    if (/\s/.test(value)) throw fail("the name of a tool has no whitespace");
    const isName = !value.includes("*") && !value.includes("__");
    if (isName && tools !== undefined && !tools.includes(value)) {
      const [nearest] = nearestNames(value, tools, 1);
      throw fail(
        `there is no tool "${value}". ${nearest === undefined ? `There are ${tools.join(", ")}` : `Did you mean "${nearest}"?`}`,
      );
    }
    const tokens = parseGlobSegment(value.replaceAll(/[\\[?]/g, "\\$&"), false);
    return { ...named, kind: "tool", matches: (name) => matchGlobSegment(tokens, name) };
  },
  path(value, named, { access }) {
    return { ...named, kind: "path", glob: value, access };
  },
  host(value, named, _rule, _names, fail) {
    const matches = hostMatcher(value);
    if (matches === undefined)
      throw fail('a host is a name such as "example.com" or "*.example.com", without a port or an address before it');
    return { ...named, kind: "host", matches };
  },
};

const EXAMPLE_PLACE = { workspace: "/workspace", home: "/home/user" };

/** An allow matches a command that it settles wholly; an ask or deny one in which it finds something. */
function matchesExample(rule: CompiledRule, example: string): boolean {
  switch (rule.kind) {
    case "tool":
    case "host":
      return rule.matches(example);
    case "path": {
      const at = (text: string) => new PathPattern(text, { ...EXAMPLE_PLACE, opens: rule.effect === "allow" });
      return at(rule.glob).matches(at(example).base);
    }
    case "command": {
      const { segments, problems } = analyzeCommand(example, {
        cwd: EXAMPLE_PLACE.workspace,
        home: EXAMPLE_PLACE.home,
      });
      const isMatch = (one: (typeof segments)[number]) => matchesSegment(rule, one);
      if (rule.effect !== "allow") return segments.some(isMatch);
      return problems.length === 0 && segments.length > 0 && segments.every(isMatch);
    }
  }
}

/** Whether a command rule is about a segment. An allow needs every word of it; an ask or deny what is known of it. */
export function matchesSegment(
  { effect, pattern }: Extract<CompiledRule, { kind: "command" }>,
  { argv, program, args, rule }: ReturnType<typeof analyzeCommand>["segments"][number],
): boolean {
  if (effect === "allow") return argv !== undefined && matchesWords(pattern, argv);
  if (program === "") return false;
  const words = argv?.map(({ value }) => value) ?? [program, ...args];
  return (
    matchesWords(
      pattern,
      words.map((value) => ({ value })),
    ) ||
    (rule !== undefined && namesEntry(pattern, rule))
  );
}
