/** Which calls are those of this place, and the targets on which they are undone. */
import {
  type ChangedCall,
  type ChosenTarget,
  nameOf,
  parseTarget,
  type SettledConfig,
} from "../../../../toolkit/index.js";
import { type Targets, workspaceOn } from "../../target-places.js";

interface Place {
  /** It ran in this workspace or in that of a target; where the user chose targets, on one of them. */
  isHere(call: ChangedCall): boolean;
  /** It was made from this directory. False where the user says where to look. */
  isFromHere(call: ChangedCall): boolean;
}

/** @param targets - Of `--on`, else of the configuration. */
export function placeOfCalls(
  targets: Targets,
  workspace: string,
  asked: { readonly on: readonly string[]; readonly workspace?: string },
): Place {
  const areChosen = asked.on.length > 0;
  const directory = areChosen || asked.workspace !== undefined ? undefined : process.cwd();
  const isFromHere = ({ startedIn }: ChangedCall) => startedIn !== undefined && startedIn === directory;
  const isHere = (call: ChangedCall) =>
    (!areChosen && call.workspace === workspace) ||
    targets.some((one, index) => {
      if (nameOf(one) !== call.target || one.target !== (call.spec ?? call.target)) return false;
      const own = workspaceOn(one, index === 0, workspace);
      // A target without a directory of its own is that of every project.
      return own === undefined ? areChosen || isFromHere(call) : own === call.workspace;
    });
  return { isHere, isFromHere };
}

/**
 * Each target of the calls once, with the settings of the target of `--on` that is the same, else of that of the configuration with
 * the same name. Recorded paths are absolute, so that its workspace does not matter.
 */
export function openedFor(
  calls: readonly ChangedCall[],
  chosen: readonly ChosenTarget[],
  { on = [] }: Pick<SettledConfig, "on">,
): readonly ChosenTarget[] {
  const configured = on.map(parseTarget);
  const opened = new Map<string, ChosenTarget>();
  for (const { target: name, spec = name, workspace } of calls) {
    const isSame = (one: ChosenTarget) => one.target === spec && nameOf(one) === name;
    const settings = [...chosen, ...configured].find(isSame) ?? chosen.find(({ target }) => target === spec);
    opened.set(name, { ...settings, name, target: spec, workspace });
  }
  return [...opened.values()];
}
