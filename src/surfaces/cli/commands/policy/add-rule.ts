/** `haft policy allow`, `ask` and `deny`: a rule for the user's own configuration. */
import { parseRule, parseSubject, type RuleEffect, ruleProblem, ruleText } from "../../../../policy/rules/index.js";
import { showControls } from "../../../../text/index.js";
import { builtinToolNames } from "../../../../toolkit/index.js";
import { addToUserList } from "../../config-edit.js";
import { EXIT, UsageError } from "../../usage.js";

const DONE: Readonly<Record<RuleEffect, string>> = { allow: "Allowed", ask: "Asked about", deny: "Denied" };

/** @throws UsageError for a rule that is not one */
export async function addRule(effect: RuleEffect, text: string): Promise<number> {
  const problem = ruleProblem(`${effect} ${text}`, { tools: builtinToolNames });
  if (problem !== undefined) throw new UsageError(`Did not add it. ${problem}`);
  const rule = ruleText({ effect, ...parseSubject(text) });
  const subject = rule.slice(effect.length);
  // The same subject with another effect: the last decision of the user counts.
  const isOpposite = (item: unknown) => typeof item === "string" && subjectOf(item) === subject;
  const { file, isChanged } = await addToUserList(["policy", "rules"], rule, isOpposite);
  const what = `${DONE[effect]}:${subject}`;
  process.stdout.write(
    showControls(isChanged ? `${what}` : `${what} (it was already)`) +
      `\n  in every workspace, by ${showControls(file)}. Restart a running \`haft serve\` to apply it.\n`,
  );
  return EXIT.ok;
}

function subjectOf(text: string): string {
  const rule = parseRule(text);
  return ruleText(rule).slice(rule.effect.length);
}
