/** What a rule says of something that a call would do. */
import { allow, ask, deny, type Remembered, type Verdict } from "../verdict.js";
import type { CompiledRule } from "./compile-rules.js";

/** @param what - A clause about what the call does: "`git push` uses the network". */
export function ruleVerdict(rule: CompiledRule, what: string, remembered: Remembered = {}): Verdict {
  const { effect, text, source } = rule;
  const name = `${source.by} rule: ${text}`;
  const where = source.file === undefined ? "" : ` in ${source.file}`;
  const reason = (verb: string) => `${what}; the rule "${text}"${where} ${verb}.`;
  if (effect === "allow") return { ...allow(name, reason("allows it"), "medium"), byRule: true };
  if (effect === "ask") return { ...ask(name, reason("asks about it"), "medium", remembered), byRule: true };
  const change =
    source.file === undefined
      ? "It is a rule of this session; whoever started it can change that."
      : `The user can change that in ${source.file}.`;
  return { ...deny(name, reason("denies it"), change), byRule: true };
}
