#!/usr/bin/env node
/**
 * Joins the sources into one file for each entry, and one for each part that is loaded later: a program starts several times
 * faster than from a file a module. Packages stay outside, but for those in BUNDLED. Prints nothing unless it fails.
 *
 *   node scripts/bundle.mjs DIRECTORY
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = process.argv[2];
if (directory === undefined) throw new Error("Name the directory that the files are to be written to.");

/** What the manifest exports, what it runs, the modules that the tests keep free of Node.js, and what the bench and tests load alone. */
const ENTRIES = [
  "index",
  "testing/index",
  "adapters/ai-sdk",
  "adapters/anthropic",
  "adapters/google",
  "adapters/langchain",
  "adapters/mastra",
  "adapters/openai",
  "surfaces/mcp/box-server",
  "surfaces/cli/main",
  "kernel/index",
  "text/index",
  "dialects/index",
  "engines/html/index",
  "host/http/create-http",
];

/** The MCP server and what it needs: 108 of the 129 files that a start would load, 64 of them translations that are never shown. */
const BUNDLED = ["@modelcontextprotocol/server", "@modelcontextprotocol/core", "zod"];
const isBundled = (id) => BUNDLED.some((name) => id === name || id.startsWith(`${name}/`));

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(root, "src", `${name}.ts`)])),
  platform: "node",
  tsconfig: join(root, "tsconfig.build.json"),
  external: (id) => !/^[./]/.test(id) && !isBundled(id),
});
await bundle.write({
  dir: directory,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
});
await bundle.close();
writeFileSync(join(directory, "BUNDLED-LICENSES.txt"), BUNDLED.map(licenseOf).join("\n"));

function licenseOf(name) {
  const place = join(root, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(place, "LICENSE"), "utf8")}`;
}
