/** The policy as it is configured in a workspace, for commands that ask it about shell commands. */
import type { Decision, Policy, PolicyCall, PolicyFound } from "../../../../kernel/index.js";
import { autonomyPolicy } from "../../../../policy/autonomy-policy.js";
import type { Autonomy } from "../../../../policy/index.js";
import { createToolkit, dialectNamed, presetOf, type SettledPolicy } from "../../../../toolkit/index.js";
import { autonomyLevel, givenLevel, settledWorkspace, targetsOf } from "../../common-options.js";
import { type ConfigOptions, loadConfig, reportIgnored } from "../../configuration.js";
import { type Targets, workspaceFor } from "../../target-places.js";
import { UsageError } from "../../usage.js";

export interface PolicyCommandOptions extends ConfigOptions {
  readonly autonomy?: string;
  /** Some dialects bring a policy along. */
  readonly dialect?: string;
  readonly json?: boolean;
  /** Targets, the one that is asked about first. Absent or empty: as the configuration says. */
  readonly on?: readonly string[];
}

export interface ConfiguredPolicy extends SettledPolicy {
  readonly autonomy: Autonomy;
  readonly workspace: string;
  readonly targets: Targets;
  readonly policy: Policy;
}

/**
 * Reports what is ignored of a project's file.
 *
 * @param usual - The level where none is set.
 * @throws UsageError, `CONFIG_INVALID`
 */
export async function configuredPolicy(options: PolicyCommandOptions, usual: Autonomy): Promise<ConfiguredPolicy> {
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { settled } = loaded;
  const base = autonomyPolicy(settled.policy);
  const dialect = options.dialect ?? settled.dialect;
  const preset = dialect === undefined ? undefined : await presetOf(await dialectNamed(dialect), base);
  return {
    ...settled.policy,
    autonomy: autonomyLevel(options.autonomy, { autonomy: settled.autonomy ?? usual }),
    workspace: settledWorkspace(options.workspace, settled),
    targets: targetsOf(options.on ?? [], loaded, givenLevel(options.autonomy)),
    policy: preset?.policy ?? base,
  };
}

/** The decision on a command that `bash` would start, and where it was made. */
export interface ExplainedCommand {
  readonly decision: Decision;
  /** As the policy was asked. */
  readonly call: PolicyCall;
  /** Paths of the command that lead elsewhere, and what its trees and globs hold that was looked for. */
  readonly found: readonly PolicyFound[];
}

/**
 * Lets `use` decide on commands on the first target as a call would, lookups of files included. Runs nothing.
 *
 * @throws UsageError where the target cannot be opened
 */
export async function withExplainer<T>(
  { autonomy, workspace, targets, policy }: ConfiguredPolicy,
  use: (explain: (command: string) => Promise<ExplainedCommand>) => Promise<T>,
): Promise<T> {
  let call: PolicyCall | undefined;
  const watched: Policy = {
    name: policy.name,
    decide: (claims, asked) => {
      call = asked;
      return policy.decide(claims, asked);
    },
    lookup: (claims, asked) => policy.lookup?.(claims, asked),
  };
  const where = { on: targets, ...workspaceFor(targets, workspace) };
  const toolkit = await createToolkit({ policy: watched, autonomy, ...where, persist: false });
  const box = toolkit.box();
  try {
    return await use(async (command) => {
      const explained = await box.explain({ id: "explain", name: "bash", input: { command } });
      if (explained?.decision === undefined || call === undefined)
        throw new UsageError(explained?.stopped?.message ?? `Did not decide on ${JSON.stringify(command)}.`);
      return { decision: explained.decision, call, found: foundBy(call) };
    });
  } finally {
    await toolkit.close();
  }
}

function foundBy({ files }: PolicyCall): readonly PolicyFound[] {
  const all = new Map<string, PolicyFound>();
  for (const [path, real] of files?.real ?? []) if (path !== real) all.set(path, { path, real, kind: "link" });
  for (const one of [...(files?.found.values() ?? [])].flat()) if (!all.has(one.path)) all.set(one.path, one);
  return [...all.values()];
}
