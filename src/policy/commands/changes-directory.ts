/** Whether running a part of a script may leave the shell in another directory. */
import { forEachChild, type SyntaxNode } from "unbash";
import { hasExpansion } from "./variables.js";

const known = new WeakMap<SyntaxNode, boolean>();

/** Nested parts are looked at once, however often they are asked for. */
export function changesDirectory(node: SyntaxNode): boolean {
  const cached = known.get(node);
  if (cached !== undefined) return cached;
  let found = false;
  if (node.type === "Command") {
    const { name } = node;
    found =
      name !== undefined &&
      (hasExpansion(name) || /^(cd|chdir|pushd|popd|eval|source|\.|builtin|command)$/.test(name.value));
  } else if (node.type !== "Subshell" && node.type !== "Script") {
    forEachChild(node, (child) => {
      found ||= changesDirectory(child);
    });
  }
  known.set(node, found);
  return found;
}
