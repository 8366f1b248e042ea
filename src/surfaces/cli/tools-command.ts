/** `haft tools`: what a model is shown, for a program or for a person. */
import { resolve } from "node:path";
import pc from "picocolors";
import type { DefinedTool } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import { builtinRegistry, dialectNamed } from "../../toolkit/index.js";
import { dialectArgument } from "./common-options.js";
import { type ConfigOptions, loadConfig, tellIgnored } from "./configuration.js";
import { printJson } from "./json-output.js";
import { serversOf } from "./servers-of.js";
import { toolsOf } from "./tools-of.js";
import { DEFAULT_DIALECT } from "./usage.js";

export interface ToolsOptions extends ConfigOptions {
  readonly collection: string;
  readonly json?: boolean;
}

/** Prints the descriptors; nothing is kept, and other servers are asked and ended again. */
export async function toolsCommand(options: ToolsOptions): Promise<void> {
  const loaded = await loadConfig(options);
  tellIgnored(loaded);
  const { settled } = loaded;
  const dialect = await dialectNamed(options.dialect ?? settled.dialect ?? DEFAULT_DIALECT);
  const own = toolsOf(builtinRegistry(dialect, { tools: settled.tools }), options.collection);
  const servers = await serversOf(settled, resolve(options.workspace ?? "."), {
    isWanted: () => options.collection === "all",
  });
  const foreign = await servers.tools();
  await servers.close();
  const tools = [...own, ...foreign];
  if (options.json) {
    printJson(tools.map((tool) => tool.descriptor()));
    return;
  }
  if (tools.length === 0) {
    process.stdout.write(
      `No tool of "${options.collection}" is switched on. \`haft doctor\` says which files decide.\n`,
    );
    return;
  }
  const width = Math.max(...tools.map((tool) => tool.name.length));
  const room = Math.max(40, (process.stdout.columns ?? 100) - width - 2);
  const row = (tool: DefinedTool): string =>
    `${pc.bold(showControls(tool.name).padEnd(width))}  ${showControls(clipped(firstSentence(tool.description), room))}`;
  const fromServers = servers
    .states()
    .filter((server) => server.tools.length > 0)
    .flatMap((server) => ["", `From the server "${server.name}":`, ...server.tools.map(row)]);
  const rows = [...own.map(row), ...fromServers];
  const call = `haft call ${tools[0]?.name ?? "read"} '{…}'${dialectArgument(dialect.name)}`;
  const example = pc.dim(`${call} runs one; --json prints its parameters and those of the others.`);
  process.stdout.write(`${rows.join("\n")}\n\n${example}\n`);
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/\s+/g, " ").replace(/:$/, ".") ?? text;
}

function clipped(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}
