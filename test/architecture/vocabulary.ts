/** Words that the project does not use, each with the term that replaces it. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { lineOf, listFiles, parseSource, REPOSITORY, type SourceFile, type Violation, walk } from "./source-tree.js";

/** Where a word is wrong: in names, in comments, in strings and templates, in Markdown. In tests only titles are strings. */
type Scope = "identifier" | "comment" | "string" | "doc";

interface OldWord {
  /** A regular expression that is matched as whole words, in any case. */
  readonly word: string;
  readonly use: string;
  /** Everywhere, unless it is given. */
  readonly in?: readonly Scope[];
  /** The files that need the word: a name that models use, a word list. */
  readonly except?: readonly string[];
}

const PROSE: readonly Scope[] = ["comment", "string", "doc"];

const OLD_WORDS: readonly OldWord[] = [
  { word: "folders?", use: "directory", except: ["src/dialects/haft/delete.ts"] },
  { word: "(dangling link|leads? nowhere)", use: "dangling symlink" },
  { word: "(tells?|told|telling)", use: "report, return or print" },
  { word: "blanks", use: "whitespace" },
  { word: "line ends(?! (with|in|at|there|here|before|after|or))", use: "line endings" },
  { word: "moving images?", use: "animated image" },
  { word: "odd kinds?", use: "special file" },
  { word: "(clipped|clippers?)", use: "truncated, truncator" },
  { word: "(?<!_)(needles?|haystacks?)", use: "the name of the parameter", in: ["string", "doc"] },
  { word: "(goes|go|going|went|gone) on", use: "continue, or run in the background" },
  { word: "(gives?|gave|giving|given) up", use: "stop" },
  { word: "unharmed", use: "callSafely" },
  { word: "unbegun", use: "not started" },
  { word: "far side", use: "remote" },
  { word: "faces?", use: "presenter" },
  { word: "rooms?(?! (for|left))", use: "module; space or remaining, of bytes" },
  { word: "houses?", use: "source tree" },
  { word: "(patience|impatience)", use: "deadline, timeout" },
  { word: "(shelf|shelves)", use: "artifact store" },
  { word: "ticket lines?", use: "lock queue" },
  { word: "journals?", use: "backup", except: ["bench/corpus.mjs", "src/stores/sqlite/sqlite-database.ts"] },
  { word: "ground (folder|directory|directories)", use: "protected directory" },
  { word: "spots?", use: "the name of what is there, e.g. ResolvedPath", in: ["identifier"] },
  { word: "(bury|buried|bye|saying)", use: "the conventional verb: remove, shut down, return", in: ["identifier"] },
  { word: "(person|persons|people)", use: "user" },
  { word: "on (the )?record", use: "audited, in the audit log", in: PROSE },
  { word: "(nobody|at hand|out of turn|by the moment)", use: "a plain sentence", in: PROSE },
];

const PATTERNS = OLD_WORDS.map((one) => ({
  ...one,
  pattern: new RegExp(`(?<![a-z])${one.word}(?![a-z])`, "gi"),
  scopes: one.in ?? (["identifier", ...PROSE] as readonly Scope[]),
}));

/** Most texts contain none of the words, so that one test decides. */
const ANY = new RegExp(PATTERNS.map(({ pattern }) => pattern.source).join("|"), "i");

/** The same without what may not stand beside a word: a file without a match needs not be parsed. */
const LOOSE = new RegExp(
  OLD_WORDS.map(({ word }) => `(?<![a-z])${word.replaceAll(/\(\?<?!(?:[^()]|\([^()]*\))*\)/g, "")}(?![a-z])`).join("|"),
  "i",
);

/** Exact texts of the seeds, requirements as they were given, history, and the files that list old words on purpose. */
const EXEMPT =
  /^(src\/dialects\/(indusagi|zeroclaw|buddy)\/|test\/dialects\/(indusagi|zeroclaw|buddy)|test\/requirements\/|test\/cases\/|docs\/decisions\/|CHANGELOG\.md|test\/architecture\/vocabulary\.ts|test\/architecture\.test\.ts)/;

/** The files and directories that are checked. */
const CHECKED = "src docs test bench scripts examples README.md CONTRIBUTING.md SECURITY.md";

/** The files to check. `VOCABULARY="src/kernel docs"` checks only these. */
export function readVocabularyFiles(): SourceFile[] {
  return (process.env.VOCABULARY ?? CHECKED)
    .split(" ")
    .flatMap((root) => (statSync(join(REPOSITORY, root)).isFile() ? [root] : listFiles(root)))
    .filter((path) => /\.(ts|mjs|md)$/.test(path) && !EXEMPT.test(path))
    .map((path) => ({ path, text: readFileSync(join(REPOSITORY, path), "utf8") }))
    .filter(({ path, text }) => LOOSE.test(inWords(`${path} ${text}`)))
    .map(({ path, text }) => parseSource(path, text));
}

export function vocabulary(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => [
    ...check(file.path, "identifier", file.path.replace(/\.\w+$/, "")),
    ...(file.path.endsWith(".md") ? inMarkdown(file) : inSource(file)),
  ]);
}

function inMarkdown({ path, text }: SourceFile): Violation[] {
  return text.split("\n").flatMap((line, index) => check(`${path}:${index + 1}`, "doc", line));
}

function inSource(file: SourceFile): Violation[] {
  const found: Violation[] = [];
  const literals: ts.Node[] = [];
  walk(file.tree, (node) => {
    const at = `${file.path}:${lineOf(file, node)}`;
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) found.push(...check(at, "identifier", node.text));
    if (!isText(node) && node.kind !== ts.SyntaxKind.RegularExpressionLiteral) return;
    literals.push(node);
    if (isText(node) && !isSpecifier(node) && (!isTest(file.path) || isTitle(node))) {
      found.push(...check(at, "string", node.text));
    }
  });
  return [...found, ...inComments(file, literals)];
}

/** Comments are looked for where no literal is, so that `"https://…"` is none. */
function inComments({ path, text, tree }: SourceFile, literals: readonly ts.Node[]): Violation[] {
  let rest = "";
  for (const node of literals) {
    rest += text.slice(rest.length, node.getStart(tree));
    rest += " ".repeat(node.getEnd() - rest.length);
  }
  rest += text.slice(rest.length);
  return [...rest.matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)].flatMap(({ 0: comment, index }) =>
    check(`${path}:${tree.getLineAndCharacterOfPosition(index).line + 1}`, "comment", comment.replace(/\n\s*\*?/g, "")),
  );
}

type Text = ts.StringLiteralLike | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail;

function isText(node: ts.Node): node is Text {
  return (
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)
  );
}

const isTest = (path: string) => /\.(test|fixture)\.ts$/.test(path) || path.startsWith("test/");

const isSpecifier = ({ parent }: ts.Node) =>
  ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isExternalModuleReference(parent);

const isTitle = ({ parent }: ts.Node) =>
  ts.isCallExpression(parent) && /^(it|test|describe)\b/.test(parent.expression.getText());

/** `wholeLine_ends-here` is read as "whole line ends here". */
function inWords(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[^A-Za-z0-9]+/g, " ");
}

function check(at: string, scope: Scope, text: string): Violation[] {
  const words = scope === "identifier" ? inWords(text) : text;
  if (!ANY.test(words)) return [];
  const applied = PATTERNS.filter(
    ({ scopes, except }) => scopes.includes(scope) && !except?.some((path) => at.startsWith(path)),
  );
  return applied.flatMap(({ pattern, use }) =>
    [...words.matchAll(pattern)].map((match) => `${at}: "${match[0]}" (${scope}). Use: ${use}.`),
  );
}
