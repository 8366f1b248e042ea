/** Rules that users write: allow, ask, deny. Pure. */
export { commandText, suggestedCommand } from "./command-pattern.js";
export { type CompiledRule, compileRules, deniesTool, type RuleNames, ruleProblem } from "./compile-rules.js";
export type { PolicyRule, RuleEffect, RuleSource } from "./policy-rule.js";
export { RULE_EFFECTS } from "./policy-rule.js";
export { RuleBook, type TouchedPath } from "./rule-book.js";
export { parseRule, parseSubject, ruleText } from "./rule-text.js";
export { ruleVerdict } from "./rule-verdict.js";
export { runnerText, runnerWords } from "./runner-text.js";
