/** The targets that the options of a toolkit name, each with its workspace. */
import { HaftError } from "../kernel/index.js";
import { type ChosenTarget, checkedTarget, nameOf, requireDistinctNames } from "./chosen-target.js";
import { schemeOf, sharesWorkspace } from "./target-schemes.js";
import type { ToolkitOptions } from "./toolkit-options.js";

/** @throws `CONFIG_INVALID` for none, two of one name, an unknown one, and a workspace that is relative or, on this machine, not there. */
export async function settledTargets({
  on: given,
  workspace: common,
  backends = {},
  schemes = {},
}: Pick<ToolkitOptions, "on" | "workspace" | "backends" | "schemes">): Promise<readonly ChosenTarget[]> {
  if (common !== undefined && !common.startsWith("/"))
    throw invalid(`The workspace "${common}" is not absolute. Pass the absolute path of the directory.`);
  const [own] = Object.keys(backends);
  if (given === undefined && own !== undefined)
    throw invalid(`\`backends\` has "${own}", but without \`on\` tools run on this machine. Add \`on: "${own}"\`.`);
  const chosen = [given ?? "local"].flat().map((one) => checkedTarget(one, { backends, schemes }));
  if (chosen.length === 0) throw invalid("`on` names no target. Leave it out for this machine.");
  requireDistinctNames(chosen);
  const shares = ({ target }: ChosenTarget, index: number) =>
    Object.hasOwn(backends, target) ? index === 0 : sharesWorkspace(schemeOf(target, schemes).scheme, index === 0);
  if (common !== undefined && !chosen.some(shares))
    throw invalid(
      `\`workspace\` is a directory of this machine, and no target works there. Put the directory after the target: "${nameOf(chosen[0]!)}=${common}".`,
    );
  const settled: ChosenTarget[] = [];
  for (const [index, one] of chosen.entries()) {
    const { target } = one;
    const isHere = !Object.hasOwn(backends, target) && sharesWorkspace(schemeOf(target, schemes).scheme);
    const workspace = one.workspace ?? (shares(one, index) ? common : undefined);
    if (isHere && workspace !== undefined) await requireDirectory(workspace);
    settled.push({ ...one, ...(workspace === undefined ? {} : { workspace }) });
  }
  return settled;
}

async function requireDirectory(workspace: string): Promise<void> {
  const { directoryProblem } = await import("../backends/local/index.js");
  const problem = directoryProblem(workspace);
  if (problem !== undefined) throw new HaftError("CONFIG_INVALID", problem, { details: { workspace } });
}

function invalid(message: string): HaftError {
  return new HaftError("CONFIG_INVALID", message);
}
