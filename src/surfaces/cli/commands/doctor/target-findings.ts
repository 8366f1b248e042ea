/** Opens each target, looks at what it has, and closes it again. */
import { whyUnopened } from "../../../../kernel/index.js";
import {
  type ChosenTarget,
  hasTerminal,
  isOnThisMachine,
  nameOf,
  openBackend,
  type SettledConfig,
} from "../../../../toolkit/index.js";
import { settledWorkspace, targetsOf } from "../../common-options.js";
import type { LoadedConfig } from "../../configuration.js";
import { type Targets, workspaceOn } from "../../target-places.js";
import { UsageError } from "../../usage.js";
import type { DoctorFinding } from "./finding.js";
import { probedTarget } from "./target-probe.js";

const CONTAINER = /^(?:container|docker|podman|image):/;

interface TargetOptions {
  readonly on: readonly string[];
  readonly workspace?: string;
}

export async function targetFindings(loaded: LoadedConfig, options: TargetOptions): Promise<readonly DoctorFinding[]> {
  let targets: Targets;
  try {
    targets = targetsOf(options.on, loaded);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [{ id: "target", status: "stops", found: error.message, cost: "No call starts." }];
  }
  const common = workspaceOrNone(loaded, options);
  const all = await Promise.all(
    targets.map((target, index) =>
      findingsOf(target, common, {
        isDefault: index === 0,
        sandbox: loaded.settled.sandbox,
        isProbed: options.on.length > 0 || !isOnThisMachine(target.target) || hasTerminal(target),
      }),
    ),
  );
  return all.flat();
}

interface FindingOptions {
  readonly isDefault: boolean;
  readonly isProbed: boolean;
  readonly sandbox: SettledConfig["sandbox"];
}

async function findingsOf(
  chosen: ChosenTarget,
  common: string | undefined,
  { isDefault, isProbed, sandbox }: FindingOptions,
): Promise<readonly DoctorFinding[]> {
  const { target, ssh, container } = chosen;
  // As calls do: the common workspace is that of the default target and of this machine.
  const workspace = workspaceOn(chosen, isDefault, common);
  const name = nameOf(chosen);
  const shown = `${name}${name === target ? "" : `, ${target}`}`;
  try {
    const backend = await openBackend(target, {
      ...(workspace === undefined ? {} : { cwd: workspace }),
      ...(ssh === undefined ? {} : { ssh }),
      ...(container === undefined ? {} : { container }),
      ...(sandbox === undefined ? {} : { sandbox }),
    });
    const found = `${shown} in ${backend.cwd}${isDefault ? " (default)" : ""}`;
    const probed = isProbed
      ? await probedTarget(backend, { isContainer: CONTAINER.test(target), ...ripgrepOf(chosen) }).finally(() =>
          backend.close(),
        )
      : [];
    if (!isProbed) await backend.close();
    return [{ id: "target", status: "ok", found }, ...probed.map((one) => ({ ...one, target: name }))];
  } catch (error) {
    const found = `${shown} could not be opened: ${whyUnopened(error, [target])}`;
    if (!isDefault) return [{ id: "target", status: "limits", found, cost: "Calls on it fail." }];
    return [{ id: "target", status: "stops", found, cost: "It is the default, so calls without `on` fail." }];
  }
}

/** Whether Haft's ripgrep is copied to the target; nothing where it has no such setting. */
function ripgrepOf({ target, ssh, container }: ChosenTarget): { readonly copiesRipgrep?: boolean } {
  if (target.startsWith("ssh:")) return { copiesRipgrep: ssh?.copyRipgrep ?? false };
  if (CONTAINER.test(target)) return { copiesRipgrep: container?.copyRipgrep ?? target.startsWith("image:") };
  return {};
}

/** A problem with it is a finding of its own. */
function workspaceOrNone({ settled }: LoadedConfig, { workspace }: TargetOptions): string | undefined {
  try {
    return settledWorkspace(workspace, settled);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return undefined;
  }
}
