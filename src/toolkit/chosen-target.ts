/** A target as users and hosts choose it: "posix:dash", "posix:dash=/srv/app", "api=posix:dash=/srv/api", or an object of these parts. */
import { AUTONOMY_LEVELS, type Autonomy, type Backend, HaftError } from "../kernel/index.js";
import { findScheme, schemeOf, type TargetSchemes, type TargetSettings } from "./target-schemes.js";

/** A target, its name and the directory that calls work in there. */
export interface ChosenTarget extends TargetSettings {
  /** What calls choose it by; lets a target be chosen twice, with two workspaces. Letters, digits, ".", "_" and "-". Default: `target`. */
  readonly name?: string;
  /** What it is: "local", "posix:dash", or a name in `backends`. */
  readonly target: string;
  /** Absolute. Default: the toolkit's workspace for the default target and those of this machine, else where the backend starts. */
  readonly workspace?: string;
  /** How much happens there without asking. Default: as for the toolkit. A session with a level of its own gets the stricter one of both. */
  readonly autonomy?: Autonomy;
}

/** What there is to choose from beside the built-in targets. */
export interface MoreTargets {
  readonly backends?: Readonly<Record<string, Backend>>;
  readonly schemes?: TargetSchemes;
  /** Targets of a configuration, which their names stand for, for messages. */
  readonly configured?: readonly ChosenTarget[];
}

const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** What calls choose the target by. */
export function nameOf({ name, target }: ChosenTarget): string {
  return name ?? target;
}

/**
 * The parts of "NAME=TARGET=/DIR"; an object has them already. The workspace follows the first "=/"; a name has no ":", so
 * "ssh:host+tmux=main" has none.
 */
export function parseTarget(given: string | ChosenTarget): ChosenTarget {
  if (typeof given !== "string") return given;
  const [, name = "", after = ""] = /^([^=]*)=([^/].*)$/s.exec(given) ?? [];
  const named = withWorkspace(after);
  // "memory=x" has a relative workspace: it is not a target "x" named "memory".
  const isNamed = NAME.test(name) && (findScheme(name) === undefined || findScheme(named.target) !== undefined);
  return isNamed ? { name, ...named } : withWorkspace(given);
}

function withWorkspace(text: string): ChosenTarget {
  const at = text.indexOf("=/");
  return at === -1 ? { target: text } : { target: text.slice(0, at), workspace: text.slice(at + 1) };
}

/** @throws `CONFIG_INVALID` for a target that does not exist, a name that cannot be used and a relative workspace. */
export function checkedTarget(given: string | ChosenTarget, more: MoreTargets = {}): ChosenTarget {
  const chosen = parseTarget(given);
  if (typeof chosen?.target !== "string") throw invalid(NO_TARGET);
  const { target, workspace } = chosen;
  requireTarget(chosen, more);
  requireName(chosen, more);
  requireAbsolute(target, workspace);
  requireSettings(chosen, more);
  return chosen;
}

/** @throws `CONFIG_INVALID` where two targets have one name. */
export function requireDistinctNames(chosen: readonly ChosenTarget[]): void {
  const names = chosen.map(nameOf);
  const index = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (index === -1) return;
  const { name, target } = chosen[index]!;
  throw invalid(
    name === undefined || name === target
      ? `Two targets have the name "${target}", and calls choose by name. Name one of them: "NAME=${target}=/DIR".`
      : `Two targets are named "${name}", and calls choose by name. Use another name for one of them.`,
  );
}

const NO_TARGET =
  'An item of `on` is neither a target such as "posix:dash" nor an object with `target`. For a backend of your own, pass `backends: { NAME: backend }` and its name in `on`.';

function isTarget(text: string, { backends = {}, schemes }: MoreTargets): boolean {
  return Object.hasOwn(backends, text) || findScheme(text, schemes) !== undefined;
}

function requireTarget(chosen: ChosenTarget, more: MoreTargets): void {
  const { target } = chosen;
  if (isTarget(target, more)) return;
  const configured = more.configured?.filter(({ name }) => name !== undefined) ?? [];
  requireNameAlone(chosen, configured);
  const [, before = "", after = ""] = /^([^=]*)=(.*)$/s.exec(target) ?? [];
  if (isTarget(before, more) && !before.includes("+tmux")) requireAbsolute(before, after);
  // "1a=local": what follows is a target, so that what precedes was meant as its name.
  if (isTarget(withWorkspace(after).target, more)) requireName({ name: before, target: after }, more);
  schemeOf(target, more.schemes, [...Object.keys(more.backends ?? {}), ...configured.map(nameOf)]);
}

/** Refuses "box=/srv" and "box+tmux" where "box" is the name of a configured target. */
function requireNameAlone({ target }: ChosenTarget, configured: readonly ChosenTarget[]): void {
  const [stem] = target.split(/[+=]/);
  const meant = configured.find(({ name }) => name === stem);
  if (meant !== undefined)
    throw invalid(
      `"${stem}" is the target "${meant.target}" of the configuration, and nothing can be added to its name. Use "${stem}" as it is, change it there, or write a whole target instead.`,
    );
}

function requireName({ name, target }: ChosenTarget, more: MoreTargets): void {
  if (name === undefined || name === target) return;
  if (!NAME.test(name))
    throw invalid(
      `${JSON.stringify(name)} cannot be the name of a target: it begins with a letter and has at most 64 letters, digits, ".", "_" and "-".`,
    );
  if (isTarget(name, more))
    throw invalid(`The target "${target}" cannot have the name "${name}", which is another target. Use another name.`);
}

function requireAbsolute(target: string, workspace: string | undefined): void {
  if (workspace !== undefined && !workspace.startsWith("/"))
    throw invalid(`The workspace of the target "${target}" must be an absolute path, not "${workspace}".`);
}

function requireSettings(chosen: ChosenTarget, { schemes }: MoreTargets): void {
  const { target, autonomy } = chosen;
  if (autonomy !== undefined && !AUTONOMY_LEVELS.includes(autonomy))
    throw invalid(`\`autonomy\` of the target "${target}" must be one of ${AUTONOMY_LEVELS.join(", ")}.`);
  for (const setting of ["ssh", "container"] as const) {
    if (chosen[setting] !== undefined && findScheme(target, schemes)?.scheme.settings !== setting)
      throw invalid(`The target "${target}" does not take \`${setting}\`, which is for another kind of target.`);
  }
  if (chosen.container?.network !== undefined && !target.startsWith("image:"))
    throw invalid(
      `The target "${target}" does not take \`container.network\`, which is for "image:IMAGE": the network of a container is chosen when it is created.`,
    );
}

function invalid(message: string): HaftError {
  return new HaftError("CONFIG_INVALID", message);
}
