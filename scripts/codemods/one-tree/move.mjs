#!/usr/bin/env node
/**
 * The move to one source tree: renames symbols, moves files, and rewrites what names them. Behaviour does not change.
 *
 *   node scripts/codemods/one-tree/move.mjs        # acts on the checkout it lies in
 *
 * It reads four tables beside it and leaves out what a checkout does not have, so it can be run on a branch that has
 * already changed some of the files:
 * - symbols.json: [{ file, name, to }], `name` is a top-level name or `Type.member` declared in `file` (path before the move), or a local as `scope(local)`
 * - files.json:   { "old/path.ts": "new/path.ts" }; a directory ends with a slash
 * - strings.json: [{ file, from, to }], string literals that name what was renamed
 * - exports.json: [{ from or inside, to, names }], named imports that come from another module now (paths after the move)
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const here = dirname(fileURLToPath(import.meta.url));
const root = process.argv[2] ?? join(here, "..", "..", "..");
const table = (name) => JSON.parse(readFileSync(join(here, name), "utf8"));
const TOPS = ["src", "test", "bench", "examples", "scripts"];
const IGNORED = /(^|\/)(node_modules|dist|codemods)(\/|$)/;

const read = (path) => readFileSync(join(root, path), "utf8");
const exists = (path) => existsSync(join(root, path));
const list = (tops, endings) =>
  tops
    .flatMap((top) =>
      exists(top)
        ? readdirSync(join(root, top), { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)))
        : [],
    )
    .filter((path) => endings.test(path) && !IGNORED.test(path));

renameSymbols(table("symbols.json"));
const moved = moveFiles(table("files.json"));
moveExports(table("exports.json"));
console.log(`${moved} files moved`);

/** One pass of the language service over all symbols; locations are collected first and written once. */
function renameSymbols(symbols) {
  const names = list(["src", "test", "bench", "examples"], /\.ts$/);
  const versions = new Map(names.map((path) => [join(root, path), read(path)]));
  const host = {
    getCompilationSettings: () => ({
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      types: ["node"],
      skipLibCheck: true,
    }),
    getScriptFileNames: () => [...versions.keys()],
    getScriptVersion: () => "0",
    getScriptSnapshot: (path) => {
      const text = versions.get(path) ?? (ts.sys.fileExists(path) ? ts.sys.readFile(path) : undefined);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  };
  const service = ts.createLanguageService(host);
  const edits = new Map(); // path → Map(start → { length, text })
  let missed = 0;
  for (const { file, name, to } of symbols) {
    const path = join(root, file);
    const source = versions.has(path) ? service.getProgram().getSourceFile(path) : undefined;
    const places = source === undefined ? [] : declarationsOf(source, name);
    if (places.length === 0) {
      missed++;
      if (process.env.VERBOSE) console.log(`not here: ${file} ${name}`);
      continue;
    }
    const last = to.split(".").at(-1);
    for (const { at, isShorthand } of places) {
      if (isShorthand) {
        const old = name.split(".").at(-1);
        placeAt(path, at, old).property = last;
        continue;
      }
      if (hasSibling(source, at, last)) {
        console.log(`taken: ${file} ${name} → ${last} beside it`);
        continue;
      }
      const isTopName = !/[.(]/.test(name);
      const found =
        service.findRenameLocations(path, at, false, false, { providePrefixAndSuffixTextForRename: !isTopName }) ?? [];
      const taken = found
        .filter(({ fileName }) => !fileName.includes("node_modules"))
        .find(({ fileName, textSpan }) =>
          isTaken(service.getProgram().getSourceFile(fileName), textSpan.start, last, name),
        );
      if (taken !== undefined) {
        console.log(`taken: ${file} ${name} → ${last} in ${posix.relative(root, taken.fileName)}`);
        continue;
      }
      for (const { fileName, textSpan, prefixText = "", suffixText = "" } of found) {
        if (fileName.includes("node_modules")) continue;
        const old = versions.get(fileName).slice(textSpan.start, textSpan.start + textSpan.length);
        const place = placeAt(fileName, textSpan.start, old);
        // A shorthand `{ old }` is a property and a value at once; each may get its own new name.
        const isShorthandValue =
          isTopName && isShorthandAt(service.getProgram().getSourceFile(fileName), textSpan.start);
        if (suffixText !== "") place.property = last;
        else if (prefixText !== "" || isShorthandValue) place.value = last;
        else place.plain = last;
      }
    }
  }
  for (const { file, from, to } of table("strings.json")) {
    const path = join(root, file);
    if (!versions.has(path)) continue;
    for (const at of stringsIn(service.getProgram().getSourceFile(path), from))
      placeAt(path, at, `"${from}"`).plain = `"${to}"`;
  }
  for (const [path, of] of edits) {
    let text = versions.get(path);
    for (const [start, { old, plain, property = old, value = old }] of [...of].sort((a, b) => b[0] - a[0]))
      text =
        text.slice(0, start) +
        (plain ?? (property === value ? value : `${property}: ${value}`)) +
        text.slice(start + old.length);
    writeFileSync(path, text);
  }
  console.log(`${symbols.length - missed} symbols renamed, ${missed} not in this checkout, in ${edits.size} files`);

  function placeAt(path, start, old) {
    const of = edits.get(path) ?? edits.set(path, new Map()).get(path);
    return of.get(start) ?? of.set(start, { old }).get(start);
  }
}

function nodeAt(source, start) {
  let node = source;
  for (let inner = node; inner; ) {
    node = inner;
    inner = ts.forEachChild(node, (child) =>
      child.getStart(source) <= start && start < child.getEnd() ? child : undefined,
    );
  }
  return node;
}

function isShorthandAt(source, start) {
  const { parent } = nodeAt(source, start);
  return parent !== undefined && ts.isShorthandPropertyAssignment(parent);
}

function stringsIn(source, text) {
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteral(node) && node.text === text) found.push(node.getStart(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * Where a name is declared: `top`, `Owner.member`, `Owner.#private`, and `scope(local)` or `Owner.method(local)` for a
 * parameter or variable inside; of the last, every declaration of that name in the scope.
 */
function declarationsOf(source, name) {
  const [, path, local] = /^([^(]*)(?:\(([^)]*)\))?$/.exec(name) ?? [];
  if (path === undefined) return [];
  const [owner, member] = path.split(".");
  const nameOf = (node) => {
    if (ts.isConstructorDeclaration(node)) return "constructor";
    const own = node.name;
    return own !== undefined && (ts.isIdentifier(own) || ts.isPrivateIdentifier(own) || ts.isStringLiteral(own))
      ? own.text
      : undefined;
  };
  const isTop = (node) => {
    for (let up = node.parent; up; up = up.parent) {
      if (ts.isSourceFile(up)) return true;
      if (
        !ts.isVariableStatement(up) &&
        !ts.isVariableDeclarationList(up) &&
        !ts.isImportClause(up) &&
        !ts.isNamedImports(up)
      )
        return false;
    }
    return false;
  };
  const all = (node, test, direct = false) => {
    const found = [];
    const visit = (one) => {
      if (one !== node && test(one)) found.push(one);
      if (!direct || one === node) ts.forEachChild(one, visit);
    };
    visit(node);
    return found;
  };
  const isDeclaration = (node) =>
    !ts.isImportSpecifier(node) &&
    !ts.isExportSpecifier(node) &&
    !ts.isPropertyAccessExpression(node) &&
    !ts.isShorthandPropertyAssignment(node);
  let scopes =
    owner === "<module>"
      ? [source]
      : all(source, (node) => nameOf(node) === owner && isDeclaration(node) && isTop(node));
  if (member !== undefined)
    scopes = scopes.flatMap((scope) => {
      const isMember = (node) => nameOf(node) === member && isDeclaration(node) && !ts.isBindingElement(node);
      if (
        ts.isInterfaceDeclaration(scope) ||
        ts.isClassDeclaration(scope) ||
        ts.isTypeAliasDeclaration(scope) ||
        ts.isEnumDeclaration(scope)
      ) {
        const near = all(scope, isMember, true);
        return near.length > 0 ? near : all(scope, isMember).slice(0, 1);
      }
      const found = all(
        scope,
        (node) =>
          nameOf(node) === member &&
          (ts.isPropertyAssignment(node) ||
            ts.isShorthandPropertyAssignment(node) ||
            ts.isPropertySignature(node) ||
            ts.isPropertyDeclaration(node) ||
            ((ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isGetAccessor(node)) &&
              local === undefined)),
      );
      return found.length > 0 ? found : all(scope, isMember);
    });
  if (local !== undefined)
    scopes = scopes.flatMap((scope) =>
      all(
        scope,
        (node) =>
          (ts.isParameter(node) ||
            ts.isBindingElement(node) ||
            ts.isVariableDeclaration(node) ||
            ts.isFunctionDeclaration(node)) &&
          nameOf(node) === local,
      ),
    );
  return scopes.map((scope) => ({
    at: (scope.name ?? scope).getStart(source),
    isShorthand: ts.isShorthandPropertyAssignment(scope),
  }));
}

/** Whether the type or class that declares a member at `start` has one of the new name already. */
function hasSibling(source, start, next) {
  let node = source;
  for (let inner = node; inner; ) {
    node = inner;
    inner = ts.forEachChild(node, (child) =>
      child.getStart(source) <= start && start < child.getEnd() ? child : undefined,
    );
  }
  const owner = node.parent?.parent;
  const members = owner?.members ?? owner?.properties;
  return members !== undefined && members.some((one) => one.name?.text === next);
}

/** Whether another thing of the new name is declared or used free where the place at `start` can be seen; then the rename is left out. */
function isTaken(source, start, next, name) {
  if (/^#/.test(next)) return source.text.includes(`${next} `) && new RegExp(`${next}\\b`).test(source.text);
  let node = source;
  for (let inner = node; inner; ) {
    node = inner;
    inner = ts.forEachChild(node, (child) =>
      child.getFullStart() <= start && start < child.getEnd() ? child : undefined,
    );
  }
  if (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) return false;
  if (
    (ts.isPropertyAssignment(node.parent) ||
      ts.isPropertySignature(node.parent) ||
      ts.isPropertyDeclaration(node.parent) ||
      ts.isMethodDeclaration(node.parent) ||
      ts.isMethodSignature(node.parent)) &&
    node.parent.name === node
  )
    return false;
  if (/\.[^(]+$/.test(name)) return false; // a member; its destructured local keeps its own name
  let scope = node;
  while (scope.parent && !ts.isFunctionLike(scope) && !ts.isSourceFile(scope)) scope = scope.parent;
  if (!/\(/.test(name)) scope = source;
  let taken = false;
  const visit = (one) => {
    if (taken) return;
    if (ts.isIdentifier(one) && one.text === next) {
      const up = one.parent;
      const isProperty =
        (ts.isPropertyAccessExpression(up) && up.name === one) ||
        ((ts.isPropertyAssignment(up) ||
          ts.isPropertySignature(up) ||
          ts.isPropertyDeclaration(up) ||
          ts.isMethodDeclaration(up) ||
          ts.isMethodSignature(up) ||
          ts.isJsxAttribute(up)) &&
          up.name === one) ||
        (ts.isBindingElement(up) && up.propertyName === one) ||
        ts.isQualifiedName(up) ||
        ts.isNamedTupleMember(up);
      if (!isProperty) taken = true;
    }
    ts.forEachChild(one, visit);
  };
  visit(scope);
  return taken;
}

function moveFiles(files) {
  const pairs = new Map();
  for (const [from, to] of Object.entries(files)) {
    if (from.endsWith("/")) {
      for (const path of list([from.slice(0, -1)], /./))
        if (!pairs.has(path) && files[path] === undefined) pairs.set(path, to + path.slice(from.length));
    } else if (exists(from)) pairs.set(from, to);
  }
  // Tests and fixtures lie beside what they are about.
  for (const [from, to] of [...pairs])
    for (const ending of [".test.ts", ".property.test.ts"]) {
      const test = from.replace(/\.ts$/, ending);
      if (from.endsWith(".ts") && !from.endsWith(".test.ts") && exists(test) && !pairs.has(test))
        pairs.set(test, to.replace(/\.ts$/, ending));
    }
  const target = (path) => pairs.get(path) ?? path;
  const texts = new Map();
  for (const path of list(TOPS, /\.(ts|mjs)$/)) texts.set(path, rewriteSpecifiers(path));
  // Whole paths in prose, tables and configuration.
  const rewritten = new RegExp(
    [...pairs.keys()]
      .sort((a, b) => b.length - a.length)
      .map((path) => path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("|") || "(?!)",
    "g",
  );
  const PROSE = /\.(ts|mjs|md|json|yml|jsonl)$/;
  for (const path of [
    ...list(TOPS, PROSE),
    ...list(["docs"], PROSE),
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "biome.json",
    "package.json",
    ".ci/run",
  ]) {
    if (!exists(path) || path === "CHANGELOG.md") continue;
    const before = texts.get(path) ?? read(path);
    const after = before.replace(rewritten, (old) => pairs.get(old) ?? old);
    if (after !== read(path)) texts.set(path, after);
  }
  for (const [path, text] of texts) if (text !== read(path)) writeFileSync(join(root, path), text);
  for (const [from, to] of pairs) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    if (exists(to) && to !== from) console.log(`in the way: ${to}`);
    else renameSync(join(root, from), join(root, to));
  }
  for (const from of pairs.keys()) {
    for (let up = dirname(from); up !== "."; up = dirname(up)) {
      try {
        rmdirSync(join(root, up));
      } catch {
        break;
      }
    }
  }
  return pairs.size;

  /** Relative string literals that name a file of the checkout. */
  function rewriteSpecifiers(path) {
    const text = read(path);
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const edits = [];
    const visit = (node) => {
      if (ts.isStringLiteralLike(node) && /^\.\.?\//.test(node.text)) {
        const old = resolveRelative(path, node.text);
        if (old !== undefined) {
          const to = posix.relative(posix.dirname(target(path)), target(old.path));
          const spelled = (to.startsWith(".") ? to : `./${to}`).replace(/\.ts$/, old.isJs ? ".js" : ".ts");
          if (spelled !== node.text) edits.push([node.getStart(source) + 1, node.getEnd() - 1, spelled]);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return edits
      .sort((a, b) => b[0] - a[0])
      .reduce((now, [start, end, to]) => now.slice(0, start) + to + now.slice(end), text);
  }

  function resolveRelative(from, specifier) {
    const path = posix.join(posix.dirname(from), specifier);
    if (path.startsWith("..")) return undefined;
    if (/\.js$/.test(path) && exists(path.replace(/\.js$/, ".ts")))
      return { path: path.replace(/\.js$/, ".ts"), isJs: true };
    if (exists(path) && /\.[a-z]+$/.test(path)) return { path, isJs: false };
    return undefined;
  }
}

/** Named imports (and re-exports) of one module that come from another now. */
function moveExports(rules) {
  if (rules.length === 0) return;
  for (const path of list(["src", "test", "bench", "examples"], /\.ts$/)) {
    let text = read(path);
    for (const { from, inside, only = "", to, names } of rules) {
      if (path === to || path === from || !path.startsWith(only)) continue;
      // A module's inner files are reached through its index; tests and fixtures may look inside, and so may the main entry.
      if (
        inside !== undefined &&
        (path.startsWith(inside) || /\.(test|fixture)\.ts$/.test(path) || path === "src/index.ts")
      )
        continue;
      const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      const edits = [];
      for (const node of source.statements) {
        if (!(ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) || node.moduleSpecifier === undefined)
          continue;
        const specifier = node.moduleSpecifier.text;
        const imported = posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts");
        if (inside === undefined ? imported !== from : !imported.startsWith(inside) || imported === to) continue;
        const named = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
        if (named === undefined || named.elements === undefined) continue;
        const going = named.elements.filter(
          (one) => names === "*" || names.includes((one.propertyName ?? one.name).text),
        );
        if (going.length === 0) continue;
        const staying = named.elements.filter((one) => !going.includes(one));
        const wholeType = ts.isImportDeclaration(node) ? node.importClause.isTypeOnly : node.isTypeOnly;
        const word = ts.isImportDeclaration(node) ? "import" : "export";
        const line = (elements, where) =>
          `${word} ${wholeType ? "type " : ""}{ ${elements.map((one) => one.getText(source)).join(", ")} } from "${where}";`;
        let relative = posix.relative(posix.dirname(path), to).replace(/\.ts$/, ".js");
        if (!relative.startsWith(".")) relative = `./${relative}`;
        const lines = [...(staying.length > 0 ? [line(staying, specifier)] : []), line(going, relative)];
        edits.push([node.getStart(source), node.getEnd(), lines.join("\n")]);
      }
      for (const [start, end, now] of edits.reverse()) text = text.slice(0, start) + now + text.slice(end);
    }
    if (text !== read(path)) writeFileSync(join(root, path), text);
  }
}
