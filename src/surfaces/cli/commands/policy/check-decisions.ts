/** `haft policy check`: expected decisions on commands, compared with what the policy decides. */
import { readFileSync } from "node:fs";
import { messageOf } from "../../../../kernel/index.js";
import { RULE_EFFECTS } from "../../../../policy/rules/index.js";
import { showControls } from "../../../../text/index.js";
import { builtinToolNames } from "../../../../toolkit/index.js";
import { EXIT, UsageError } from "../../usage.js";
import { configuredPolicy, type PolicyCommandOptions, withExplainer } from "./configured-policy.js";

/** @returns 0 if every line holds, else 1. @throws UsageError for a line that is not one */
export async function checkFile(file: string, options: PolicyCommandOptions): Promise<number> {
  const cases = casesOf(file);
  const configured = await configuredPolicy(options, "supervised");
  const { autonomy } = configured;
  const wrong = await withExplainer(configured, async (explain) => {
    const lines: string[] = [];
    for (const { line, expected, command } of cases) {
      const { effect, rule } = (await explain(command)).decision;
      if (effect !== expected) lines.push(`${file}:${line}: expected ${expected}, got ${effect} (${rule}): ${command}`);
    }
    return lines;
  });
  for (const line of wrong) process.stdout.write(`${showControls(line)}\n`);
  const count = `${cases.length} ${cases.length === 1 ? "command" : "commands"}`;
  process.stdout.write(
    wrong.length === 0
      ? `${count} decided as expected at the level ${autonomy}.\n`
      : `${wrong.length} of ${count} decided otherwise at the level ${autonomy}. \`haft policy explain\` shows why.\n`,
  );
  return wrong.length === 0 ? EXIT.ok : EXIT.errorResult;
}

function casesOf(file: string) {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new UsageError(`Did not check: ${isMissing ? `there is no file ${file}` : messageOf(error)}.`);
  }
  const cases = text.split(/\r?\n/).flatMap((content, index) => {
    if (/^\s*(#.*)?$/.test(content)) return [];
    const [, expected = "", command = ""] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(content) ?? [];
    const [tool = "", ...parameters] = command.split(/\s+/);
    if (builtinToolNames.includes(tool) && parameters.length > 0 && parameters.every((one) => /^\w+=/.test(one)))
      throw new UsageError(
        `Did not check: ${file}:${index + 1} is a call of the tool "${tool}". Write shell commands, one per line.`,
      );
    if ((RULE_EFFECTS as readonly string[]).includes(expected)) return [{ line: index + 1, expected, command }];
    throw new UsageError(
      `Did not check: ${file}:${index + 1} is not "allow", "ask" or "deny" and a command, such as \`allow git status\`.`,
    );
  });
  if (cases.length > 0) return cases;
  throw new UsageError(`Did not check: ${file} has no commands. Write lines such as \`allow git status\`.`);
}
