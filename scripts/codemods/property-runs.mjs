#!/usr/bin/env node
/**
 * Lets `src/testing/property.fixture.ts` decide how often a property runs. A number of 500 or more goes; a smaller one, of
 * a property whose runs are dear, becomes `runCount(N)`, a tenth of a long run. Can be run again.
 *
 *   node scripts/codemods/property-runs.mjs
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const fixture = join(root, "src/testing/property.fixture.js");

for (const folder of ["src", "test"]) {
  for (const name of readdirSync(join(root, folder), { recursive: true })) {
    if (!name.endsWith(".test.ts")) continue;
    const path = join(root, folder, name);
    const text = readFileSync(path, "utf8");
    if (!text.includes('from "fast-check"')) continue;
    const body = text
      .replaceAll(/,\s*\{ numRuns: ([\d_]+) \}/g, (whole, count) => (number(count) >= 500 ? "" : whole))
      .replaceAll(/\bnumRuns: ([\d_]+), /g, (whole, count) => (number(count) >= 500 ? "" : whole))
      .replaceAll(/\bnumRuns: ([\d_]+)/g, "numRuns: runCount($1)")
      .replaceAll(
        /^const RUNS = ([\d_]+);$/gm,
        (_, count) => `const RUNS = runCount(${number(count) >= 500 ? "1_000" : count});`,
      );
    const way = relative(dirname(path), fixture);
    const names = /\brunCount\(/.test(body) ? "fc, runCount" : "fc";
    const specifier = way.startsWith(".") ? way : `./${way}`;
    writeFileSync(path, body.replace('import fc from "fast-check";', `import { ${names} } from "${specifier}";`));
  }
}

function number(literal) {
  return Number(literal.replaceAll("_", ""));
}
