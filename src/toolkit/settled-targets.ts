/** The targets that the options of a toolkit name, each with its workspace. */
import { HaftError } from "../kernel/index.js";
import { parseTarget, schemeOf } from "./target-schemes.js";
import type { ToolkitOptions } from "./toolkit-options.js";
import type { ChosenTarget } from "./toolkit-target.js";

/** @throws `CONFIG_INVALID` for none, two of one name, an unknown one, and a workspace that is relative or, on this machine, not there. */
export async function settledTargets({
  on = "local",
  workspace: common,
  backends = {},
  schemes,
}: Pick<ToolkitOptions, "on" | "workspace" | "backends" | "schemes">): Promise<readonly ChosenTarget[]> {
  requireAbsolute(common);
  const chosen = [on].flat().map((one) => (typeof one === "string" ? parseTarget(one) : one));
  if (chosen.length === 0) throw invalid("`on` names no target. Leave it out for this machine.");
  const names = chosen.map(({ target }) => target);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw invalid(`\`on\` names the target "${twice}" twice. Calls choose a target by its name.`);
  const settled: ChosenTarget[] = [];
  for (const [index, { target, workspace: own }] of chosen.entries()) {
    requireAbsolute(own);
    const isHere = !Object.hasOwn(backends, target) && schemeOf(target, schemes).scheme.isThisMachine === true;
    const workspace = own ?? (isHere || index === 0 ? common : undefined);
    if (isHere && workspace !== undefined) await requireDirectory(workspace);
    settled.push({ target, ...(workspace === undefined ? {} : { workspace }) });
  }
  return settled;
}

function requireAbsolute(workspace: string | undefined): void {
  if (workspace !== undefined && !workspace.startsWith("/"))
    throw invalid(`The workspace "${workspace}" is not absolute. Pass the absolute path of the directory.`);
}

async function requireDirectory(workspace: string): Promise<void> {
  const { directoryProblem } = await import("../backends/local/index.js");
  const problem = directoryProblem(workspace);
  if (problem !== undefined) throw new HaftError("CONFIG_INVALID", problem, { details: { workspace } });
}

function invalid(message: string): HaftError {
  return new HaftError("CONFIG_INVALID", message);
}
