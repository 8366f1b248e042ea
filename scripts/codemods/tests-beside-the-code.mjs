#!/usr/bin/env node
/**
 * Moves what the tests beside the code need out of `test/`, and rewrites every relative path that names it.
 * Can be run again: a file that has moved is not moved again, and paths to its old place are still rewritten.
 *
 *   node scripts/codemods/tests-beside-the-code.mjs
 */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const MOVES = {
  "test/built.ts": "src/testing/built.fixture.ts",
  "test/conformance.ts": "src/testing/conform.fixture.ts",
  "test/dialects/golden.ts": "src/dialects/golden.fixture.ts",
  "test/support/bare-host.ts": "src/testing/fakes/bare-host.fixture.ts",
  "test/support/job-waits.mjs": "src/surfaces/cli/job-waits.fixture.mjs",
  "test/support/odd-tool.ts": "src/testing/fakes/odd-tool.fixture.ts",
  "test/support/small-disk.ts": "src/surfaces/cli/small-disk.fixture.ts",
  "test/support/under-load.ts": "src/testing/under-load.fixture.ts",
  "test/transpile.ts": "src/testing/transpile.fixture.ts",
  "test/verifies.ts": "src/testing/verifies.fixture.ts",
};

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const before = new Map(Object.entries(MOVES).map(([from, to]) => [to, from]));
const moved = new Set();
for (const [from, to] of Object.entries(MOVES)) {
  if (!existsSync(join(root, from))) continue;
  renameSync(join(root, from), join(root, to));
  moved.add(to);
}
for (const path of [...sources("src"), ...sources("test")]) {
  const text = readFileSync(join(root, path), "utf8");
  const from = moved.has(path) ? before.get(path) : path;
  const next = text
    .replaceAll(/(?<=\b(?:from|import) ")\.[^"\n]*(?=")/g, (specifier) => rewritten(specifier, from, path))
    .replaceAll(/(?<=\bimport\(")\.[^"\n]*(?="\))/g, (specifier) => rewritten(specifier, from, path))
    .replaceAll(/(?<=\bnew URL\(")\.[^"\n]*(?=", import\.meta\.url)/g, (specifier) => rewritten(specifier, from, path));
  if (next !== text) writeFileSync(join(root, path), next);
}

/** The specifier as it has to be in `path`, for what it named when the file was called `from`. */
function rewritten(specifier, from, path) {
  const named = join(dirname(from), specifier);
  const source = named.replace(/\.js$/, ".ts");
  const target = MOVES[source]?.replace(/\.ts$/, ".js") ?? named;
  if (target === named && from === path) return specifier;
  const way = relative(dirname(path), target) || ".";
  const spelled = way.startsWith(".") ? way : `./${way}`;
  return specifier.endsWith("/") || specifier.endsWith("..")
    ? `${spelled}`.replace(/(?<!\/)$/, specifier.endsWith("/") ? "/" : "")
    : spelled;
}

function sources(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
