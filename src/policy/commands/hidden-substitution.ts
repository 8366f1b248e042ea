/** Substitutions that bash runs although they are quoted: in the index of an array, where a text is evaluated as a number. */
import type { SegmentFacts } from "./segment-facts.js";

/** `a[$(command)]` as a text. */
const HIDDEN = /\[[^\]]*(\$\(|`|\$\{)/;

export function judgeEvaluated(facts: SegmentFacts, text: string): void {
  if (HIDDEN.test(text)) facts.problem("dynamic-command", `bash may run the substitution in \`${text.slice(0, 80)}\``);
}
