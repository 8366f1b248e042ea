/** The sources for the architecture rules: parsed once, with resolved imports and the module of each file. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

export type ImportKind = "static" | "export" | "dynamic" | "require";

export interface Import {
  readonly specifier: string;
  readonly kind: ImportKind;
  /** Erased by compilation. */
  readonly typeOnly: boolean;
  readonly line: number;
  /** The source that a relative specifier means, relative to the repository. */
  readonly target?: string;
}

export interface SourceFile {
  /** Relative to the repository, with forward slashes: `src/kernel/tool.ts`. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** One line: where, what is wrong, what to do instead. */
export type Violation = string;

/** Directories whose subdirectories are modules. */
export const GROUPS_OF_MODULES = ["engines", "backends", "stores", "surfaces", "dialects"] as const;

/** `src/backends/local/fs/local-fs.ts` is in "backends/local", `src/kernel/tool.ts` in "kernel", `src/index.ts` in "entry". */
export function moduleOf(path: string): string {
  const [, group, sub, ...rest] = path.split("/");
  if (group === undefined || sub === undefined) return "entry";
  const hasModules = (GROUPS_OF_MODULES as readonly string[]).includes(group);
  return hasModules && rest.length > 0 ? `${group}/${sub}` : group;
}

export const groupOf = (module: string): string => module.split("/")[0] ?? module;

/** Parses one source. */
export function parseSource(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return { path, text, tree, imports: importsOf(path, tree) };
}

let sources: readonly SourceFile[] | undefined;

/** Every source of `src/` that ships: no tests and no fixtures (`*.test.ts`, `*.fixture.ts`). Parsed once a process. */
export function readSources(): readonly SourceFile[] {
  sources ??= listFiles("src")
    .filter((path) => path.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(path))
    .map((path) => parseSource(path, readFileSync(join(REPOSITORY, path), "utf8")));
  return sources;
}

let testSources: readonly SourceFile[] | undefined;

/** Every test of the repository, and every fixture in `src/`. Parsed once a process. */
export function readTestSources(): readonly SourceFile[] {
  testSources ??= [...listFiles("src"), ...listFiles("test")]
    .filter((path) => path.endsWith(".test.ts") || (path.startsWith("src/") && path.endsWith(".fixture.ts")))
    .map((path) => parseSource(path, readFileSync(join(REPOSITORY, path), "utf8")));
  return testSources;
}

/** Every file under a directory of the repository, sorted, relative to the repository. */
export function listFiles(directory: string): string[] {
  return readdirSync(join(REPOSITORY, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(REPOSITORY, posix.join(entry.parentPath, entry.name)))
    .sort();
}

/** Calls `visit` for the node and everything below it. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

export function lineOf(file: SourceFile, node: ts.Node): number {
  return file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree)).line + 1;
}

function importsOf(path: string, tree: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, name: ts.Node | undefined, kind: ImportKind, typeOnly: boolean) => {
    if (name === undefined || !ts.isStringLiteralLike(name)) return;
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    const target = resolve(path, name.text);
    const base = { specifier: name.text, kind, typeOnly, line };
    found.push(target === undefined ? base : { ...base, target });
  };
  walk(tree, (node) => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, "static", isTypeImport(node));
    else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, "export", isTypeExport(node));
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node, node.argument.literal, "static", true);
    } else if (ts.isExternalModuleReference(node)) add(node, node.expression, "require", false);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], "dynamic", false);
    } else if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "require") {
      add(node, node.arguments[0], "require", false);
    }
  });
  return found;
}

function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  if (importClause.isTypeOnly) return true;
  const { name, namedBindings } = importClause;
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.length > 0 &&
    namedBindings.elements.every((element) => element.isTypeOnly)
  );
}

function isTypeExport({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean {
  if (isTypeOnly) return true;
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return false;
  return exportClause.elements.length > 0 && exportClause.elements.every((element) => element.isTypeOnly);
}

/** With NodeNext a relative specifier names the emitted file. */
function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.normalize(posix.join(posix.dirname(from), specifier)).replace(/\.js$/, ".ts");
}
