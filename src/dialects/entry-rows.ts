import type { LsEntry } from "../tools/ls/contract.js";
import { rowName } from "./row-name.js";

/** The entries of a directory as rows `kind size name`, in columns. Directories end in a slash and have size 0; a symlink shows its target. */
export function entryRows(entries: readonly LsEntry[], kindWord: (entry: LsEntry) => string): readonly string[] {
  const kinds = entries.map(kindWord);
  const kindWidth = Math.max(0, ...widths(kinds));
  const sizes = entries.map(({ sizeBytes }) => String(sizeBytes));
  const sizeWidth = Math.max(0, ...widths(sizes));
  return entries.map(
    (entry, index) => `${kinds[index]!.padEnd(kindWidth)} ${sizes[index]!.padStart(sizeWidth)} ${nameOf(entry)}`,
  );
}

/** Distinct lengths: a directory may have more entries than `Math.max` takes arguments. */
function widths(texts: readonly string[]): ReadonlySet<number> {
  return new Set(texts.map((text) => text.length));
}

function nameOf({ name, kind, target, error }: LsEntry): string {
  const own = rowName(kind === "directory" ? `${name}/` : name);
  if (target === undefined) return own;
  return `${own} -> ${rowName(target)}${error === "unreached" ? " (not reached)" : ""}`;
}
