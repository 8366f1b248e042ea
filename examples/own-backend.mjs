// A backend of your own: seven file operations over a Map, completed by `completeBackend` and checked with the published suites.
import assert from "node:assert/strict";
import { completeBackend, createToolkit, systemClock } from "haft";
import {
  backendSuite,
  CANNOT_WITHOUT_SHELL,
  CANNOT_WITHOUT_SYMLINKS,
  COMPLETED_CANNOT,
  fsSuite,
  runnable,
  searchSuite,
  shellSuite,
} from "haft/testing";

const missing = (path) => Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });

function mapBackend() {
  /** Path → bytes, or null for a directory. */
  const entries = new Map([
    ["/", null],
    ["/data", null],
  ]);
  /** Path → milliseconds since the epoch. */
  const modified = new Map([...entries.keys()].map((path) => [path, systemClock.now()]));
  const put = (path, bytes) => {
    entries.set(path, bytes);
    modified.set(path, systemClock.now());
  };
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
    async writeFile(path, data) {
      if (entries.get(parentOf(path)) !== null) throw missing(path);
      if (entries.get(path) === null) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
      put(path, new Uint8Array(data));
    },
    async stat(path) {
      if (!entries.has(path)) throw missing(path);
      const bytes = entries.get(path);
      return {
        isFile: bytes !== null,
        isDirectory: bytes === null,
        isSymlink: false,
        size: bytes?.length ?? 0,
        modifiedMs: Math.trunc(modified.get(path)),
      };
    },
    async readDir(path) {
      if (!entries.has(path)) throw missing(path);
      if (entries.get(path) !== null) throw Object.assign(new Error("no directory"), { code: "ENOTDIR" });
      const children = below(path).filter((one) => parentOf(one) === path);
      return children.map((one) => ({ name: one.slice(one.lastIndexOf("/") + 1) }));
    },
    async mkdir(path, recursive) {
      if (recursive && parentOf(path) !== path && !entries.has(parentOf(path))) await fs.mkdir(parentOf(path), true);
      if (!entries.has(parentOf(path))) throw missing(path);
      if (entries.has(path) && !(recursive && entries.get(path) === null))
        throw Object.assign(new Error("it exists"), { code: "EEXIST" });
      put(path, null);
    },
    async rm(path, { recursive }) {
      if (!entries.has(path)) throw missing(path);
      if (below(path).length > 0 && !recursive) throw Object.assign(new Error("not empty"), { code: "ENOTEMPTY" });
      for (const one of [...below(path), path]) {
        entries.delete(one);
        modified.delete(one);
      }
    },
    exists: async (path) => entries.has(path),
  };
  // Only a backend that can have no symlinks may return `path` here: by this Haft judges where a symlink leads.
  const realPath = async (path) => path;
  return completeBackend({ name: "map", fs, cwd: "/data", clock: systemClock, realPath });
}

const toolkit = await createToolkit({ on: "map", backends: { map: mapBackend() }, persist: false });
const { runner } = toolkit.box();
const call = async (name, input) => (await runner.run({ id: name, name, input })).output;
await call("write", { path: "src/a.ts", content: "export const a = 1;\n" });
assert.match(await call("grep", { pattern: "const a" }), /src\/a\.ts:1: export const a = 1;/);
await toolkit.close();

// The published suites, without what such a backend cannot do. For yours, run them in your test runner.
const plan = {
  name: "map",
  create: async () => ({
    backend: mapBackend(),
    directory: "/data",
    clock: systemClock,
    openAnother: async () => mapBackend(),
    dispose: async () => {},
  }),
  cannot: { ...COMPLETED_CANNOT, ...CANNOT_WITHOUT_SYMLINKS, ...CANNOT_WITHOUT_SHELL },
  knownFailures: {},
};
const cases = runnable(plan, [fsSuite, shellSuite, searchSuite, backendSuite]).filter(({ kind }) => kind === "run");
assert.ok(cases.length > 100);
for (const one of cases) await one.run();
console.log(`${cases.length} cases passed`);
console.log("ok");
