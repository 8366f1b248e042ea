/** File names, file sizes, explicit exports, and no branch on the name of a tool or a dialect. */
import { basename } from "node:path";
import ts from "typescript";
import { DIALECT_NAMES, dialectNamed } from "../../src/toolkit/index.js";
import { builtinTools } from "../../src/tools/index.js";
import { groupOf, lineOf, moduleOf, type SourceFile, type Violation, walk } from "./source-tree.js";

export const MAX_FILE_LINES = 400;

const VAGUE_NAMES = ["utils", "util", "helpers", "helper", "common", "types", "misc", "shared"];

export function fileNames(files: readonly SourceFile[]): Violation[] {
  return files.flatMap(({ path }) => {
    const name = basename(path, ".ts").replace(/\.sh$/, ""); // boot.sh.ts contains a shell script
    if (VAGUE_NAMES.includes(name)) return [`${path}: the name is too general. Name the subject.`];
    const parts = path.split("/").slice(1, -1).concat(name);
    if (parts.every((part) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(part))) return [];
    return [`${path}: directories and files are named in kebab-case.`];
  });
}

/** Two files of one module whose names differ in a plural "s" alone are mistaken for each other. */
export function pluralTwins(files: readonly SourceFile[]): Violation[] {
  const key = (path: string) => `${moduleOf(path)}:${basename(path, ".ts")}`;
  const names = new Map(files.map(({ path }) => [key(path), path]));
  return files.flatMap(({ path }) => {
    const twin = names.get(`${key(path)}s`);
    return twin === undefined ? [] : [`${path}: is mistaken for ${twin}. Name each for what it contains.`];
  });
}

/** A name that two files export would mean two things. Re-exports do not count. */
export function namesExportedTwice(files: readonly SourceFile[]): Violation[] {
  const exported = new Map<string, string>();
  return files.flatMap((file) =>
    [...new Set(file.tree.statements.flatMap(exportedNames))].flatMap((name) => {
      const other = exported.get(name);
      exported.set(name, file.path);
      return other === undefined
        ? []
        : [`${file.path}: ${other} exports "${name}" too. Rename one, or use one for both.`];
    }),
  );
}

function exportedNames(node: ts.Statement): string[] {
  const isExported =
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  if (!isExported) return [];
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = node as ts.DeclarationStatement;
  return name === undefined ? [] : [name.text];
}

/** `reasons` lists the files that may be longer, each with its reason. A stale entry is a violation too. */
export function fileSizes(files: readonly SourceFile[], reasons: Readonly<Record<string, string>>): Violation[] {
  const long = files.filter(({ text }) => text.split("\n").length - 1 > MAX_FILE_LINES).map(({ path }) => path);
  return [
    ...long
      .filter((path) => !reasons[path])
      .map(
        (path) => `${path}: over ${MAX_FILE_LINES} lines. Split it, or give a reason in test/architecture/allowed.ts.`,
      ),
    ...Object.keys(reasons)
      .filter((path) => !long.includes(path))
      .map((path) => `${path}: no longer over ${MAX_FILE_LINES} lines. Remove it from test/architecture/allowed.ts.`),
  ];
}

export function explicitExports(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) =>
    file.tree.statements
      .filter(ts.isExportDeclaration)
      .filter(({ exportClause }) => exportClause === undefined || ts.isNamespaceExport(exportClause))
      .map((node) => `${file.path}:${lineOf(file, node)}: name what is exported instead of \`export *\`.`),
  );
}

const dialects = await Promise.all(DIALECT_NAMES.map(dialectNamed));
const toolNames = new Set([
  ...builtinTools.map(({ name }) => name),
  ...dialects.flatMap(({ tools }) => Object.values(tools).map(({ name }) => name)),
]);

/** Words that are only ever the name of a tool or a dialect. */
const PLAIN_NAMES = [...DIALECT_NAMES, ...[...toolNames].filter((name) => name.includes("_"))];

/** Words with other meanings: they count only when compared with something called a name. */
const AMBIGUOUS_NAMES = [...toolNames].filter((name) => !name.includes("_"));

const NAME_EXPRESSION = /(^|\.)([a-z]*name|tool|dialect|canonical|advertised)(\.name)?$/i;

/** Only the toolkit may branch on the names of tools and dialects. */
export function nameBranches(files: readonly SourceFile[]): Violation[] {
  return files
    .filter((file) => groupOf(moduleOf(file.path)) !== "toolkit")
    .flatMap((file) => {
      const found: Violation[] = [];
      walk(file.tree, (node) => {
        for (const [subject, word] of comparisons(node)) {
          const known = PLAIN_NAMES.includes(word) || (AMBIGUOUS_NAMES.includes(word) && isNameExpression(subject));
          if (known) {
            found.push(
              `${file.path}:${lineOf(file, node)}: branches on the name "${word}". Let the tool or the dialect declare what differs.`,
            );
          }
        }
      });
      return found;
    });
}

const isNameExpression = (subject: ts.Expression) => NAME_EXPRESSION.test(subject.getText().replace(/[?!()]/g, ""));

const EQUALITY = [
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
];

/** Each expression that this node compares with a literal word: `x === "a"`, `case "a"`, `["a"].includes(x)`. */
function comparisons(node: ts.Node): [ts.Expression, string][] {
  if (ts.isBinaryExpression(node) && EQUALITY.includes(node.operatorToken.kind)) {
    const sides: [ts.Expression, ts.Expression][] = [
      [node.left, node.right],
      [node.right, node.left],
    ];
    return sides.flatMap(([one, other]) =>
      ts.isStringLiteralLike(other) ? [[one, other.text] as [ts.Expression, string]] : [],
    );
  }
  if (ts.isCaseClause(node) && ts.isStringLiteralLike(node.expression)) {
    return [[node.parent.parent.expression, node.expression.text]];
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { expression, name } = node.expression;
  const [subject] = node.arguments;
  if (name.text !== "includes" || subject === undefined || !ts.isArrayLiteralExpression(expression)) return [];
  return expression.elements.filter(ts.isStringLiteralLike).map(({ text }) => [subject, text]);
}
