/** Every symbol that a public entry exports is documented where it is declared. */
import ts from "typescript";
import type { SourceFile, Violation } from "./source-tree.js";

/** `entries` are the sources behind the package's exports. */
export function undocumentedExports(files: readonly SourceFile[], entries: readonly string[]): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return entries
    .flatMap((entry) => {
      const file = byPath.get(entry);
      if (file === undefined) return [`${entry}: the package exports it, but there is no such source.`];
      return exportedNames(file).flatMap((name) => judge(byPath, file, name));
    })
    .filter((line, index, all) => all.indexOf(line) === index);
}

function judge(byPath: ReadonlyMap<string, SourceFile>, file: SourceFile, name: string): Violation[] {
  const found = declarationOf(byPath, file, name);
  if (found === undefined) return [`${file.path}: exports ${name}, but its declaration was not found.`];
  return found.documented ? [] : [`${found.path}: ${found.name} is public and has no doc block.`];
}

function exportedNames({ tree }: SourceFile): string[] {
  return tree.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
      return statement.exportClause.elements.map(({ name }) => name.text);
    }
    return isExported(statement) ? namesIn(statement) : [];
  });
}

function declarationOf(
  byPath: ReadonlyMap<string, SourceFile>,
  file: SourceFile,
  name: string,
): { path: string; name: string; documented: boolean } | undefined {
  const own = file.tree.statements.filter((statement) => namesIn(statement).includes(name));
  if (own.length > 0) return { path: file.path, name, documented: own.some(hasDocBlock) };
  for (const { specifier, local } of bindingsOf(file, name)) {
    const target = file.imports.find((one) => one.specifier === specifier)?.target;
    const next = target === undefined ? undefined : byPath.get(target);
    const found = next && declarationOf(byPath, next, local);
    if (found !== undefined) return found;
    if (target === undefined) return { path: file.path, name, documented: true }; // a package documents its own
  }
  return undefined;
}

/** Where a name of this file comes from: `export { a as name } from "x"`, or an import that is exported again. */
function bindingsOf({ tree }: SourceFile, name: string): { specifier: string; local: string }[] {
  return tree.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
      const element = statement.exportClause.elements.find((one) => one.name.text === name);
      if (element === undefined || statement.moduleSpecifier === undefined) return [];
      return [{ specifier: textOf(statement.moduleSpecifier), local: (element.propertyName ?? element.name).text }];
    }
    if (!ts.isImportDeclaration(statement)) return [];
    const bindings = statement.importClause?.namedBindings;
    const element =
      bindings && ts.isNamedImports(bindings) ? bindings.elements.find((one) => one.name.text === name) : undefined;
    if (element === undefined) return [];
    return [{ specifier: textOf(statement.moduleSpecifier), local: (element.propertyName ?? element.name).text }];
  });
}

const textOf = (node: ts.Expression) => (ts.isStringLiteralLike(node) ? node.text : "");

function namesIn(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const declares =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return declares && statement.name ? [statement.name.text] : [];
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function hasDocBlock(statement: ts.Statement): boolean {
  return ts.getJSDocCommentsAndTags(statement).length > 0;
}
