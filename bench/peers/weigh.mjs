/** What an installed directory weighs. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Megabytes (10^6 bytes, as the files are long) and packages, nested ones included. */
export function weigh(modules) {
  let bytes = 0;
  let packages = 0;
  const visit = (directory, isModules) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        if (isModules && !entry.name.startsWith("@") && !entry.name.startsWith(".")) packages++;
        visit(path, entry.name === "node_modules" || (isModules && entry.name.startsWith("@")));
      } else if (entry.isFile()) bytes += lstatSync(path).size;
    }
  };
  visit(modules, true);
  return { mb: bytes / 1e6, packages };
}
