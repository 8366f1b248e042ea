/** The other MCP servers of a configuration, and the tools that they add. */

import { callSafely, type DefinedTool } from "../kernel/index.js";
import type { ServerAddress, ServerState, Servers } from "../mcp-client/index.js";
import type { ServerConfig } from "./config/config.js";
import { MAX_SERVER_CALL_MS, SERVER_TIMEOUT_MS } from "./config/config-schema.js";
import type { SettledConfig } from "./config/settle-config.js";
import { deniedTools } from "./toolkit-policy.js";

/** Which servers to connect to, and what they receive. */
export interface ConfiguredServersOptions {
  readonly config: Pick<SettledConfig, "servers" | "tools"> & Partial<Pick<SettledConfig, "policy">>;
  /** Absolute; where programs are started that name no directory. */
  readonly cwd: string;
  /** Haft's version, sent to the servers. */
  readonly version: string;
  /** The value of an environment variable. */
  lookUp(name: string): string | undefined;
  /** What the operator should know, as a sentence; it may come at any time. */
  onNote?(line: string): void;
  /** `tools` gives others than before. */
  onChange?(): void;
  /** Milliseconds until `tools` resolves whether or not all are there. Default 5000. */
  readonly startupTimeoutMs?: number;
  /** Milliseconds until a server that could not be reached is tried again, doubled each time up to a minute. Default 5000. */
  readonly retryMs?: number;
}

/** Servers that are being connected to, and what became of each. */
export interface ConfiguredServers {
  /** The tools of all that are there by now, each `server__tool`; the first time, all get their time to be there. For `ToolkitOptions.tools`. */
  tools(): Promise<readonly DefinedTool[]>;
  /** The tool of this name as its server describes it by now; it may have come after the start. */
  named(name: string): DefinedTool | undefined;
  /** What became of each by now. */
  states(): readonly ServerState[];
  /** Ends all that was started. `left` names what could not be ended. Idempotent. */
  close(): Promise<{ readonly left: readonly string[] }>;
}

/**
 * Starts connecting to every configured server; without any, nothing is loaded. A server that fails or is late is omitted and
 * reported, and never causes a rejection here.
 */
export async function configuredServers(options: ConfiguredServersOptions): Promise<ConfiguredServers> {
  const { config, cwd, version, lookUp, onNote, onChange, startupTimeoutMs, retryMs } = options;
  const failed: ServerState[] = [];
  const servers: Record<string, ServerAddress> = {};
  for (const [name, configured] of Object.entries(config.servers)) {
    const filled = withVariables(configured, lookUp);
    if ("server" in filled) {
      servers[name] = filled.server;
      continue;
    }
    const why = `it is skipped: these environment variables are not set: ${filled.missing.join(", ")}`;
    failed.push({ name, state: "failed", tools: [], reported: [why] });
    callSafely(() => onNote?.(`the server "${name}": ${why}`));
  }
  if (Object.keys(servers).length === 0) return unopened(failed);
  const { openServers } = await import("../mcp-client/index.js");
  const isDenied = await deniedTools(config.policy ?? {});
  const opened: Servers = openServers({
    servers,
    cwd,
    version,
    callLimits: { timeoutMs: SERVER_TIMEOUT_MS, maxMs: MAX_SERVER_CALL_MS },
    isOn: (name) => config.tools[name] !== false && !isDenied(name),
    ...(onNote === undefined ? {} : { onNote }),
    ...(onChange === undefined ? {} : { onChange }),
    ...(startupTimeoutMs === undefined ? {} : { startupTimeoutMs }),
    ...(retryMs === undefined ? {} : { retryMs }),
  });
  const tools = (): Promise<readonly DefinedTool[]> => opened.ready.then(() => opened.tools());
  const named = (name: string): DefinedTool | undefined => opened.tools().find((tool) => tool.name === name);
  return { tools, named, states: () => [...failed, ...opened.states()], close: () => opened.close() };
}

function unopened(states: readonly ServerState[]): ConfiguredServers {
  return { tools: async () => [], named: () => undefined, states: () => states, close: async () => ({ left: [] }) };
}

/** The server with every `${NAME}` of its texts replaced, or the names that are not set. Keys stay as they are. */
export function withVariables(
  server: ServerConfig,
  lookUp: (name: string) => string | undefined,
): { readonly server: ServerConfig } | { readonly missing: readonly string[] } {
  const missing = new Set<string>();
  const filled = (text: string): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const value = lookUp(name);
      if (value === undefined) missing.add(name);
      return value ?? "";
    });
  const inAll = (value: unknown): unknown => {
    if (typeof value === "string") return filled(value);
    if (Array.isArray(value)) return value.map(inAll);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inAll(one)]));
  };
  const whole = inAll(server) as ServerConfig;
  return missing.size === 0 ? { server: whole } : { missing: [...missing] };
}
