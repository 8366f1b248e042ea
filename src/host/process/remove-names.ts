import { rmdirSync, unlinkSync } from "node:fs";
import { systemCode } from "../../kernel/index.js";

/**
 * Removes these files and then their directory, one by one, which needs no descriptor. Never throws, because a leftover is
 * harmless. Tries up to three times, because a process that was just killed may still have created one more.
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
