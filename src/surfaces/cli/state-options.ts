/** Where the commands that look after kept state find it. */
import { resolve } from "node:path";
import { homeDirectory } from "../../host/index.js";
import { expandHome } from "../../text/index.js";
import type { StateAdminOptions } from "../../toolkit/index.js";
import { type ConfigOptions, loadConfig, reportIgnored } from "./configuration.js";

export interface StateOptions extends ConfigOptions {
  readonly state?: string;
}

/** The folder of the option, else of the configuration, else of the environment. @throws UsageError, `CONFIG_INVALID` */
export async function stateAdminOptions(options: StateOptions): Promise<StateAdminOptions> {
  if (options.state !== undefined) return { stateDir: stateDirOf(options.state) };
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { stateDir } = loaded.settled;
  return stateDir === undefined ? {} : { stateDir };
}

/** The folder that `--state` names, absolute; `~` and `~/x` stand in the home folder also where no shell has read them. */
export function stateDirOf(option: string): string {
  return resolve(expandHome(option, homeDirectory()));
}
