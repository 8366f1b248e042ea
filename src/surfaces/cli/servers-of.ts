/** The other MCP servers that a command offers the tools of. */
import { type ConfiguredServers, configuredServers, type SettledConfig } from "../../toolkit/index.js";
import { haftVersion } from "./installed-package.js";
import { tellOperator } from "./tell-operator.js";

/**
 * Begins to connect to them; what is amiss with one is told on standard error, unless `onNote` takes it.
 *
 * @param cwd - Where programs are started that name no folder.
 * @param isWanted - Default: all are.
 */
export function serversOf(
  config: Pick<SettledConfig, "servers" | "tools">,
  cwd: string,
  isWanted: (name: string) => boolean = () => true,
  onNote: (line: string) => void = tellOperator,
): Promise<ConfiguredServers> {
  const servers = Object.fromEntries(Object.entries(config.servers).filter(([name]) => isWanted(name)));
  return configuredServers({
    config: { servers, tools: config.tools },
    cwd,
    version: haftVersion(),
    lookUp: (name) => process.env[name],
    onNote,
  });
}
