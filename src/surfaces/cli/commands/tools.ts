/** `haft tools`: the tools as a model sees them. */
import { resolve } from "node:path";
import type { Command } from "commander";
import pc from "picocolors";
import type { DefinedTool, Dialect, ToolDescriptor, ToolRegistry } from "../../../kernel/index.js";
import { nearestNames, showControls } from "../../../text/index.js";
import type { ChosenTarget, SettledConfig } from "../../../toolkit/index.js";
import {
  withCollectionOption,
  withConfigOptions,
  withDialectOption,
  withExamples,
  withTargetOption,
} from "../command-parts.js";
import type { ConfigOptions } from "../configuration.js";
import { printJson, shownLines } from "../output.js";
import type { ParameterRow } from "../parameter-text.js";
import { DEFAULT_DIALECT, UsageError } from "../usage.js";

interface ToolsOptions extends ConfigOptions {
  readonly collection: string;
  readonly on: readonly string[];
  readonly json?: boolean;
}

export function addToolsCommand(program: Command): void {
  withExamples(
    withCollectionOption(
      withTargetOption(
        withDialectOption(
          withConfigOptions(
            program.command("tools [name]").description("list the tools, or show one with its parameters"),
          ),
        ),
      ),
    ).option("--json", "print what a model sees, as JSON: one descriptor, or an array of all"),
    "haft tools",
    "haft tools edit",
    "haft tools --json",
    "haft tools --collection read-only",
    "haft tools bash --on local --on posix:dash=$HOME/project",
  ).action(async (name: string | undefined, options: ToolsOptions) => {
    await printTools(name, options);
  });
}

/** Connects to the configured servers for their tools and disconnects again. @throws UsageError */
async function printTools(name: string | undefined, options: ToolsOptions): Promise<void> {
  const { dialectArgument, disabledBy, targetsOf, toolsOf } = await import("../common-options.js");
  const { loadConfig, reportIgnored } = await import("../configuration.js");
  const { serversOf } = await import("../servers-of.js");
  const { workspaceOn } = await import("../target-places.js");
  const { dialectNamed, nameOf } = await import("../../../toolkit/index.js");
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { settled } = loaded;
  const targets = targetsOf(options.on, loaded);
  const targetNames = targets.map(nameOf);
  const descriptorOf = (tool: DefinedTool) => tool.descriptor(targetNames);
  const dialect = await dialectNamed(options.dialect ?? settled.dialect ?? DEFAULT_DIALECT);
  const own = toolsOf(await ownTools(dialect, loaded.settled, targets), options.collection);
  const servers = await serversOf(settled, resolve(options.workspace ?? "."), {
    isNeeded: (server) => options.collection === "all" && (name === undefined || name.startsWith(`${server}__`)),
  });
  const foreign = await servers.tools();
  await servers.close();
  const tools = [...own, ...foreign];
  if (name !== undefined) {
    const tool = tools.find((one) => one.name === name) ?? (await refuseName(name, tools, dialect, disabledBy(loaded)));
    if (options.json) printJson(descriptorOf(tool), 2);
    else process.stdout.write(await toolText(descriptorOf(tool), dialectArgument(dialect.name)));
    return;
  }
  if (options.json) {
    printJson(tools.map(descriptorOf));
    return;
  }
  if (tools.length === 0) {
    process.stdout.write(
      `All tools of "${options.collection}" are disabled. \`haft doctor\` shows which files apply.\n`,
    );
    return;
  }
  const width = Math.max(...tools.map((tool) => tool.name.length));
  const columns = Math.max(40, (process.stdout.columns ?? 100) - width - 2);
  const row = (tool: DefinedTool): string =>
    `${pc.bold(showControls(tool.name).padEnd(width))}  ${showControls(truncated(firstSentence(tool.description), columns))}`;
  const fromServers = servers
    .states()
    .filter((server) => server.tools.length > 0)
    .flatMap((server) => ["", `From the server "${server.name}":`, ...server.tools.map(row)]);
  const common = resolve(options.workspace ?? settled.workspace ?? ".");
  const targetRow = (one: ChosenTarget, index: number) => {
    const what = one.name === undefined || one.name === one.target ? "" : `, ${one.target}`;
    const workspace = workspaceOn(one, index === 0, common);
    const where = workspace === undefined ? "" : ` in ${workspace}`;
    return showControls(`  ${nameOf(one)}${what}${where}`);
  };
  const choice =
    targets.length < 2
      ? []
      : ["", "A call chooses one of these targets with `on`; the first is the default:", ...targets.map(targetRow)];
  const rows = [...own.map(row), ...fromServers, ...choice];
  const more = dialectArgument(dialect.name);
  const example = pc.dim(`\`haft tools ${tools[0]?.name ?? "read"}${more}\` shows a tool's parameters and an example.`);
  process.stdout.write(`${rows.join("\n")}\n\n${example}\n`);
}

/** What the state can serve is known from its options. */
async function ownTools(
  dialect: Dialect,
  settled: SettledConfig,
  targets: readonly ChosenTarget[],
): Promise<ToolRegistry> {
  const { storeOf } = await import("../configuration.js");
  const { builtinRegistry, hasDatabase, hasTerminal } = await import("../../../toolkit/index.js");
  const hasState = await hasDatabase({ store: storeOf(undefined, settled) });
  return builtinRegistry(dialect, {
    tools: settled.tools,
    severalTargets: targets.length > 1,
    terminal: targets.some((one) => hasTerminal(one)),
    memories: hasState,
    schedules: hasState,
  });
}

async function refuseName(
  name: string,
  tools: readonly DefinedTool[],
  dialect: Dialect,
  disabled: Readonly<Record<string, string>>,
): Promise<never> {
  const { dialectArgument, disabledNote } = await import("../common-options.js");
  const near = nearestNames(
    name,
    tools.map((tool) => tool.name),
  ).map((one) => `"${one}"`);
  const hint = near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
  throw new UsageError(
    `There is no tool ${JSON.stringify(name)}. ${disabledNote(name, dialect, disabled)}${hint}\`haft tools${dialectArgument(dialect.name)}\` lists the tools.`,
  );
}

async function toolText({ name, description, parameters }: ToolDescriptor, options: string): Promise<string> {
  const { exampleCall, parameterRows } = await import("../parameter-text.js");
  const rows = parameterRows(parameters);
  const widthOf = (of: (row: ParameterRow) => string) => Math.max(0, ...rows.map((row) => of(row).length));
  const [names, kinds] = [widthOf((row) => row.name), widthOf((row) => row.kind)];
  const lines = rows.map((row) =>
    showControls(`  ${row.name.padEnd(names)}  ${row.kind.padEnd(kinds)}  ${row.notes.join("; ")}`.trimEnd()),
  );
  const listed = lines.length === 0 ? "No parameters." : `Parameters:\n${lines.join("\n")}`;
  return `${pc.bold(showControls(name))}\n${shownLines(description)}\n\n${listed}\n\nExample:\n  $ ${showControls(exampleCall(name, parameters, options))}\n`;
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/\s+/g, " ").replace(/:$/, ".") ?? text;
}

function truncated(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}
