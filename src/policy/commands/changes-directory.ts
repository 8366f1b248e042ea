/** Whether running a part of a script may leave the shell in another directory. */
import { forEachChild, type SyntaxNode, type Word } from "unbash";
import { hasExpansion } from "./variables.js";

/** Loops and functions, which are asked about one inside of the other. */
const known = new WeakMap<SyntaxNode, boolean>();

/** Each part is looked at once, however often it is asked for. */
export function changesDirectory(node: SyntaxNode): boolean {
  switch (node.type) {
    case "Command":
      return node.name !== undefined && mayChange(node.name);
    case "Subshell":
    case "Script":
    case "Word":
      return false;
    case "For":
    case "Select":
    case "While":
    case "ArithmeticFor":
    case "Function": {
      const found = known.get(node) ?? anyChild(node);
      known.set(node, found);
      return found;
    }
    default:
      return anyChild(node);
  }
}

function anyChild(node: SyntaxNode): boolean {
  let found = false;
  forEachChild(node, (child) => {
    found ||= changesDirectory(child);
  });
  return found;
}

const mayChange = (name: Word): boolean =>
  hasExpansion(name) || /^(cd|chdir|pushd|popd|eval|source|\.|builtin|command)$/.test(name.value);

/** `cd x || exit`: after it, what is before the last `||` has succeeded. */
export function endsOnFailure(node: SyntaxNode): boolean {
  if (node.type !== "AndOr" || node.operators.at(-1) !== "||") return false;
  const last = node.commands.at(-1);
  return last?.type === "Command" && /^(exit|return)$/.test(last.name?.value ?? "");
}
