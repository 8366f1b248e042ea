import { readFileSync } from "node:fs";

/**
 * Whether this process runs below that process of this machine, or on its terminal: what is typed there could answer the questions
 * that this process asks its user.
 */
export function runsBelow(pid: number): boolean {
  const terminal = statOf(pid)?.terminal ?? 0;
  for (let one = process.pid; one > 0; ) {
    const stat = statOf(one);
    if (one === pid || (terminal !== 0 && stat?.terminal === terminal)) return true;
    one = stat?.parent ?? 0;
  }
  return false;
}

/** Undefined without /proc. */
function statOf(pid: number): { readonly parent: number; readonly terminal: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [, parent, , , terminal] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(parent), terminal: Number(terminal) };
  } catch {
    return undefined;
  }
}
