// A backend of your own: eight file operations over a Map, completed by `completeBackend` and checked with the published suites.
import assert from "node:assert/strict";
import { completeBackend, createToolkit, systemClock } from "haft";
import { COMPLETED_CANNOT, fsSuite, runnable } from "haft/testing";

const missing = (path) => Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });

function mapBackend() {
  /** Path → bytes, or null for a directory. */
  const entries = new Map([
    ["/", null],
    ["/data", null],
  ]);
  const fileAt = (path) => {
    if (!entries.has(path)) throw missing(path);
    if (entries.get(path) === null) throw Object.assign(new Error(`a directory: ${path}`), { code: "EISDIR" });
    return entries.get(path);
  };
  const parentOf = (path) => path.slice(0, path.lastIndexOf("/")) || "/";
  const below = (path) =>
    [...entries.keys()].filter((one) => one.startsWith(path === "/" ? "/" : `${path}/`) && one !== "/");
  const fs = {
    readBytes: async (path) => new Uint8Array(fileAt(path)),
    readText: async (path) => new TextDecoder().decode(fileAt(path)),
    async writeFile(path, data) {
      if (entries.get(parentOf(path)) !== null) throw missing(path);
      if (entries.get(path) === null) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
      entries.set(path, typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data));
    },
    async stat(path) {
      if (!entries.has(path)) throw missing(path);
      const bytes = entries.get(path);
      return {
        isFile: bytes !== null,
        isDirectory: bytes === null,
        isSymlink: false,
        size: bytes?.length ?? 0,
        modifiedMs: 0,
      };
    },
    async readDir(path) {
      if (!entries.has(path)) throw missing(path);
      if (entries.get(path) !== null) throw Object.assign(new Error("no directory"), { code: "ENOTDIR" });
      const names = below(path).filter((one) => parentOf(one) === path);
      return names.map((one) => ({
        name: one.slice(one.lastIndexOf("/") + 1),
        isDirectory: entries.get(one) === null,
      }));
    },
    async mkdir(path, recursive) {
      if (recursive && parentOf(path) !== path && !entries.has(parentOf(path))) await fs.mkdir(parentOf(path), true);
      if (!entries.has(parentOf(path))) throw missing(path);
      if (entries.has(path) && !(recursive && entries.get(path) === null))
        throw Object.assign(new Error("it exists"), { code: "EEXIST" });
      entries.set(path, null);
    },
    async rm(path, { recursive, ignoreMissing }) {
      if (!entries.has(path) && !ignoreMissing) throw missing(path);
      if (below(path).length > 0 && !recursive) throw Object.assign(new Error("not empty"), { code: "ENOTEMPTY" });
      for (const one of [...below(path), path]) entries.delete(one);
    },
    exists: async (path) => entries.has(path),
  };
  return completeBackend({ name: "map", fs, cwd: "/data", clock: systemClock, realPath: async (path) => path });
}

const toolkit = await createToolkit({ on: "map", backends: { map: mapBackend() }, persist: false });
const { runner } = toolkit.box();
const call = async (name, input) => (await runner.run({ id: name, name, input })).output;
await call("write", { path: "src/a.ts", content: "export const a = 1;\n" });
assert.match(await call("grep", { pattern: "const a" }), /src\/a\.ts:1: export const a = 1;/);
await toolkit.close();

// Some of the published cases. For your backend, run all suites in your test runner.
const plan = {
  name: "map",
  create: async () => ({ backend: mapBackend(), directory: "/data", clock: systemClock, dispose: async () => {} }),
  cannot: Object.fromEntries(Object.entries(COMPLETED_CANNOT).filter(([id]) => id.startsWith("fs:"))),
  knownFailures: {},
};
const cases = runnable(plan, [fsSuite]).filter(
  ({ id, kind }) => kind === "run" && /^fs:(read|write|mkdir|rm)/.test(id),
);
assert.ok(cases.length > 10);
for (const one of cases) await one.run();
console.log(`${cases.length} cases of the file suite passed`);
console.log("ok");
