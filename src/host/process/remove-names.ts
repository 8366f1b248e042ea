import { rmdirSync, unlinkSync } from "node:fs";
import { systemCode } from "../../kernel/index.js";

/**
 * Removes these files and then their directory, name by name, which needs no descriptor. Never throws: a leftover harms nobody.
 * Tried up to three times, for a process that has just been killed may still have made one more.
 */
export function removeNames(directory: string, paths: readonly string[]): void {
  for (let tries = 0; tries < 3; tries += 1) {
    for (const path of paths) isRemoved(() => unlinkSync(path));
    if (isRemoved(() => rmdirSync(directory))) return;
  }
}

function isRemoved(remove: () => void): boolean {
  try {
    remove();
    return true;
  } catch (thrown) {
    return systemCode(thrown) === "ENOENT";
  }
}
