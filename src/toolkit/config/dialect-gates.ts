/** The gates that come with a dialect, and how two of them compare. */

import { builtinTools, GATES, type Gate } from "../../tools/index.js";
import { hasGate } from "../builtin-registry.js";
import { dialectNamed } from "../dialect-named.js";
import type { ToolSetting, ToolSettings } from "./config.js";

/** Tool, by Haft's own name → when it asks for a read before it changes a file. */
export type Gates = Readonly<Record<string, Gate>>;

/**
 * The gates of the tools that the dialect offers, where nothing else is set.
 *
 * @param name - Default: Haft's own dialect. Rejects with `CONFIG_INVALID` where there is none of this name.
 */
export async function gatesOfDialect(name = "haft"): Promise<Gates> {
  const { tools } = await dialectNamed(name);
  const gated = builtinTools.filter((tool) => hasGate(tool) && Object.hasOwn(tools, tool.name));
  return Object.fromEntries(
    gated.map((tool): [string, Gate] => {
      const { gate } = { ...(tool.body.limits as GateLimit), ...(tools[tool.name]?.limits as Partial<GateLimit>) };
      return [tool.name, gate];
    }),
  );
}

interface GateLimit {
  readonly gate: Gate;
}

/** Whether `gate` lets a tool change more unread files than `other` would. */
export function isLooserGate(tool: string, gate: Gate, other: Gate): boolean {
  return strictness(tool, gate) < strictness(tool, other);
}

/** "write" speaks of files that are written whole; to every other tool it is no gate. */
function strictness(tool: string, gate: Gate): number {
  return GATES.indexOf(gate === "write" && tool !== "write" ? "off" : gate);
}

/** The gate that is set; undefined where the dialect decides. */
export function gateOf(setting: boolean | ToolSetting | undefined): Gate | undefined {
  return typeof setting === "object" ? setting.gate : undefined;
}

/** The settings with these gates where they set none. */
export function withGates(tools: ToolSettings, gates: Gates): ToolSettings {
  const open = Object.entries(gates).filter(([name]) => tools[name] !== false && gateOf(tools[name]) === undefined);
  return { ...tools, ...Object.fromEntries(open.map(([name, gate]) => [name, { gate }])) };
}
