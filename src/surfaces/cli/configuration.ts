/** Finds and reads the configuration files that are in force for a command. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { homeDirectory } from "../../host/index.js";
import { HaftError, messageOf } from "../../kernel/index.js";
import {
  type ConfigLayer,
  parseConfig,
  type SettledConfig,
  settleConfig,
  workspaceProblem,
} from "../../toolkit/index.js";
import { printNotice } from "./print-notice.js";
import { UsageError } from "./usage.js";

/** The name of a configuration file, in a workspace and in the folder of the person. */
export const CONFIG_NAME = "haft.jsonc";

/** Bytes of the largest file that is read as a configuration. */
const MAX_CONFIG_BYTES = 1024 * 1024;

export interface ConfigOptions {
  /** A file in the place of the workspace's; `false` for no file at all. */
  readonly config?: string | false;
  readonly workspace?: string;
  readonly dialect?: string;
  /** Gates that hold where nothing is set for a tool: a project elsewhere chose the dialect. */
  readonly gateFloor?: SettledConfig["gateFloor"];
}

export interface LoadedConfig {
  readonly settled: SettledConfig;
  /** The files that were read, from the lowest to the highest. */
  readonly layers: readonly ConfigLayer[];
}

/**
 * The person's file, then the one that `--config` names or else the one in the workspace, laid over each other. Reads
 * nothing else and writes nothing; without a file it costs two looks at the disk.
 *
 * @throws `CONFIG_INVALID` for a file that is not understood, UsageError for one that is named and not there.
 */
export async function loadConfig(options: ConfigOptions): Promise<LoadedConfig> {
  const { dialect, gateFloor } = options;
  const settleOptions = { home: homeDirectory(), userConfigPath: userConfigPath(), dialect, gateFloor, realPath };
  const settle = () => settleConfig(layers, settleOptions);
  const layers: ConfigLayer[] = [];
  if (options.config === false) return { settled: await settle(), layers };
  const add = async (by: ConfigLayer["by"], path: string): Promise<boolean> => {
    const text = readConfig(path);
    if (text === undefined) return false;
    layers.push({ by, path, directory: dirname(path), config: await parseConfig(text, path) });
    return true;
  };
  await add("person", userConfigPath());
  if (options.config !== undefined) {
    const path = resolve(options.config);
    if (!(await add("person", path)))
      throw new UsageError(
        `--config ${options.config}: there is no such file. \`haft init\` writes one to start from.`,
      );
  } else {
    const directory = realDirectory(options.workspace ?? (await settle()).workspace ?? process.cwd());
    const path = directory === undefined ? undefined : join(directory, CONFIG_NAME);
    if (path !== undefined && path !== userConfigPath()) await add("project", path);
  }
  return { settled: await settle(), layers };
}

/** `$XDG_CONFIG_HOME/haft/haft.jsonc`, else `~/.config/haft/haft.jsonc`. A relative variable is ignored. */
export function userConfigPath(): string {
  const xdg = process.env.XDG_CONFIG_HOME;
  const directory = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homeDirectory(), ".config");
  return join(directory, "haft", CONFIG_NAME);
}

/** Says on standard error what of a project's file is not followed. */
export function reportIgnored({ settled }: LoadedConfig): void {
  for (const line of settled.ignored) printNotice(line);
}

/** The folder that a project's file may lie in; none where anybody could have put one. */
function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return workspaceProblem(real, homeDirectory()) === undefined ? real : undefined;
  } catch {
    return undefined;
  }
}

/** A folder that is not there is trusted by its name: it may come. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function readConfig(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (!stat.isFile()) throw new Error("it is no ordinary file");
    if (stat.size > MAX_CONFIG_BYTES)
      throw new Error(`it has ${stat.size} bytes, and a configuration has at most ${MAX_CONFIG_BYTES}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw new HaftError(
      "CONFIG_INVALID",
      `Did not start: the configuration "${path}" cannot be read: ${messageOf(error)}. Mend it, or leave it out with --no-config.`,
      {
        cause: error,
        details: { file: path },
      },
    );
  }
}
