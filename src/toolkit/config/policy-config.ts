/** The `policy` of a configuration file: what its lists amount to, and what of it a project may decide by itself. */
import type { PolicyRule, RuleSource } from "../../policy/index.js";
import { resolvePath } from "../../text/index.js";
import { builtinTools } from "../../tools/index.js";
import { type ConfigNode, type ConfigProblem, configValue, memberOf } from "./check-config.js";
import type { PolicyConfig } from "./config.js";

/** What the layers say together. */
export interface SettledPolicy {
  readonly rules: readonly PolicyRule[];
  /** Absolute. */
  readonly roots: readonly { readonly path: string; readonly access: "read" | "write" }[];
  readonly sensitive: readonly string[];
}

export const NO_POLICY: SettledPolicy = Object.freeze({ rules: [], roots: [], sensitive: [] });

export interface PolicyLayer {
  readonly source: RuleSource;
  readonly directory: string;
  readonly home: string;
}

/** Adds the policy of a file. Nothing of it replaces what a lower layer says. */
export async function withPolicy(
  under: SettledPolicy,
  { rules = [], roots = [], sensitive = [], ...lists }: PolicyConfig,
  { source, directory, home }: PolicyLayer,
): Promise<SettledPolicy> {
  const { parseRule } = await import("../../policy/rules/index.js");
  const own = rules.map((rule) => (typeof rule === "string" ? parseRule(rule) : rule));
  return {
    rules: [...under.rules, ...[...own, ...rulesOfLists(lists)].map((rule) => ({ ...rule, source }))],
    roots: [
      ...under.roots,
      ...roots.map(({ path, access = "write" }) => ({ path: resolvePath(directory, path, home), access })),
    ],
    sensitive: [...under.sensitive, ...sensitive],
  };
}

function rulesOfLists({ forbidden = [], autoApprove = [], alwaysAsk = [] }: PolicyConfig): readonly PolicyRule[] {
  return [
    ...forbidden.map((path) => ({ effect: "deny", path }) as const),
    ...autoApprove.map((tool) => ({ effect: "allow", tool }) as const),
    ...alwaysAsk.map((tool) => ({ effect: "ask", tool }) as const),
  ];
}

/** What a project may decide by itself: what narrows. `widens` shows the rest, each as it is written. */
export function narrowingPolicy(policy: PolicyConfig): {
  readonly policy: PolicyConfig;
  readonly widens: readonly string[];
} {
  const { rules = [], roots = [], autoApprove = [], ...narrowing } = policy;
  const isAllow = (rule: string | PolicyRule) =>
    typeof rule === "string" ? /^\s*allow\b/.test(rule) : rule.effect === "allow";
  const shown = (rule: string | PolicyRule) => {
    if (typeof rule === "string") return rule.trim();
    const [kind, subject] = Object.entries(rule).find(([key]) => /^(tool|command|path|host)$/.test(key)) ?? [];
    return `allow ${rule.access === "write" ? "write " : ""}${kind === "command" ? "" : `${kind}:`}${subject}`;
  };
  return {
    policy: { ...narrowing, rules: rules.filter((rule) => !isAllow(rule)) },
    widens: [
      ...rules.filter(isAllow).map(shown),
      ...autoApprove.map((tool) => `allow tool:${tool}`),
      ...roots.map(({ path, access = "write" }) => `root ${path} (${access})`),
    ],
  };
}

/** What is wrong with the rules of a file whose shape is right. */
export async function policyProblems(root: ConfigNode): Promise<readonly ConfigProblem[]> {
  const policy = memberOf(root, "policy");
  if (policy === undefined) return [];
  const { ruleProblem } = await import("../../policy/rules/index.js");
  const check = (key: string, ruleFor: (value: never) => string | PolicyRule) =>
    (memberOf(policy, key)?.children ?? []).flatMap((item, index): readonly ConfigProblem[] => {
      const problem = ruleProblem(ruleFor(configValue(item) as never), { tools: builtinTools.map(({ name }) => name) });
      return problem === undefined ? [] : [{ offset: item.offset, message: `"policy.${key}[${index}]": ${problem}` }];
    });
  return [
    ...check("rules", (rule: string | PolicyRule) => rule),
    ...check("forbidden", (path: string) => ({ effect: "deny", path })),
    ...check("autoApprove", (tool: string) => ({ effect: "allow", tool })),
    ...check("alwaysAsk", (tool: string) => ({ effect: "ask", tool })),
    ...check("excluded", (tool: string) => ({ effect: "deny", tool })),
  ].sort((one, other) => one.offset - other.offset);
}
