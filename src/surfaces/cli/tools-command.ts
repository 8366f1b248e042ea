/** `haft tools`: what a model is shown, for a program or for a person. */
import pc from "picocolors";
import { builtinRegistry, dialectNamed } from "../../toolkit/index.js";
import { dialectArgument } from "./common-options.js";
import { type ConfigOptions, loadConfig, tellIgnored } from "./configuration.js";
import { toolsOf } from "./tools-of.js";
import { DEFAULT_DIALECT } from "./usage.js";

export interface ToolsOptions extends ConfigOptions {
  readonly dialect?: string;
  readonly collection: string;
  readonly json?: boolean;
}

/** Prints the descriptors; nothing is opened and nothing is kept. */
export async function toolsCommand(options: ToolsOptions): Promise<void> {
  const loaded = await loadConfig(options);
  tellIgnored(loaded);
  const { settled } = loaded;
  const dialect = await dialectNamed(options.dialect ?? settled.dialect ?? DEFAULT_DIALECT);
  const tools = toolsOf(builtinRegistry(dialect, { tools: settled.tools }), options.collection);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(tools.map((tool) => tool.descriptor()))}\n`);
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
  const rows = tools.map(
    (tool) => `${pc.bold(tool.name.padEnd(width))}  ${clipped(firstSentence(tool.description), room)}`,
  );
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
