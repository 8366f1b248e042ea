/** The policy of a toolkit that has none of its own. What parses commands and rules is loaded only where it is needed. */
import type { Autonomy, Policy, PolicyCall } from "../kernel/index.js";
import { allowAllPolicy } from "../policy/index.js";
import { builtinTools } from "../tools/index.js";
import type { ToolkitOptions } from "./toolkit-options.js";

type PolicyOptions = Pick<
  ToolkitOptions,
  "autonomy" | "rules" | "roots" | "sensitive" | "howToAllow" | "tools" | "policy"
>;

/** A policy and what loads the rest of it, for the level that a session gets. */
export interface ToolkitPolicy {
  readonly policy: Policy;
  prepare(level: Autonomy): Promise<void>;
  /** Whether a rule denies every call of the tool, so that it is not offered. */
  isDenied(tool: string): boolean;
}

/**
 * The rest is loaded at once for a level below "full" and for rules, else when a session gets such a level.
 *
 * @throws `CONFIG_INVALID` for a rule that is not one or names an unknown tool
 */
export async function toolkitPolicy(options: PolicyOptions): Promise<ToolkitPolicy> {
  const { autonomy = "full", rules = [], roots = [], sensitive = [], howToAllow = optionToAllow } = options;
  if (options.policy !== undefined) return { policy: options.policy, prepare: async () => {}, isDenied: () => false };
  const isPlain = rules.length + roots.length + sensitive.length === 0;
  const all = allowAllPolicy();
  let loaded: Policy | undefined;
  const prepare = async (level: Autonomy) => {
    if (level === "full" && isPlain) return;
    const { autonomyPolicy } = await import("../policy/autonomy-policy.js");
    loaded ??= autonomyPolicy({ rules, roots, sensitive, howToAllow });
  };
  await prepare(autonomy);
  const policyFor = (call: PolicyCall) => (call.autonomy === "full" && isPlain ? all : (loaded ?? POLICY_NOT_LOADED));
  return {
    prepare,
    policy: Object.freeze<Policy>({
      name: "autonomy",
      decide: (claims, call) => policyFor(call).decide(claims, call),
      lookup: (claims, call) => policyFor(call).lookup?.(claims, call),
    }),
    isDenied: await deniedTools(options),
  };
}

async function deniedTools({ rules = [], tools = [] }: PolicyOptions): Promise<(tool: string) => boolean> {
  if (rules.length === 0) return () => false;
  const { compileRules } = await import("../policy/rules/index.js");
  const names = [...builtinTools, ...tools].map(({ name }) => name);
  const compiled = compileRules(rules, { tools: [...new Set(names)] });
  return (tool) => compiled.some((rule) => rule.kind === "tool" && rule.effect === "deny" && rule.matches(tool));
}

const optionToAllow = (rule: string): string =>
  `To allow it, pass \`rules: [${JSON.stringify(`allow ${rule}`)}]\` to \`createToolkit\`.`;

const POLICY_NOT_LOADED: Policy = Object.freeze({
  name: "not-loaded",
  decide: () => ({
    effect: "deny" as const,
    rule: "policy-not-loaded",
    risk: "high" as const,
    reason: "The level of this session has just been set, and its policy is still being loaded.",
    next: "Repeat the call.",
  }),
});
