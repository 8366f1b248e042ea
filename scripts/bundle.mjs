#!/usr/bin/env node
/**
 * Joins the sources into one file for each entry, and one for each part that is loaded later: a program starts several times
 * faster than from a file a module. Packages stay outside. Prints nothing unless it fails.
 *
 *   node scripts/bundle.mjs DIRECTORY
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = process.argv[2];
if (directory === undefined) throw new Error("Name the directory that the files are to be written to.");

/** What the manifest exports, what it runs, and the modules that the tests keep free of Node.js. */
const ENTRIES = ["index", "testing/index", "surfaces/cli/main", "kernel/index", "text/index", "dialects/index"];

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(root, "src", `${name}.ts`)])),
  platform: "node",
  tsconfig: join(root, "tsconfig.build.json"),
  external: (id) => !/^[./]/.test(id),
});
await bundle.write({
  dir: directory,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
});
await bundle.close();
