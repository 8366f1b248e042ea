/** `haft policy allow`, `ask`, `deny` and `remove`: the rules of the user's own configuration. */
import { accessSync, constants, statSync } from "node:fs";
import { homeDirectory } from "../../../../host/index.js";
import {
  type PolicyRule,
  parseRule,
  parseSubject,
  RULE_EFFECTS,
  type RuleEffect,
  ruleProblem,
  ruleText,
} from "../../../../policy/rules/index.js";
import { resolvePath, shellWord, showControls } from "../../../../text/index.js";
import { builtinToolNames } from "../../../../toolkit/index.js";
import { addToUserList, removeFromUserList } from "../../config-edit.js";
import { EXIT, UsageError } from "../../usage.js";

const DONE: Readonly<Record<RuleEffect, string>> = { allow: "Allowed", ask: "Asked about", deny: "Denied" };
const RULES = ["policy", "rules"] as const;

/** @throws UsageError for a rule that is not one */
export async function addRule(effect: RuleEffect, text: string): Promise<number> {
  const problem = ruleProblem(`${effect} ${text}`, { tools: builtinToolNames }) ?? pathProblem(text);
  if (problem !== undefined) throw new UsageError(`Did not add it. ${problem}`);
  const rule = ruleText({ effect, ...parseSubject(text) });
  const subject = rule.slice(effect.length);
  let old = rule;
  // The same subject with another effect: the last decision of the user counts.
  const isOpposite = (item: unknown) => {
    if (typeof item !== "string" || subjectOf(textOf(item)) !== subject) return false;
    old = textOf(item);
    return true;
  };
  const { file, isChanged } = await addToUserList(RULES, rule, isOpposite);
  const what = `${DONE[effect]}:${subject}`;
  const replaced = old === rule ? "" : `\n  It replaces: ${showControls(old)}`;
  const command = subject.trim();
  const isToolName = (builtinToolNames as readonly string[]).includes(command);
  const about = isToolName
    ? `\n  It is about the program \`${command}\` alone. For Haft's tool of that name: haft policy ${effect} tool:${command}`
    : "";
  process.stdout.write(
    showControls(isChanged ? `${what}` : `${what} (it was already)`) +
      `${replaced}${about}\n  in every workspace and on every target, by ${showControls(file)}. Restart a running \`haft serve\` to apply it.\n`,
  );
  return EXIT.ok;
}

/** @param text - A rule, or its subject for the rules of every effect. @throws HaftError for neither */
export async function removeRule(text: string): Promise<number> {
  const isWhole = (RULE_EFFECTS as readonly string[]).includes(text.trim().split(/\s/)[0]!);
  const asked = isWhole ? ruleText(parseRule(text)) : subjectOf(ruleText({ effect: "ask", ...parseSubject(text) }));
  const removed: string[] = [];
  const isAsked = (item: unknown) => {
    const rule = textOf(item);
    const isOne = asked === (isWhole ? rule : subjectOf(rule));
    if (isOne) removed.unshift(rule);
    return isOne;
  };
  const { file, isChanged } = await removeFromUserList(RULES, isAsked);
  const lines = isChanged
    ? [...removed.map((rule) => `Removed: ${rule}`), `  from ${file}. Restart a running \`haft serve\` to apply it.`]
    : [`There is no rule "${asked.trim()}" in ${file}. \`haft policy\` lists the rules with their files.`];
  process.stdout.write(`${lines.map(showControls).join("\n")}\n`);
  return isChanged ? EXIT.ok : EXIT.errorResult;
}

const textOf = (item: unknown): string => ruleText(typeof item === "string" ? parseRule(item) : (item as PolicyRule));

/** " npm test" of "allow npm test". */
const subjectOf = (rule: string): string => rule.slice(rule.indexOf(" "));

/** A path in the place of a program would be a rule that never matches. Scripts are programs. */
function pathProblem(text: string): string | undefined {
  if (/\s/.test(text) || parseSubject(text).command === undefined) return undefined;
  const path = resolvePath(process.cwd(), text, homeDirectory());
  const isDirectory = text.endsWith("/") || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isDirectory && !isData(path)) return undefined;
  const rule = `path:${text.replace(/\/+$/, "")}${isDirectory ? "/**" : ""}`;
  return `"${text}" is a path, and a rule without "path:" is about a program. Did you mean ${shellWord(rule)}?`;
}

function isData(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return false;
  } catch {
    return true;
  }
}
