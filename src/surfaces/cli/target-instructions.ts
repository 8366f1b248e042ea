/** What a model is to know about its targets, in the instructions of an MCP server. */
import { type ChosenTarget, nameOf, type ToolkitOptions } from "../../toolkit/index.js";

/** Hosts that are listed. */
const MAX_HOSTS = 5;

/** One line for each target. Undefined for this machine alone, which the instructions describe anyway. */
export function targetInstructions(
  targets: readonly ChosenTarget[],
  common: Pick<ToolkitOptions, "autonomy" | "sandbox">,
): string | undefined {
  const [first] = targets;
  if (first === undefined || (targets.length === 1 && first.target === "local" && first.autonomy === undefined))
    return undefined;
  return ["Targets:", ...targets.map((one) => lineOf(one, common))].join("\n");
}

function lineOf(chosen: ChosenTarget, { autonomy, sandbox }: Pick<ToolkitOptions, "autonomy" | "sandbox">): string {
  const { target, workspace, container } = chosen;
  const name = nameOf(chosen);
  const isOffline = target.startsWith("image:") && container?.network !== true;
  const facts = [
    ...(name === target ? [] : [target]),
    ...(target === "local" ? ["this machine"] : []),
    ...(workspace === undefined ? [] : [`in ${workspace}`]),
    ...(target === "sandbox" ? [`commands have ${networkOf(sandbox)}, and a private /tmp and home directory`] : []),
    ...(isOffline ? ["no network"] : []),
    ...(chosen.autonomy === undefined || chosen.autonomy === autonomy ? [] : [`level ${chosen.autonomy}`]),
  ];
  return `- ${name}${facts.length === 0 ? "" : `: ${facts.join("; ")}`}`;
}

function networkOf({ hosts = [] }: NonNullable<ToolkitOptions["sandbox"]> = {}): string {
  if (hosts.length === 0) return "no network";
  const more = hosts.length - MAX_HOSTS;
  return `HTTP to ${hosts.slice(0, MAX_HOSTS).join(", ")}${more > 0 ? ` and ${more} more` : ""} only`;
}
