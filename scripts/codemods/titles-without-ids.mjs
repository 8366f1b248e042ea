#!/usr/bin/env node
/**
 * Puts the ids before a test's title behind it: "READ-03: a FIFO is refused" becomes "a FIFO is refused [READ-03]".
 * Cases of the published suites (`shell:exit:signal: …`) stay as they are. Can be run again.
 *
 *   node scripts/codemods/titles-without-ids.mjs
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const TITLE = /(?<=\(\s*)"((?:[A-Z]{2,8}-\d{2,3}[ ,]*)+): ((?:[^"\\\n]|\\.)*)"/g;

for (const folder of ["src", "test"]) {
  for (const name of readdirSync(join(root, folder), { recursive: true })) {
    if (!name.endsWith(".test.ts") || name === "requirements.test.ts") continue;
    const path = join(root, folder, name);
    const text = readFileSync(path, "utf8");
    const next = text.replaceAll(TITLE, (_, ids, title) => `"${title} [${ids.trim()}]"`);
    if (next !== text) writeFileSync(path, next);
  }
}
