/** How an MCP client starts Haft over stdio: what `haft serve` prints and `haft connect` writes. */
import { resolve } from "node:path";
import type { StartCommand } from "./clients/clients.js";
import type { CommonOptions } from "./common-options.js";
import { haftCommand } from "./installed-package.js";
import { stateDirOf } from "./state-options.js";

/** What the command takes where an option is not given. */
const DEFAULTS: Readonly<Record<string, string>> = { on: "local", autonomy: "full", collection: "all" };

/** Options of `haft serve` that change what is served. */
export interface StdioServerOptions extends Partial<CommonOptions> {
  readonly collection?: string;
}

/**
 * By absolute paths throughout: a client seldom starts its servers with the PATH of a terminal, or in the same directory.
 *
 * @param workspace - Undefined: the client's own directories decide.
 */
export function stdioServerCommand(workspace: string | undefined, options: StdioServerOptions = {}): StartCommand {
  const { config, state, env = [], on, dialect, autonomy, gate, collection } = options;
  const args = [haftCommand(), "serve", "--stdio"];
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== DEFAULTS[name]) args.push(`--${name}`, value);
  };
  add("workspace", workspace);
  if (config === false) args.push("--no-config");
  else add("config", config && resolve(config));
  add("state", state && stateDirOf(state));
  for (const [name, value] of Object.entries({ on, dialect, autonomy, gate, collection })) add(name, value);
  for (const name of env) add("env", name);
  return { command: process.execPath, args };
}
