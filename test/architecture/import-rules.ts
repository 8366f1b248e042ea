/** Who may import whom: rooms, entries, third-party packages, cycles. */
import { builtinModules } from "node:module";
import { type Import, layerOf, roomOf, type SourceFile, type Violation } from "./source-tree.js";

const PURE = ["kernel", "text"];
const HOSTED = [...PURE, "host"];

/** Layer → the layers it may import, besides its own room. A room of `backends/` may also import the two named ones. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  text: [],
  kernel: ["text"],
  engines: PURE,
  host: PURE,
  policy: PURE,
  tools: [...PURE, "engines"],
  dialects: PURE, // and the contracts of tools
  adapters: PURE,
  testing: PURE,
  backends: [...HOSTED, "engines"],
  "mcp-client": [...HOSTED, "engines"],
  stores: HOSTED,
  toolkit: [
    ...HOSTED,
    "engines",
    "policy",
    "tools",
    "dialects",
    "adapters",
    "testing",
    "backends",
    "mcp-client",
    "stores",
  ],
  surfaces: [...HOSTED, "policy", "dialects", "adapters", "toolkit"],
  entry: [
    ...HOSTED,
    "engines",
    "policy",
    "tools",
    "dialects",
    "adapters",
    "backends",
    "mcp-client",
    "stores",
    "toolkit",
  ],
};

/** The modules that another of their own layer may import: what several backends share, and the search that completes one. */
const SHARED = ["backends/posix", "engines/search"];

/** The program that starts the other surfaces; between themselves they know nothing of each other. */
const STARTER = "surfaces/cli";

/** Layers that may touch the operating system. */
export const SYSTEM_LAYERS: readonly string[] = ["host", "backends", "mcp-client", "stores", "surfaces"];

const BUILTINS = new Set(builtinModules.map((name) => name.replace(/^node:/, "")));

/** Whether a specifier names a module of Node itself, with or without its prefix. */
export function isBuiltin(specifier: string): boolean {
  const bare = specifier.replace(/^node:/, "");
  return specifier.startsWith("node:") || BUILTINS.has(bare) || BUILTINS.has(bare.split("/")[0] ?? bare);
}

const at = (file: SourceFile, { line }: Import) => `${file.path}:${line}`;

/** The import table. */
export function roomImports(files: readonly SourceFile[]): Violation[] {
  return eachImport(files, (file, one) => {
    if (one.target === undefined) return undefined;
    if (!one.target.startsWith("src/")) return `${at(file, one)}: "${one.specifier}" leaves src/.`;
    const [from, to] = [roomOf(file.path), roomOf(one.target)];
    if (from === to || mayImport(from, to) || isContractOfDialect(from, one.target)) return undefined;
    return `${at(file, one)}: ${from} may not import ${to}. The import table is in test/architecture/import-rules.ts.`;
  });
}

/** What tests beside the code need lies beside the code too. By the text, so that the path of a program to start counts. */
export function testImports(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ path, text }) => path.startsWith("src/") && /"(\.\.\/)+test\//.test(text))
    .map(
      ({ path }) =>
        `${path}: src/ uses nothing of test/. Move it beside the code or to src/testing/, as a \`.fixture.ts\`.`,
    );
}

/** The one file of a tool that a dialect may import: its schema, types and limits. */
const isContractOfDialect = (from: string, target: string) =>
  layerOf(from) === "dialects" && /^src\/tools\/[^/]+\/contract\.ts$/.test(target);

function mayImport(from: string, to: string): boolean {
  const layer = layerOf(from);
  if (MAY_IMPORT[layer] === undefined) return false;
  if (to === layer) return true; // what the rooms of one layer have in common lies in the layer's folder itself
  if (from === layer && layerOf(to) === layer) return true; // whose index gathers them
  if (from === STARTER && layerOf(to) === "surfaces") return true;
  if (SHARED.includes(to) && layerOf(to) === layer) return true;
  return MAY_IMPORT[layer].includes(layerOf(to));
}

/** Another room is entered by its `index.ts`, or by the one file that bears the room's name. */
export function roomEntries(files: readonly SourceFile[]): Violation[] {
  return eachImport(files, (file, one) => {
    if (one.target === undefined) return undefined;
    const [from, room] = [roomOf(file.path), roomOf(one.target)];
    if (room === from || room === layerOf(from) || layerOf(room) === from) return undefined;
    const name = room.split("/").at(-1);
    const inside = one.target.slice(`src/${room}/`.length);
    if (room === "entry" || inside === "index.ts" || isContractOfDialect(from, one.target)) return undefined;
    // The index of host loads modules of Node.js, which the main entry must not.
    if (from === "entry" && one.target === "src/host/clock.ts") return undefined;
    if (room.includes("/") && [`${name}.ts`, `${name}-${layerOf(room).slice(0, -1)}.ts`].includes(inside))
      return undefined;
    return `${at(file, one)}: "${one.specifier}" reaches into ${room}. Import its index.ts.`;
  });
}

export function builtins(files: readonly SourceFile[]): Violation[] {
  return eachImport(files, (file, one) => {
    if (!isBuiltin(one.specifier) || SYSTEM_LAYERS.includes(layerOf(roomOf(file.path)))) return undefined;
    return `${at(file, one)}: ${roomOf(file.path)} may not import "${one.specifier}". Use a port of the kernel.`;
  });
}

/** Room → packages that it may import. "lazy" ones only by `import()`, so that nobody pays for them who does not use them. */
export type PackageTable = Readonly<Record<string, Readonly<Record<string, "eager" | "lazy">>>>;

export function packages(files: readonly SourceFile[], table: PackageTable): Violation[] {
  return eachImport(files, (file, one) => {
    if (one.target !== undefined || isBuiltin(one.specifier)) return undefined;
    const name = one.specifier
      .split("/")
      .slice(0, one.specifier.startsWith("@") ? 2 : 1)
      .join("/");
    const allowed = table[roomOf(file.path)]?.[name];
    if (allowed === undefined) {
      return `${at(file, one)}: ${roomOf(file.path)} may not import the package "${name}". The table is in test/architecture/allowed.ts.`;
    }
    if (allowed === "eager" || one.kind === "dynamic" || one.typeOnly) return undefined;
    return `${at(file, one)}: import "${name}" lazily, with import(), where it is used.`;
  });
}

/** Files that import each other in a ring. Types count: what describes itself through another is one subject. */
export function cycles(files: readonly SourceFile[]): Violation[] {
  const edges = new Map(files.map((file) => [file.path, file.imports.flatMap(({ target }) => target ?? [])]));
  const state = new Map<string, "open" | "done">();
  const found: Violation[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (state.get(path) === "done" || !edges.has(path)) return;
    if (state.get(path) === "open") {
      found.push(`Import cycle: ${[...trail.slice(trail.indexOf(path)), path].join(" → ")}`);
      return;
    }
    state.set(path, "open");
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    state.set(path, "done");
  };
  for (const path of edges.keys()) visit(path, []);
  return found;
}

function eachImport(
  files: readonly SourceFile[],
  judge: (file: SourceFile, one: Import) => Violation | undefined,
): Violation[] {
  return files.flatMap((file) => file.imports.flatMap((one) => judge(file, one) ?? []));
}
