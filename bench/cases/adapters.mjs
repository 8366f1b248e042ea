/** What it costs to import an adapter beside the library. */
import { spawnSync } from "node:child_process";
import { atMostMore } from "../goals.mjs";

const dist = new URL("../../dist/", import.meta.url);
const ADAPTERS = ["ai-sdk", "openai", "anthropic", "google", "langchain", "mastra"].map((name) => `adapters/${name}`);

/** A process that imports the library and these modules. */
const importing = (modules) => async () => {
  const code = ["index", ...modules].map((name) => `await import(${JSON.stringify(new URL(`${name}.js`, dist))});`);
  return async () => {
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code.join("")]);
    if (status !== 0) throw new Error(String(stderr));
    return { calls: 1 };
  };
};

export const cases = [...ADAPTERS, "surfaces/mcp/box-server"].map((name) => ({
  id: `import-${name.split("/").at(-1).replace("box-server", "mcp")}`,
  table: "library",
  what: `a process that imports haft and ${name === "surfaces/mcp/box-server" ? "haft/mcp" : name.replace("adapters", "haft")}; raw: haft alone`,
  unit: "process",
  goals: [atMostMore(5)],
  sides: { raw: importing([]), ours: importing([name]) },
}));
