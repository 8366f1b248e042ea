/** The tools of Haft under the names and texts of one dialect. */
import { haftDialect } from "../dialects/haft/haft-dialect.js";
import { type AnyPresenter, type DefinedTool, type Dialect, presentTool, ToolRegistry } from "../kernel/index.js";
import {
  builtinTools,
  type CustomSearch,
  type Gate,
  memoryTools,
  type SearchProvider,
  scheduleTools,
  terminalTools,
} from "../tools/index.js";
import type { ToolSettings } from "./config/config.js";

/** Haft's own names of the built-in tools. */
export const builtinToolNames: readonly string[] = builtinTools.map(({ name }) => name);

const OF_TERMINAL: ReadonlySet<string> = new Set(terminalTools.map(({ name }) => name));
const OF_MEMORY: ReadonlySet<string> = new Set(memoryTools.map(({ name }) => name));
const OF_SCHEDULES: ReadonlySet<string> = new Set(scheduleTools.map(({ name }) => name));
const OWN: ReadonlySet<object> = new Set(builtinTools.map((tool) => tool.body));

/** Whether a tool is one of Haft's, under whichever name and texts. */
export function isOwnTool({ body }: { readonly body: object }): boolean {
  return OWN.has(body);
}

/** Whether a tool, by its canonical name, is there only where a target has a terminal. */
export function needsTerminal(name: string): boolean {
  return OF_TERMINAL.has(name);
}

/** Whether a tool, by its canonical name, is there only where calls can choose between targets. */
export function needsSeveralTargets(name: string): boolean {
  return builtinTools.some((tool) => tool.name === name && tool.body.sourceParameter !== undefined);
}

/** Whether a tool, by its canonical name, is there only where the state is in a database. */
export function needsDatabase(name: string): boolean {
  return OF_MEMORY.has(name) || OF_SCHEDULES.has(name);
}

/** What a host may set otherwise than the dialect. */
export interface BuiltinRegistryOptions {
  /** When `write` and `edit` ask for a read before. Default: what the dialect says. */
  readonly gate?: Gate;
  /** See `ToolkitOptions.yieldMs`. */
  readonly yieldMs?: number;
  /** Built-in tools by Haft's own names: `false` leaves one out, an object sets its options. `gate` above comes first. */
  readonly tools?: ToolSettings;
  /** Whether calls can choose between targets. Default false: `copy` is left out. */
  readonly severalTargets?: boolean;
  /** Whether a target has a terminal (see `hasTerminal`). Default false: the tools for panes are left out. */
  readonly terminal?: boolean;
  /** Whether the state has schedules. Default false: their tools are left out. */
  readonly schedules?: boolean;
  /** Whether the state has memories. Default false: their tools are left out. */
  readonly memories?: boolean;
  /** The search providers of `websearch`, the first is the default. Absent or empty: DuckDuckGo. */
  readonly search?: readonly (SearchProvider | CustomSearch)[];
}

/**
 * A registry of every built-in tool that the dialect has a presenter for, in the dialect's order, with its collections.
 *
 * @param dialect - Default `haftDialect`.
 */
export function builtinRegistry(dialect: Dialect = haftDialect, options: BuiltinRegistryOptions = {}): ToolRegistry {
  const registry = new ToolRegistry();
  const tools = new Map(builtinTools.map((tool) => [tool.name, tool]));
  for (const [name, presenter] of Object.entries(dialect.tools)) {
    const tool = tools.get(name);
    const setting = options.tools?.[name] ?? true;
    if (tool === undefined || setting === false || !isServed(name, options)) continue;
    const gate = options.gate ?? (setting === true ? undefined : setting.gate);
    const limited = withAutoBackground(gated(presenter, tool, gate), tool, options);
    registry.register(presentTool(tool, withSearchProviders(limited, tool, options.search), dialect));
  }
  for (const [name, members] of Object.entries(dialect.collections)) {
    const served = members.filter((member) => registry.has(member));
    if (served.length > 0) registry.collection(name, served);
  }
  return registry;
}

/** Whether what the tool needs beside files and commands is there. */
function isServed(
  name: string,
  { severalTargets = false, terminal = false, schedules = false, memories = false }: BuiltinRegistryOptions,
): boolean {
  if (OF_MEMORY.has(name)) return memories;
  const hasPlaces = (terminal || !OF_TERMINAL.has(name)) && (severalTargets || !needsSeveralTargets(name));
  return hasPlaces && (schedules || !OF_SCHEDULES.has(name));
}

/** Overrides the gate in the limits of a presenter whose tool has one. */
function gated(presenter: AnyPresenter, tool: DefinedTool, gate: Gate | undefined): AnyPresenter {
  return gate === undefined || !hasGate(tool) ? presenter : { ...presenter, limits: { ...presenter.limits, gate } };
}

/** Overrides in the limits of a presenter when its tool continues in the background: never if the `process` tool is disabled. */
function withAutoBackground(
  presenter: AnyPresenter,
  tool: DefinedTool,
  { tools, yieldMs }: BuiltinRegistryOptions,
): AnyPresenter {
  const { limits } = tool.body;
  if (typeof limits !== "object" || limits === null || !("autoBackground" in limits)) return presenter;
  const autoBackground = tools?.process === false ? { autoBackground: false } : {};
  return {
    ...presenter,
    limits: { ...presenter.limits, ...autoBackground, ...(yieldMs === undefined ? {} : { yieldMs }) },
  };
}

/**
 * Overrides the search providers in the limits of a presenter whose tool has some. Where there are several, and the dialect has no
 * schema of its own, a call can choose one by name.
 */
function withSearchProviders(
  presenter: AnyPresenter,
  tool: DefinedTool,
  providers: BuiltinRegistryOptions["search"] = [],
): AnyPresenter {
  const { limits } = tool.body;
  if (providers.length === 0 || typeof limits !== "object" || limits === null || !("providers" in limits))
    return presenter;
  const limited = { ...presenter, limits: { ...presenter.limits, providers } };
  if (providers.length === 1 || presenter.parameters !== undefined) return limited;
  const names = providers.map(({ name }) => name);
  const provider = { type: "string", enum: names, description: `Default ${names[0]}` };
  const { properties, ...schema } = tool.parameters;
  return { ...limited, parameters: { ...schema, properties: { ...(properties as object), provider } } };
}

/** Whether the tool may ask for a read before it changes a file. */
export function hasGate(tool: DefinedTool): boolean {
  const { limits } = tool.body;
  return typeof limits === "object" && limits !== null && "gate" in limits;
}
