import { posixQuote } from "../text/index.js";

/** What a user types to add the rule. */
export function allowCommand(rule: string): string {
  return `haft policy allow ${posixQuote(rule)}`;
}

/** The same for several rules, as a sentence. */
export function commandToAllow(rules: readonly string[]): string {
  return `To allow it, run: ${rules.map(allowCommand).join(" && ")}`;
}
