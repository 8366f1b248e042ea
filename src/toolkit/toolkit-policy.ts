/** The policy of a toolkit that has none of its own. What parses commands and rules is loaded with the first toolkit. */
import type { Policy } from "../kernel/index.js";
import { builtinTools } from "../tools/index.js";
import type { ToolkitOptions } from "./toolkit-options.js";
import { webPolicy } from "./web-options.js";

type PolicyOptions = Pick<ToolkitOptions, "rules" | "roots" | "sensitive" | "howToAllow" | "tools" | "policy" | "web">;

export interface ToolkitPolicy {
  readonly policy: Policy;
  /** Whether a rule denies every call of the tool, so that it is not offered. */
  isDenied(tool: string): boolean;
}

/** @throws `CONFIG_INVALID` for a rule that is not one or names an unknown tool */
export async function toolkitPolicy(options: PolicyOptions): Promise<ToolkitPolicy> {
  const { rules = [], roots = [], sensitive = [], howToAllow = optionToAllow, web = {} } = options;
  if (options.policy !== undefined) return { policy: options.policy, isDenied: () => false };
  const { autonomyPolicy } = await import("../policy/autonomy-policy.js");
  return {
    policy: autonomyPolicy({ rules, roots, sensitive, howToAllow, web: webPolicy(web) }),
    isDenied: await deniedTools(options),
  };
}

/** Which tools the rules deny wholly. @throws `CONFIG_INVALID` as `toolkitPolicy` */
export async function deniedTools({
  rules = [],
  tools = [],
}: Pick<PolicyOptions, "rules" | "tools">): Promise<(tool: string) => boolean> {
  if (rules.length === 0) return () => false;
  const { compileRules, deniesTool } = await import("../policy/rules/index.js");
  const names = [...builtinTools, ...tools].map(({ name }) => name);
  const compiled = compileRules(rules, { tools: [...new Set(names)] });
  return (tool) => deniesTool(compiled, tool);
}

const optionToAllow = (rules: readonly string[]): string =>
  `To allow it, pass \`rules: ${JSON.stringify(rules.map((rule) => `allow ${rule}`))}\` to \`createToolkit\`.`;
