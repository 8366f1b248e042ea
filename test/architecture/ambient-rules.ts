/** Pure modules do not use the global clock, randomness, network, process or console. */
import ts from "typescript";
import { SYSTEM_MODULES } from "./import-rules.js";
import { groupOf, lineOf, moduleOf, type SourceFile, type Violation, walk } from "./source-tree.js";

/** Global → the port that stands for it. */
const GLOBALS: Readonly<Record<string, string>> = {
  fetch: "the Http port",
  WebSocket: "a port",
  XMLHttpRequest: "the Http port",
  process: "what the host hands in",
  performance: "ctx.clock",
  setTimeout: "ctx.clock.timer",
  setInterval: "ctx.clock.timer",
  setImmediate: "ctx.clock.timer",
  clearTimeout: "the function that ctx.clock.timer returns",
  clearInterval: "the function that ctx.clock.timer returns",
  clearImmediate: "the function that ctx.clock.timer returns",
};

/** Object → members that read the time or are random. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Date: { now: "ctx.clock.now" },
  Math: { random: "ctx.ids" },
  crypto: { randomUUID: "ctx.ids", getRandomValues: "ctx.ids" },
  AbortSignal: { timeout: "ctx.clock.timer with an AbortController" },
};

/** Modules outside SYSTEM_MODULES use ports instead of globals. */
export function ambientGlobals(files: readonly SourceFile[]): Violation[] {
  return files
    .filter((file) => !SYSTEM_MODULES.includes(groupOf(moduleOf(file.path))))
    .flatMap((file) => uses(file).map(([node, name, instead]) => violation(file, node, name, instead)));
}

/** Only the command line writes to the console; everything else reports through results and events. */
export function consoleUse(files: readonly SourceFile[]): Violation[] {
  return files
    .filter((file) => moduleOf(file.path) !== "surfaces/cli")
    .flatMap((file) => {
      const found: Violation[] = [];
      walk(file.tree, (node) => {
        if (isGlobalUse(node, "console")) found.push(violation(file, node, "console", "results and events"));
      });
      return found;
    });
}

function violation(file: SourceFile, node: ts.Node, name: string, instead: string): Violation {
  return `${file.path}:${lineOf(file, node)}: ${moduleOf(file.path)} may not use ${name}. Use ${instead}.`;
}

function uses(file: SourceFile): [ts.Node, string, string][] {
  const found: [ts.Node, string, string][] = [];
  walk(file.tree, (node) => {
    if (ts.isIdentifier(node) && Object.hasOwn(GLOBALS, node.text) && isGlobalUse(node, node.text)) {
      found.push([node, node.text, GLOBALS[node.text] ?? "a port"]);
    }
    const member = memberUse(node);
    if (member !== undefined) found.push([node, ...member]);
    if (readsTheTime(node)) found.push([node, "the current Date", "ctx.clock.now"]);
  });
  return found;
}

function memberUse(node: ts.Node): [string, string] | undefined {
  const [object, name] = memberOf(node) ?? [];
  if (object === undefined || name === undefined) return undefined;
  const instead = MEMBERS[object.text]?.[name];
  return instead !== undefined && isGlobalUse(object, object.text) ? [`${object.text}.${name}`, instead] : undefined;
}

/** `a.b` and `a["b"]`, and `globalThis.a.b`. */
function memberOf(node: ts.Node): [ts.Identifier, string] | undefined {
  const name = ts.isPropertyAccessExpression(node)
    ? node.name.text
    : ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)
      ? node.argumentExpression.text
      : undefined;
  if (name === undefined) return undefined;
  const { expression } = node as ts.PropertyAccessExpression | ts.ElementAccessExpression;
  if (ts.isIdentifier(expression)) return [expression, name];
  return ts.isPropertyAccessExpression(expression) && ts.isIdentifier(expression.name)
    ? [expression.name, name]
    : undefined;
}

function readsTheTime(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) return isGlobalUse(node.expression, "Date") && (node.arguments?.length ?? 0) === 0;
  return ts.isCallExpression(node) && isGlobalUse(node.expression, "Date");
}

/** An identifier that means the global of this name: not a property, not a declaration, not shadowed by one. */
function isGlobalUse(node: ts.Node, name: string): boolean {
  if (!ts.isIdentifier(node) || node.text !== name) return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return ts.isIdentifier(parent.expression) && ["globalThis", "global", "window"].includes(parent.expression.text);
  }
  const isName = "name" in parent && parent.name === node;
  const isLabel = ts.isPropertyAssignment(parent) && parent.name === node;
  const isType = ts.isTypeReferenceNode(parent) || ts.isQualifiedName(parent) || ts.isTypeQueryNode(parent);
  const isSpecifier = ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isBindingElement(parent);
  if ((isName && !ts.isShorthandPropertyAssignment(parent)) || isLabel || isType) return false;
  if (isSpecifier && !(ts.isBindingElement(parent) && parent.initializer === node)) return false;
  return !isShadowed(node, name);
}

function isShadowed(node: ts.Node, name: string): boolean {
  for (let scope: ts.Node | undefined = node.parent; scope !== undefined; scope = scope.parent) {
    if (declaredIn(scope).includes(name)) return true;
  }
  return false;
}

function declaredIn(scope: ts.Node): string[] {
  if (ts.isFunctionLike(scope)) return scope.parameters.flatMap(({ name }) => namesOf(name));
  if (ts.isCatchClause(scope)) return scope.variableDeclaration ? namesOf(scope.variableDeclaration.name) : [];
  if (ts.isForStatement(scope) || ts.isForOfStatement(scope) || ts.isForInStatement(scope)) {
    const { initializer } = scope;
    return initializer && ts.isVariableDeclarationList(initializer)
      ? initializer.declarations.flatMap(({ name }) => namesOf(name))
      : [];
  }
  if (!ts.isBlock(scope) && !ts.isSourceFile(scope) && !ts.isCaseClause(scope)) return [];
  return scope.statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => namesOf(name));
    if (ts.isImportDeclaration(statement)) return importedNames(statement);
    const named = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
    return named && statement.name ? [statement.name.text] : [];
  });
}

function importedNames({ importClause }: ts.ImportDeclaration): string[] {
  const names = importClause?.name ? [importClause.name.text] : [];
  const bindings = importClause?.namedBindings;
  if (bindings === undefined) return names;
  if (ts.isNamespaceImport(bindings)) return [...names, bindings.name.text];
  return [...names, ...bindings.elements.map(({ name }) => name.text)];
}

function namesOf(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesOf(element.name) : []));
}
