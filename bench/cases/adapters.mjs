/** What it costs to import an adapter in a process that has imported the library. */
import { spawnSync } from "node:child_process";
import { atMost } from "../goals.mjs";

const dist = new URL("../../dist/", import.meta.url);
const ADAPTERS = ["ai-sdk", "openai", "anthropic", "google", "langchain", "mastra"].map((name) => `adapters/${name}`);

/** The import is measured by the new process itself: its start, and that of the library, vary by more than what is looked for. */
const importing = (module) => async () => {
  const [library, entry] = ["index", module].map((name) => JSON.stringify(new URL(`${name}.js`, dist)));
  const code = `await import(${library}); const began = performance.now(); await import(${entry}); console.log(performance.now() - began);`;
  return async () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code]);
    if (status !== 0) throw new Error(String(stderr));
    return { calls: 1, wallMs: Number(stdout) };
  };
};

export const cases = [...ADAPTERS, "surfaces/mcp/box-server"].map((module) => {
  const name = module === "surfaces/mcp/box-server" ? "mcp" : module.replace("adapters/", "");
  return {
    id: `import-${name}`,
    table: "library",
    what: `import haft/${name} after haft`,
    unit: "import",
    goals: [atMost(5)],
    sides: { ours: importing(module) },
  };
});
