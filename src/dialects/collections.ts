/** Named groups of a dialect's tools. */
import type { AnyPresenter, Dialect } from "../kernel/index.js";

/**
 * The groups as lists of advertised names; names without a presenter are omitted, so that a group grows when a tool
 * is added. `all` is not among them: it is every registered tool, including those of the host (IR-054).
 *
 * @param wanted - Group → advertised names, those of tools to come included.
 */
export function collectionsOf(
  tools: Readonly<Record<string, AnyPresenter>>,
  wanted: Readonly<Record<string, readonly string[]>>,
): Dialect["collections"] {
  const names = Object.values(tools).map((presenter) => presenter.name);
  const groups = Object.entries(wanted).map(([group, members]) => [
    group,
    members.filter((name) => names.includes(name)),
  ]);
  return Object.freeze(Object.fromEntries(groups));
}
