/**
 * Renames what is local to a test file (variables, parameters, keys) and mends titles and comments of tests by the
 * glossary. Product texts that a test expects are left alone. Run: node scripts/codemods/test-words.mjs [--list]
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";

const NAMES = {
  folder: ["directory", "dir"],
  folders: ["directories", "dirs"],
  told: ["reported", "seen"],
  tells: ["reports", "sees"],
  blanks: ["whitespace", "spaces"],
};
const TEXTS = [
  [/\bfolders\b/g, "directories"],
  [/\bFolders\b/g, "Directories"],
  [/\bfolder\b/g, "directory"],
  [/\bFolder\b/g, "Directory"],
  [/\bline ends\b/g, "line endings"],
  [/\bLine ends\b/g, "Line endings"],
  [/\bblanks\b/g, "whitespace"],
  [/\bgoes on\b/g, "continues"],
];
const OLD = /\b(told|tells|blanks|unharmed|far side|folders?|goes on|gives up|line ends)\b/i;
/** Keys of data files that tests parse; they are renamed with those files. */
const DATA = /JSON\.parse/;

const root = process.cwd();
const tests = execFileSync("git", ["ls-files", "src/**/*.test.ts", "test/**/*.test.ts"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .map((name) => resolve(root, name));
const config = ts.parseJsonConfigFileContent(
  ts.readConfigFile(resolve(root, "tsconfig.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);
const service = ts.createLanguageService({
  getScriptFileNames: () => config.fileNames,
  getScriptVersion: () => "1",
  getScriptSnapshot: (name) =>
    ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8")) : undefined,
  getCurrentDirectory: () => root,
  getCompilationSettings: () => config.options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
});

/** `name` with each old word in camel case replaced. */
function renamed(name, choice) {
  return name.replace(/[A-Z]?[a-z]+/g, (word) => {
    const to = NAMES[word.toLowerCase()]?.[choice];
    if (to === undefined) return word;
    return word[0] === word[0].toLowerCase() ? to : to[0].toUpperCase() + to.slice(1);
  });
}

function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function isTitle(node) {
  const call = node.parent;
  return (
    call !== undefined &&
    ts.isCallExpression(call) &&
    call.arguments[0] === node &&
    /^(it|describe|test)\b/.test(call.expression.getText())
  );
}

function nameEdits(file, source, skipped) {
  const edits = [];
  const done = new Set();
  const taken = new Set();
  walk(source, (node) => ts.isIdentifier(node) && taken.add(node.text));
  walk(source, (node) => {
    const declared = ts.isIdentifier(node) && node.parent.name === node && renamed(node.text, 0) !== node.text;
    if (!declared || ts.isPropertyAccessExpression(node.parent) || done.has(node.getStart())) return;
    const choice = taken.has(renamed(node.text, 0)) ? 1 : 0;
    const to = renamed(node.text, choice);
    const places = service.findRenameLocations(file, node.getStart(), false, false, {
      providePrefixAndSuffixTextForRename: true,
    });
    const foreign = !places || places.some(({ fileName }) => fileName !== file);
    const data = ts.isPropertySignature(node.parent) && DATA.test(node.parent.parent.parent.getText());
    if (foreign || data || (choice === 1 && taken.has(to))) {
      skipped.push([file, node]);
      return;
    }
    for (const { textSpan, prefixText = "", suffixText = "" } of places) {
      if (done.has(textSpan.start)) continue;
      done.add(textSpan.start);
      edits.push([textSpan.start, textSpan.start + textSpan.length, prefixText + to + suffixText]);
    }
  });
  return edits;
}

function textSpans(source) {
  const spans = [];
  const seen = new Set();
  const comments = (ranges) => {
    for (const { pos, end } of ranges ?? []) {
      if (!seen.has(pos)) spans.push([pos, end]);
      seen.add(pos);
    }
  };
  walk(source, (node) => {
    comments(ts.getLeadingCommentRanges(source.text, node.getFullStart()));
    comments(ts.getTrailingCommentRanges(source.text, node.getEnd()));
    if (isTitle(node) && (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)))
      spans.push([node.getStart(), node.getEnd()]);
  });
  return spans.sort(([a], [b]) => a - b);
}

const skipped = [];
for (const file of tests) {
  const source = service.getProgram().getSourceFile(file);
  if (
    source === undefined ||
    !/folder|told|tells|blanks|line ends|unharmed|far side|goes on|gives up/i.test(source.text)
  )
    continue;
  const edits = nameEdits(file, source, skipped);
  for (const [start, end] of textSpans(source)) {
    const text = source.text.slice(start, end);
    const to = TEXTS.reduce((so, [from, word]) => so.replace(from, word), text);
    if (to !== text) {
      const inner = edits.some(([at]) => at >= start && at < end);
      if (!inner) edits.push([start, end, to]);
      else console.log("NAME IN TITLE", file.slice(root.length + 1), text);
    }
    if (OLD.test(to)) console.log(`TEXT ${file.slice(root.length + 1)} :: ${to}`);
  }
  if (process.argv.includes("--list") || edits.length === 0) continue;
  let text = source.text;
  for (const [start, end, to] of edits.sort((a, b) => b[0] - a[0])) text = text.slice(0, start) + to + text.slice(end);
  writeFileSync(file, text);
}
for (const [file, node] of skipped) {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  console.log(`SKIPPED ${file.slice(root.length + 1)}:${line + 1} ${node.text}`);
}
