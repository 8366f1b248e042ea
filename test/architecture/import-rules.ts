/** Import rules: modules, entries, third-party packages, cycles. */
import { builtinModules } from "node:module";
import { groupOf, type Import, moduleOf, type SourceFile, type Violation } from "./source-tree.js";

const PURE = ["kernel", "text"];
const HOSTED = [...PURE, "host"];

/** Group → the groups that its modules may import. Modules of one group do not import each other, except SHARED ones. */
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

/** Modules that others of the same group may import. */
const SHARED = ["backends/local", "backends/posix", "backends/ripgrep", "engines/search", "stores/sql"];

/** The program that starts the other surfaces, which do not import each other. */
const STARTER = "surfaces/cli";

/** Groups that may touch the operating system. */
export const SYSTEM_MODULES: readonly string[] = ["host", "backends", "mcp-client", "stores", "surfaces"];

const BUILTINS = new Set(builtinModules.map((name) => name.replace(/^node:/, "")));

/** Whether a specifier names a built-in module of Node.js, with or without `node:`. */
export function isBuiltin(specifier: string): boolean {
  const bare = specifier.replace(/^node:/, "");
  return specifier.startsWith("node:") || BUILTINS.has(bare) || BUILTINS.has(bare.split("/")[0] ?? bare);
}

const at = (file: SourceFile, { line }: Import) => `${file.path}:${line}`;

/** The import table. */
export function moduleImports(files: readonly SourceFile[]): Violation[] {
  return eachImport(files, (file, one) => {
    if (one.target === undefined) return undefined;
    if (!one.target.startsWith("src/")) return `${at(file, one)}: "${one.specifier}" leaves src/.`;
    const [from, to] = [moduleOf(file.path), moduleOf(one.target)];
    if (from === to || mayImport(from, to) || isContractOfDialect(from, one.target)) return undefined;
    return `${at(file, one)}: ${from} may not import ${to}. The import table is in test/architecture/import-rules.ts.`;
  });
}

/** Tests in `src/` do not use `test/`. Searches the text, because a path to a program counts too. */
export function testImports(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ path, text }) => path.startsWith("src/") && /"(\.\.\/)+test\//.test(text))
    .map(
      ({ path }) =>
        `${path}: src/ may not use test/. Move the file beside the code or to src/testing/, as a \`.fixture.ts\`.`,
    );
}

/** Dialects may import one file of a tool: its schema, types and limits. */
const isContractOfDialect = (from: string, target: string) =>
  groupOf(from) === "dialects" && /^src\/tools\/[^/]+\/contract\.ts$/.test(target);

function mayImport(from: string, to: string): boolean {
  const group = groupOf(from);
  if (MAY_IMPORT[group] === undefined) return false;
  if (to === group) return true; // files directly in the directory of the group are shared
  if (from === group && groupOf(to) === group) return true; // the index of the group
  if (from === STARTER && groupOf(to) === "surfaces") return true;
  if (SHARED.includes(to) && groupOf(to) === group) return true;
  return MAY_IMPORT[group].includes(groupOf(to));
}

/** What parses commands is loaded only where it is needed, and the index of policy is loaded with the main entry. */
const COMMAND_PARSERS = [
  "src/policy/autonomy-policy.ts",
  "src/policy/host-guard.ts",
  "src/policy/commands/index.ts",
  "src/policy/rules/index.ts",
  "src/policy/zeroclaw/index.ts",
];

/** Other modules import the `index.ts` of a module, or its one file of the same name. */
export function moduleEntries(files: readonly SourceFile[]): Violation[] {
  return eachImport(files, (file, one) => {
    if (one.target === undefined) return undefined;
    const [from, module] = [moduleOf(file.path), moduleOf(one.target)];
    if (module === from || module === groupOf(from) || groupOf(module) === from) return undefined;
    const name = module.split("/").at(-1);
    const inside = one.target.slice(`src/${module}/`.length);
    if (module === "entry" || inside === "index.ts" || isContractOfDialect(from, one.target)) return undefined;
    // The index of host loads modules of Node.js, which the main entry must not.
    if (from === "entry" && one.target === "src/host/clock.ts") return undefined;
    if (COMMAND_PARSERS.includes(one.target)) return undefined;
    if (module.includes("/") && [`${name}.ts`, `${name}-${groupOf(module).slice(0, -1)}.ts`].includes(inside))
      return undefined;
    return `${at(file, one)}: "${one.specifier}" is internal to ${module}. Import its index.ts.`;
  });
}

export function builtins(files: readonly SourceFile[]): Violation[] {
  return eachImport(files, (file, one) => {
    if (!isBuiltin(one.specifier) || SYSTEM_MODULES.includes(groupOf(moduleOf(file.path)))) return undefined;
    return `${at(file, one)}: ${moduleOf(file.path)} may not import "${one.specifier}". Use a port of the kernel.`;
  });
}

/** Module → packages that it may import; "lazy" ones only with `import()`, so that they load when they are used. */
export type PackageTable = Readonly<Record<string, Readonly<Record<string, "eager" | "lazy">>>>;

export function packages(files: readonly SourceFile[], table: PackageTable): Violation[] {
  return eachImport(files, (file, one) => {
    if (one.target !== undefined || isBuiltin(one.specifier)) return undefined;
    const name = one.specifier
      .split("/")
      .slice(0, one.specifier.startsWith("@") ? 2 : 1)
      .join("/");
    const allowed = table[moduleOf(file.path)]?.[name];
    if (allowed === undefined) {
      return `${at(file, one)}: ${moduleOf(file.path)} may not import the package "${name}". The table is in test/architecture/allowed.ts.`;
    }
    if (allowed === "eager" || one.kind === "dynamic" || one.typeOnly) return undefined;
    return `${at(file, one)}: import "${name}" lazily, with import(), where it is used.`;
  });
}

/** Import cycles. Type imports count. */
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
