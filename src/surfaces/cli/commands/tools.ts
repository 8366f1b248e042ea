/** `haft tools`: what a model is shown, for a program or for a person. */
import { resolve } from "node:path";
import pc from "picocolors";
import type { DefinedTool, Dialect } from "../../../kernel/index.js";
import { nearestNames, showControls } from "../../../text/index.js";
import { builtinRegistry, dialectNamed } from "../../../toolkit/index.js";
import { dialectArgument, switchedOffBy, switchedOffNote } from "../common-options.js";
import { type ConfigOptions, loadConfig, reportIgnored } from "../configuration.js";
import { printJson } from "../json-output.js";
import { exampleCall, type ParameterRow, parameterRows } from "../parameter-text.js";
import { shownLines } from "../print-notice.js";
import { serversOf } from "../servers-of.js";
import { toolsOf } from "../tools-of.js";
import { DEFAULT_DIALECT, UsageError } from "../usage.js";

export interface ToolsOptions extends ConfigOptions {
  readonly collection: string;
  readonly json?: boolean;
}

/** Prints the tools, or one; nothing is kept, and other servers are asked and ended again. @throws UsageError */
export async function toolsCommand(name: string | undefined, options: ToolsOptions): Promise<void> {
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { settled } = loaded;
  const dialect = await dialectNamed(options.dialect ?? settled.dialect ?? DEFAULT_DIALECT);
  const own = toolsOf(builtinRegistry(dialect, { tools: settled.tools }), options.collection);
  const servers = await serversOf(settled, resolve(options.workspace ?? "."), {
    isNeeded: (server) => options.collection === "all" && (name === undefined || name.startsWith(`${server}__`)),
  });
  const foreign = await servers.tools();
  await servers.close();
  const tools = [...own, ...foreign];
  if (name !== undefined) {
    const tool = tools.find((one) => one.name === name) ?? refuseName(name, tools, dialect, switchedOffBy(loaded));
    if (options.json) printJson(tool.descriptor(), 2);
    else process.stdout.write(toolText(tool, dialectArgument(dialect.name)));
    return;
  }
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
  const more = dialectArgument(dialect.name);
  const example = pc.dim(
    `\`haft tools ${tools[0]?.name ?? "read"}${more}\` shows the parameters of one, with an example.`,
  );
  process.stdout.write(`${rows.join("\n")}\n\n${example}\n`);
}

function refuseName(
  name: string,
  tools: readonly DefinedTool[],
  dialect: Dialect,
  switchedOff: Readonly<Record<string, string>>,
): never {
  const near = nearestNames(
    name,
    tools.map((tool) => tool.name),
  ).map((one) => `"${one}"`);
  const hint = near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
  throw new UsageError(
    `There is no tool ${JSON.stringify(name)}. ${switchedOffNote(name, dialect, switchedOff)}${hint}\`haft tools${dialectArgument(dialect.name)}\` lists the tools.`,
  );
}

function toolText(tool: DefinedTool, options: string): string {
  const { name, description, parameters } = tool.descriptor();
  const rows = parameterRows(parameters);
  const widthOf = (of: (row: ParameterRow) => string) => Math.max(0, ...rows.map((row) => of(row).length));
  const [names, kinds] = [widthOf((row) => row.name), widthOf((row) => row.kind)];
  const lines = rows.map((row) =>
    showControls(`  ${row.name.padEnd(names)}  ${row.kind.padEnd(kinds)}  ${row.notes.join("; ")}`.trimEnd()),
  );
  const listed = lines.length === 0 ? "It takes no parameters." : `Parameters:\n${lines.join("\n")}`;
  return `${pc.bold(showControls(name))}\n${shownLines(description)}\n\n${listed}\n\nExample:\n  $ ${showControls(exampleCall(name, parameters, options))}\n`;
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/\s+/g, " ").replace(/:$/, ".") ?? text;
}

function clipped(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}
