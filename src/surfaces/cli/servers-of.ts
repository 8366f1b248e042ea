/** The other MCP servers that a command offers the tools of. */
import { type ConfiguredServers, configuredServers, type SettledConfig } from "../../toolkit/index.js";
import { haftVersion } from "./installed-package.js";
import { printUntrustedNotice } from "./print-notice.js";

export interface ServersOfOptions {
  /** Default: all are. */
  isNeeded?(name: string): boolean;
  /** What is amiss with one. Default: it is told on standard error. */
  onNote?(line: string): void;
  /** The tools are others than before. */
  onChange?(): void;
}

/**
 * Begins to connect to them.
 *
 * @param cwd - Where programs are started that name no folder.
 */
export function serversOf(
  config: Pick<SettledConfig, "servers" | "tools">,
  cwd: string,
  { isNeeded: isIncluded = () => true, onNote = printUntrustedNotice, onChange }: ServersOfOptions = {},
): Promise<ConfiguredServers> {
  const servers = Object.fromEntries(Object.entries(config.servers).filter(([name]) => isIncluded(name)));
  return configuredServers({
    config: { servers, tools: config.tools },
    cwd,
    version: haftVersion(),
    lookUp: (name) => process.env[name],
    onNote,
    ...(onChange === undefined ? {} : { onChange }),
  });
}

/** What `work` comes to. Where it fails the servers are ended first: their programs would keep this process alive. */
export async function withServers<T>(servers: ConfiguredServers, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await servers.close();
    throw error;
  }
}
