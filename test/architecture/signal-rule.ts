/** Signals are sent by one function, which rejects processes that are not certainly ours. */
import ts from "typescript";
import { SYSTEM_MODULES } from "./import-rules.js";
import { groupOf, lineOf, moduleOf, type SourceFile, type Violation, walk } from "./source-tree.js";

/** The only file that may send one. */
const SENDER = "src/host/process/signal.ts";

/** Functions of `node:child_process` that return a child, and the options by which Node signals it by itself. */
const STARTERS = new Set(["spawn", "exec", "execFile", "fork"]);
const KILLING_OPTIONS = new Set(["timeout", "signal", "killSignal"]);

/**
 * Modules that can start processes use `kill` of `this` only, never of `process` or a child, whatever the variable is called.
 * Other modules cannot reach a process (see ambient-rules.ts); a job there is a port that has a method `kill`.
 */
export function signalsSent(files: readonly SourceFile[]): Violation[] {
  return files
    .filter((file) => SYSTEM_MODULES.includes(groupOf(moduleOf(file.path))) && file.path !== SENDER)
    .flatMap((file) => {
      const found: Violation[] = [];
      walk(file.tree, (node) => {
        const at = `${file.path}:${lineOf(file, node)}`;
        if (takesKill(node)) found.push(`${at}: send signals with sendSignal of src/host, never with kill.`);
        else if (isKillingStart(file, node))
          found.push(`${at}: Node signals a child whose spawn failed. Use killAfter or sendSignal of src/host.`);
      });
      return found;
    });
}

function takesKill(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node))
    return node.name.text === "kill" && node.expression.kind !== ts.SyntaxKind.ThisKeyword;
  if (ts.isElementAccessExpression(node))
    return ts.isStringLiteralLike(node.argumentExpression) && node.argumentExpression.text === "kill";
  if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) return isNamedKill(node);
  return ts.isImportSpecifier(node) && isNamedKill(node) && isFromNode(node);
}

function isNamedKill({ name, propertyName }: ts.BindingElement | ts.ImportSpecifier): boolean {
  const taken = propertyName ?? name;
  return (ts.isIdentifier(taken) || ts.isStringLiteralLike(taken)) && taken.text === "kill";
}

function isFromNode(node: ts.ImportSpecifier): boolean {
  const { moduleSpecifier } = node.parent.parent.parent as ts.ImportDeclaration;
  return ts.isStringLiteralLike(moduleSpecifier) && /^(node:)?process$/.test(moduleSpecifier.text);
}

function isKillingStart(file: SourceFile, node: ts.Node): boolean {
  if (!ts.isCallExpression(node)) return false;
  const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
  if (!ts.isIdentifier(callee) || !STARTERS.has(callee.text)) return false;
  if (!file.imports.some(({ specifier }) => /^(node:)?child_process$/.test(specifier))) return false;
  const options = node.arguments.filter(ts.isObjectLiteralExpression);
  return options.some(({ properties }) =>
    properties.some(({ name }) => name !== undefined && ts.isIdentifier(name) && KILLING_OPTIONS.has(name.text)),
  );
}
