/** `haft cost`: what the tools take up in a model's context. */
import { resolve } from "node:path";
import pc from "picocolors";
import type { DefinedTool, ToolRegistry } from "../../../kernel/index.js";
import { showControls } from "../../../text/index.js";
import { builtinRegistry, DIALECT_NAMES, dialectNamed, type ToolSettings } from "../../../toolkit/index.js";
import { type ConfigOptions, loadConfig, reportIgnored } from "../configuration.js";
import { estimateTokens } from "../estimate-tokens.js";
import { printJson } from "../json-output.js";
import { serversOf } from "../servers-of.js";
import { DEFAULT_DIALECT, EXIT } from "../usage.js";

export interface CostOptions extends ConfigOptions {
  readonly all?: boolean;
  readonly json?: boolean;
}

interface Cost {
  readonly dialect: string;
  /** What the figures are tokens of. */
  readonly encoding: "o200k_base";
  readonly isEstimate: true;
  readonly tools: Readonly<Record<string, number>>;
  readonly collections: Readonly<Record<string, number>>;
}

/** Prints the estimates and returns the exit status. */
export async function costCommand(options: CostOptions): Promise<number> {
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { dialect: configured, tools } = loaded.settled;
  const servers = await serversOf(loaded.settled, resolve(options.workspace ?? "."));
  const foreign = await servers.tools();
  await servers.close();
  const names = options.all ? DIALECT_NAMES : [options.dialect ?? configured ?? DEFAULT_DIALECT];
  const costs: Cost[] = [];
  for (const name of names) costs.push(await costOf(name, tools, foreign));
  if (options.json) printJson(options.all ? costs : costs[0]);
  else process.stdout.write(options.all ? summary(costs) : details(costs[0]!));
  return EXIT.ok;
}

async function costOf(name: string, tools: ToolSettings, foreign: readonly DefinedTool[]): Promise<Cost> {
  const registry: ToolRegistry = builtinRegistry(await dialectNamed(name), { tools }).registerAll(foreign);
  const counts = new Map(
    registry.names().map((tool) => [tool, estimateTokens(JSON.stringify(registry.get(tool).descriptor()))]),
  );
  const sumOf = (group: string): number =>
    registry.membersOf(group).reduce((sum, tool) => sum + (counts.get(tool.name) ?? 0), 0);
  return {
    dialect: name,
    encoding: "o200k_base",
    isEstimate: true,
    tools: Object.fromEntries(counts),
    collections: Object.fromEntries(registry.collectionNames().map((group) => [group, sumOf(group)])),
  };
}

const NOTE = "Estimates of o200k tokens, for comparison; a model counts by its own vocabulary.";

function details({ dialect, tools, collections }: Cost): string {
  if (Object.keys(tools).length === 0)
    return "No tool is switched on, so they cost nothing. `haft doctor` says which files decide.\n";
  const dearestFirst = Object.entries(tools).sort((one, other) => other[1] - one[1]);
  return `${table(`tool of ${dialect}`, dearestFirst)}\n\n${table("collection", Object.entries(collections))}\n\n${pc.dim(NOTE)}\n`;
}

function table(title: string, rows: readonly (readonly [name: string, tokens: number])[]): string {
  const width = Math.max(title.length, ...rows.map(([name]) => name.length));
  const lines = rows.map(([name, tokens]) => `${showControls(name).padEnd(width)}  ${String(tokens).padStart(6)}`);
  return [pc.bold(`${title.padEnd(width)}  tokens`), ...lines].join("\n");
}

function summary(costs: readonly Cost[]): string {
  const named = new Set(costs.flatMap(({ collections }) => Object.keys(collections)));
  const groups = [...[...named].filter((group) => group !== "all"), "all"];
  const width = Math.max(...costs.map(({ dialect }) => dialect.length));
  const row = (name: string, cells: readonly string[]): string =>
    [name.padEnd(width), ...cells.map((cell, index) => cell.padStart(Math.max(6, groups[index]?.length ?? 0)))].join(
      "  ",
    );
  const lines = costs.map(({ dialect, collections }) =>
    row(
      dialect,
      groups.map((group) => String(collections[group] ?? "–")),
    ),
  );
  return `${pc.bold(row("dialect", groups))}\n${lines.join("\n")}\n\n${pc.dim(NOTE)}\n`;
}
