/** `haft policy list`: the level, the rules, and where they are written. */

import { DEFAULT_AUTONOMY } from "../../../../kernel/index.js";
import { ruleText } from "../../../../policy/rules/index.js";
import { showControls } from "../../../../text/index.js";
import { printJson } from "../../output.js";
import { EXIT } from "../../usage.js";
import { configuredPolicy, type PolicyCommandOptions } from "./configured-policy.js";

export async function listCommand(options: PolicyCommandOptions): Promise<number> {
  const { autonomy, workspace, rules, roots, sensitive } = await configuredPolicy(options, DEFAULT_AUTONOMY);
  if (options.json) {
    printJson({ autonomy, workspace, rules, roots, sensitive }, 2);
    return EXIT.ok;
  }
  const rows = [
    ...rules.map((rule) => [ruleText(rule), rule.source?.file ?? ""] as const),
    ...roots.map(({ path, access }) => [`root ${path} (${access})`, ""] as const),
    ...sensitive.map((name) => [`sensitive ${name}`, ""] as const),
  ];
  const width = Math.min(48, Math.max(0, ...rows.map(([text]) => text.length)));
  const table = rows.map(([text, source]) => showControls(`  ${text.padEnd(width)}  ${source}`.trimEnd()));
  const level = `Level ${autonomy}${autonomy === "full" ? ", where only asks and denials have an effect," : ""}`;
  const empty = "  No rules. Add one: haft policy allow 'npm test'";
  process.stdout.write(
    `${[`${level} in ${showControls(workspace)}`, ...(rows.length === 0 ? [empty] : table)].join("\n")}\n`,
  );
  return EXIT.ok;
}
