import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Bundles a source file with its imports from this repository into `directory`, so that a test can start it as a process
 * without a build. Returns the path to start. Does not check types.
 */
export async function bundleForProcess(entry: URL, directory: string): Promise<string> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: { started: fileURLToPath(entry) },
    platform: "node",
    tsconfig: join(ROOT, "tsconfig.json"),
    external: (id) => !/^[./]/.test(id),
  });
  await bundle.write({ dir: directory, format: "esm", entryFileNames: "[name].js" });
  await bundle.close();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return join(directory, "started.js");
}
