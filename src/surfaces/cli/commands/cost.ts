/** `haft cost`: how many tokens of a model's context the tools use. */
import { resolve } from "node:path";
import type { Command } from "commander";
import pc from "picocolors";
import type { DefinedTool, ToolRegistry } from "../../../kernel/index.js";
import { showControls } from "../../../text/index.js";
import type { BuiltinRegistryOptions } from "../../../toolkit/index.js";
import {
  withConfigOptions,
  withDialectOption,
  withExamples,
  withJsonOption,
  withTargetOption,
} from "../command-parts.js";
import type { ConfigOptions } from "../configuration.js";
import { printJson } from "../output.js";
import { DEFAULT_DIALECT, EXIT } from "../usage.js";

interface CostOptions extends ConfigOptions {
  readonly all?: boolean;
  readonly on: readonly string[];
  readonly json?: boolean;
}

interface Cost {
  readonly dialect: string;
  /** The vocabulary that is estimated. */
  readonly encoding: "o200k_base";
  readonly isEstimate: true;
  readonly tools: Readonly<Record<string, number>>;
  readonly collections: Readonly<Record<string, number>>;
}

export function addCostCommand(program: Command): void {
  withExamples(
    withJsonOption(
      withTargetOption(
        withDialectOption(
          withConfigOptions(
            program
              .command("cost")
              .description("estimate how many tokens of a model's context the tools use")
              .option("--all", "every dialect, one line each"),
          ),
        ),
      ),
    ),
    "haft cost",
    "haft cost --dialect zeroclaw",
    "haft cost --all --json",
    "haft cost --on local --on posix:dash",
  ).action(async (options: CostOptions) => {
    process.exitCode = await printCosts(options);
  });
}

async function printCosts(options: CostOptions): Promise<number> {
  const { loadConfig, reportIgnored, storeOf } = await import("../configuration.js");
  const { serversOf } = await import("../servers-of.js");
  const { targetsOf } = await import("../common-options.js");
  const { DIALECT_NAMES, hasDatabase, hasTerminal, nameOf } = await import("../../../toolkit/index.js");
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { dialect: configured, tools } = loaded.settled;
  const chosen = targetsOf(options.on, loaded);
  const targets = chosen.map(nameOf);
  const terminal = chosen.some((one) => hasTerminal(one));
  const hasState = await hasDatabase({ store: storeOf(undefined, loaded.settled) });
  const servers = await serversOf(loaded.settled, resolve(options.workspace ?? "."));
  const foreign = await servers.tools();
  await servers.close();
  const names = options.all ? DIALECT_NAMES : [options.dialect ?? configured ?? DEFAULT_DIALECT];
  const costs: Cost[] = [];
  const found = { tools, severalTargets: targets.length > 1, terminal, memories: hasState, schedules: hasState };
  for (const name of names) costs.push(await costOf(name, found, foreign, targets));
  if (options.json) printJson(options.all ? costs : costs[0]);
  else process.stdout.write(options.all ? summary(costs) : details(costs[0]!));
  return EXIT.ok;
}

async function costOf(
  name: string,
  options: BuiltinRegistryOptions,
  foreign: readonly DefinedTool[],
  targets: readonly string[],
): Promise<Cost> {
  const { builtinRegistry, dialectNamed } = await import("../../../toolkit/index.js");
  const registry: ToolRegistry = builtinRegistry(await dialectNamed(name), options).registerAll(foreign);
  const tokensOf = (tool: string) => estimateTokens(JSON.stringify(registry.get(tool).descriptor(targets)));
  const counts = new Map(registry.names().map((tool) => [tool, tokensOf(tool)]));
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

const NOTE = "Estimated o200k tokens, for comparison; other models count differently.";

function details({ dialect, tools, collections }: Cost): string {
  if (Object.keys(tools).length === 0)
    return "All tools are disabled, so they use no tokens. `haft doctor` shows which files apply.\n";
  const largestFirst = Object.entries(tools).sort((one, other) => other[1] - one[1]);
  return `${table(`tool of ${dialect}`, largestFirst)}\n\n${table("collection", Object.entries(collections))}\n\n${pc.dim(NOTE)}\n`;
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

/** The pieces within which o200k merges: words with the character before them, digits, runs of punctuation. */
const PIECES = /[^\r\n\p{L}\p{N}]?\p{Lu}*\p{Ll}+|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+/gu;

/** Up to this many letters a word is mostly one token; each further token takes `FURTHER_LETTERS`. */
const WHOLE_WORD_LETTERS = 10;
const FURTHER_LETTERS = 4;
const PUNCTUATION_CHARACTERS = 3;

/** Within 8 % of o200k for tool descriptors; less exact for other scripts. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    const letters = /\p{L}+/u.exec(piece)?.[0].length ?? 0;
    tokens +=
      letters > 0
        ? 1 + Math.max(0, letters - WHOLE_WORD_LETTERS) / FURTHER_LETTERS
        : 1 + Math.max(0, piece.length - PUNCTUATION_CHARACTERS) / PUNCTUATION_CHARACTERS;
  }
  return Math.round(tokens);
}
