import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Transpiles a source file and its imports from this repository into `directory`, so that a test can start it as
 * a process without a build. Returns the path to start. Does not check types.
 */
export function transpileForProcess(entry: URL, directory: string): string {
  const pending = [fileURLToPath(entry)];
  const seen = new Set(pending);
  for (let source = pending.pop(); source !== undefined; source = pending.pop()) {
    const { outputText } = ts.transpileModule(readFileSync(source, "utf8"), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    });
    const output = outputOf(source, directory);
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, outputText);
    for (const { fileName } of ts.preProcessFile(outputText).importedFiles) {
      if (!fileName.startsWith(".")) continue;
      const imported = join(dirname(source), fileName.replace(/\.js$/, ".ts"));
      if (!seen.has(imported)) pending.push(imported);
      seen.add(imported);
    }
  }
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return outputOf(fileURLToPath(entry), directory);
}

function outputOf(source: string, directory: string): string {
  return join(directory, relative(ROOT, source).replace(/\.ts$/, ".js"));
}
