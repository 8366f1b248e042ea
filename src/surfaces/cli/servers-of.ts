/** The other MCP servers whose tools a command offers. */
import { type ConfiguredServers, configuredServers, type SettledConfig } from "../../toolkit/index.js";
import { haftVersion } from "../installed-package.js";
import { printUntrustedNotice } from "./output.js";

export interface ServersOfOptions {
  /** Default: every server. */
  isNeeded?(name: string): boolean;
  /** A problem of a server. Default: printed on stderr. */
  onNote?(line: string): void;
  /** The list of tools changed. */
  onChange?(): void;
}

/**
 * Starts to connect to them.
 *
 * @param cwd - The working directory of server programs that configure none.
 */
export function serversOf(
  config: Pick<SettledConfig, "servers" | "tools" | "policy">,
  cwd: string,
  { isNeeded: isIncluded = () => true, onNote = printUntrustedNotice, onChange }: ServersOfOptions = {},
): Promise<ConfiguredServers> {
  const servers = Object.fromEntries(Object.entries(config.servers).filter(([name]) => isIncluded(name)));
  return configuredServers({
    config: { servers, tools: config.tools, policy: config.policy },
    cwd,
    version: haftVersion(),
    lookUp: (name) => process.env[name],
    onNote,
    ...(onChange === undefined ? {} : { onChange }),
  });
}

/** The result of `work`. If it fails, the servers are closed: their processes would keep this one alive. */
export async function withServers<T>(servers: ConfiguredServers, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await servers.close();
    throw error;
  }
}
