/** Which requirement ids the tests cite, read from their sources. */
import ts from "typescript";
import { type SourceFile, walk } from "../architecture/source-tree.js";

/** Promises of dialects, and weaknesses of the systems that they imitate. */
export const REQUIREMENT_ID = /^(?:(?:IR|IP|ZC|BD)-\d{3}|W\d{1,2})$/;

/**
 * Id → the tests that cite it, by file and line. A citation is the first argument of `verifies`. Where that is computed
 * (a table of cases), every literal in the same file that has the form of an id counts.
 */
export function citations(files: readonly SourceFile[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files) {
    const calls = verifiesCalls(file.tree);
    const sources = calls.flatMap((call) => call.arguments.slice(0, 1)).map(literalsIn);
    const computed = calls.some((_, index) => sources[index]?.length === 0);
    const literals = computed ? literalsIn(file.tree) : sources.flat();
    for (const literal of literals) {
      if (!computed || REQUIREMENT_ID.test(literal.text)) {
        const line = file.tree.getLineAndCharacterOfPosition(literal.getStart(file.tree)).line + 1;
        found.set(literal.text, [...(found.get(literal.text) ?? []), `${file.path}:${line}`]);
      }
    }
  }
  return found;
}

function verifiesCalls(tree: ts.Node): ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  walk(tree, (node) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "verifies") {
      calls.push(node);
    }
  });
  return calls;
}

function literalsIn(node: ts.Node): ts.StringLiteralLike[] {
  const literals: ts.StringLiteralLike[] = [];
  walk(node, (one) => {
    if (ts.isStringLiteralLike(one)) literals.push(one);
  });
  return literals;
}
