import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Writes a source file and all it imports from this repository as JavaScript below `folder`, so that a test can start it as
 * a process of its own without a build, and returns the path to start. Types are not checked here.
 */
export function transpileForProcess(entry: URL, folder: string): string {
  const pending = [fileURLToPath(entry)];
  const seen = new Set(pending);
  for (let source = pending.pop(); source !== undefined; source = pending.pop()) {
    const { outputText } = ts.transpileModule(readFileSync(source, "utf8"), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    });
    const output = outputOf(source, folder);
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, outputText);
    for (const { fileName } of ts.preProcessFile(outputText).importedFiles) {
      if (!fileName.startsWith(".")) continue;
      const imported = join(dirname(source), fileName.replace(/\.js$/, ".ts"));
      if (!seen.has(imported)) pending.push(imported);
      seen.add(imported);
    }
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return outputOf(fileURLToPath(entry), folder);
}

function outputOf(source: string, folder: string): string {
  return join(folder, relative(ROOT, source).replace(/\.ts$/, ".js"));
}
