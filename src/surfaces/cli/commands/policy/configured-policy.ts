/** The policy as it is configured in a workspace, for commands that ask it about shell commands. */
import { homeDirectory } from "../../../../host/index.js";
import type { Decision } from "../../../../kernel/index.js";
import { autonomyPolicy } from "../../../../policy/autonomy-policy.js";
import type { Autonomy } from "../../../../policy/index.js";
import { dialectNamed, presetOf, type SettledPolicy } from "../../../../toolkit/index.js";
import { autonomyLevel, settledWorkspace } from "../../common-options.js";
import { type ConfigOptions, loadConfig, reportIgnored } from "../../configuration.js";

export interface PolicyCommandOptions extends ConfigOptions {
  readonly autonomy?: string;
  /** Some dialects bring a policy along. */
  readonly dialect?: string;
  readonly json?: boolean;
}

export interface ConfiguredPolicy extends SettledPolicy {
  readonly autonomy: Autonomy;
  readonly workspace: string;
  readonly home: string;
  /** On a command that `bash` would start in the workspace. */
  decide(command: string): Decision;
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
  const autonomy = autonomyLevel(options.autonomy, { autonomy: settled.autonomy ?? usual });
  const workspace = settledWorkspace(options.workspace, settled);
  const home = homeDirectory();
  const base = autonomyPolicy(settled.policy);
  const dialect = options.dialect ?? settled.dialect;
  const preset = dialect === undefined ? undefined : await presetOf(await dialectNamed(dialect), base);
  const policy = preset?.policy ?? base;
  return {
    ...settled.policy,
    autonomy,
    workspace,
    home,
    decide: (command) =>
      policy.decide([{ kind: "command", command, cwd: workspace }], {
        callId: "explain",
        tool: "bash",
        effect: "write",
        target: "local",
        sessionId: "explain",
        cwd: workspace,
        workspace,
        home,
        autonomy,
        sandboxed: false,
        taint: [],
      }),
  };
}
