/** Where the targets of a command work. */
import { type ChosenTarget, hasSharedWorkspace, nameOf } from "../../toolkit/index.js";

/** The default first. */
export type Targets = readonly [ChosenTarget, ...ChosenTarget[]];

/** The `workspace` of the toolkit: none where no target has its files on this machine. */
export function workspaceFor(targets: Targets, workspace: string): { readonly workspace?: string } {
  return targets.some(({ target }, index) => hasSharedWorkspace(target, index === 0)) ? { workspace } : {};
}

/** The directory that a target works in; undefined for one that starts in a directory of its own. @param common - See `workspaceFor`. */
export function workspaceOn(
  { target, workspace }: ChosenTarget,
  isDefault: boolean,
  common: string | undefined,
): string | undefined {
  return workspace ?? (hasSharedWorkspace(target, isDefault) ? common : undefined);
}

/** "in /work", or "on web (posix:dash in /srv/web), memory". */
export function placeOf(targets: Targets, common: string): string {
  const [only] = targets;
  if (targets.length === 1 && only.workspace === undefined && hasSharedWorkspace(only.target, true))
    return `in ${common}`;
  const shown = targets.map((chosen, index) => {
    const { target } = chosen;
    const workspace = workspaceOn(chosen, index === 0, common);
    const name = nameOf(chosen);
    const about = [name === target ? "" : target, workspace === undefined ? "" : `in ${workspace}`].filter(Boolean);
    return about.length === 0 ? name : `${name} (${about.join(" ")})`;
  });
  return `on ${shown.join(", ")}`;
}
