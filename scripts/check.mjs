#!/usr/bin/env node
/**
 * The fast checks, side by side: format and lint, types, and the tests that read the sources (architecture, words,
 * documentation, requirements). Exit code 1 when one fails; what failed is printed last.
 */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, "node_modules", ".cache", "haft");
mkdirSync(cache, { recursive: true });

/** What mends a check that failed, where a command does. */
const REMEDIES = { "format and lint": "`npm run format` mends what it can of this." };
/** The tests that read the sources share what they have parsed. */
const IN_ONE_PROCESS = ["run", "--silent=passed-only", "--no-isolate", "--maxWorkers=1"];
const SOURCE_TESTS = ["architecture", "project-words", "documentation", "requirements"].map(
  (name) => `test/${name}.test.ts`,
);
const CHECKS = [
  ["format and lint", "@biomejs/biome/bin/biome", ["ci", "--colors=off", "--max-diagnostics=20"]],
  ["types", "typescript/bin/tsc", ["--noEmit", "--incremental", "--tsBuildInfoFile", join(cache, "check.tsbuildinfo")]],
  ["architecture, words, docs, requirements", "vitest/vitest.mjs", [...IN_ONE_PROCESS, ...SOURCE_TESTS]],
];

const began = performance.now();
const results = await Promise.all(CHECKS.map(runCheck));
for (const { name, code, output } of results)
  if (code !== 0) console.log(`\n--- ${name}\n${output.trimEnd()}\n${REMEDIES[name] ?? ""}`);
console.log("");
for (const { name, code, seconds } of results)
  console.log(`${code === 0 ? "ok    " : "not ok"} ${name} (${seconds} s)`);
console.log(`${secondsSince(began)} s in all`);
// Not process.exit: it would cut off what a pipe has not taken yet.
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;

function runCheck([name, program, args]) {
  const start = performance.now();
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(root, "node_modules", program), ...args], {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", (error) => done({ name, code: 1, output: error.message, seconds: secondsSince(start) }));
    child.on("close", (code) => done({ name, code: code ?? 1, output, seconds: secondsSince(start) }));
  });
}

function secondsSince(start) {
  return ((performance.now() - start) / 1000).toFixed(1);
}
