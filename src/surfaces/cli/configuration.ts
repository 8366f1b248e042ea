/** Finds and reads the configuration files that apply to a command. */
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { homeDirectory } from "../../host/index.js";
import { HaftError, messageOf } from "../../kernel/index.js";
import { expandHome } from "../../text/index.js";
import {
  type ConfigLayer,
  filledStoreUrl,
  hasPassword,
  notAWorkspace,
  parseConfig,
  type SettledConfig,
  type StateAdminOptions,
  settleConfig,
} from "../../toolkit/index.js";
import { printNotice } from "./output.js";
import { UsageError } from "./usage.js";

/** The name of a configuration file, in a workspace and in the user's configuration directory. */
export const CONFIG_NAME = "haft.jsonc";

const MAX_CONFIG_BYTES = 1024 * 1024;

export interface ConfigOptions {
  /** A file instead of the workspace's; `false` for no file. */
  readonly config?: string | false;
  readonly workspace?: string;
  readonly dialect?: string;
  /** Minimum gates for tools without a setting: a project in another directory chose the dialect. */
  readonly gateFloor?: SettledConfig["gateFloor"];
}

export interface LoadedConfig {
  readonly settled: SettledConfig;
  /** The files that were read, lowest precedence first. */
  readonly layers: readonly ConfigLayer[];
}

/**
 * The user's file, overridden by the file of `--config` or else by the workspace's.
 *
 * @throws `CONFIG_INVALID` for an invalid file, UsageError if the file of `--config` does not exist.
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
    const sha256 = createHash("sha256").update(text).digest("hex");
    layers.push({ by, path, directory: dirname(path), config: await parseConfig(text, path), sha256 });
    return true;
  };
  await add("user", userConfigPath());
  if (options.config !== undefined) {
    const path = resolve(options.config);
    if (!(await add("user", path)))
      throw new UsageError(`--config ${options.config}: no such file. \`haft init\` writes one to start from.`);
  } else {
    const directory = realDirectory(options.workspace ?? (await settle()).workspace ?? process.cwd());
    const path = directory === undefined ? undefined : join(directory, CONFIG_NAME);
    if (path !== undefined && path !== userConfigPath()) await add("project", path);
  }
  return { settled: await settle(), layers };
}

/** `$XDG_CONFIG_HOME/haft/haft.jsonc`, else `~/.config/haft/haft.jsonc`. A relative XDG_CONFIG_HOME is ignored. */
export function userConfigPath(): string {
  const xdg = process.env.XDG_CONFIG_HOME;
  const directory = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homeDirectory(), ".config");
  return join(directory, "haft", CONFIG_NAME);
}

/** Prints on stderr which settings of a project's file are ignored. */
export function reportIgnored({ settled }: LoadedConfig): void {
  for (const line of settled.ignored) printNotice(line);
}

export interface StateOptions extends ConfigOptions {
  readonly state?: string;
  readonly store?: string;
}

/** State directory and store: of the options, else of the configuration, else of the environment. @throws UsageError, `CONFIG_INVALID` */
export async function stateAdminOptions(options: StateOptions): Promise<StateAdminOptions> {
  const { state, store } = options;
  if (state !== undefined && store !== undefined)
    return statePlace({ stateDir: stateDirOf(state), store: storeOf(store) });
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { settled } = loaded;
  return statePlace({
    stateDir: state === undefined ? settled.stateDir : stateDirOf(state),
    store: storeOf(store, settled),
  });
}

function statePlace(
  place: { readonly [Name in keyof StateAdminOptions]: StateAdminOptions[Name] | undefined },
): StateAdminOptions {
  const { stateDir, store } = place;
  return { ...(stateDir === undefined ? {} : { stateDir }), ...(store === undefined ? {} : { store }) };
}

/**
 * The URL of the store: of the option, else of the configuration, else of HAFT_STORE; undefined where there is none.
 * @throws UsageError for an option with a password in it, `CONFIG_INVALID` for what is not a URL or refers to a variable that is not set.
 */
export function storeOf(option: string | undefined, { store }: Pick<SettledConfig, "store"> = {}): string | undefined {
  const { HAFT_STORE } = process.env;
  if (option !== undefined && hasPassword(option))
    throw new UsageError(
      "Did not start: --store has a password in it, which every user of this machine can read in the list of processes. " +
        "Put it into an environment variable, such as PGPASSWORD, or name one: --store 'postgres://USER:$" +
        "{NAME}@HOST/DATABASE'.",
    );
  const text = option ?? store ?? (HAFT_STORE === "" ? undefined : HAFT_STORE);
  return text === undefined ? undefined : filledStoreUrl(text, (name) => process.env[name]);
}

/** The absolute path of `--state`; `~` is expanded where no shell did. */
export function stateDirOf(option: string): string {
  return resolve(expandHome(option, homeDirectory()));
}

/** The directory of a project's file; undefined where other users could have created one. */
function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return notAWorkspace(real, homeDirectory()) === undefined ? real : undefined;
  } catch {
    return undefined;
  }
}

/** A missing directory is compared by its name, since it may be created later. */
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
    if (!stat.isFile()) throw new Error("it is not a regular file");
    if (stat.size > MAX_CONFIG_BYTES) throw new Error(`it has ${stat.size} bytes; the limit is ${MAX_CONFIG_BYTES}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw new HaftError(
      "CONFIG_INVALID",
      `Did not start: the configuration "${path}" cannot be read: ${messageOf(error)}. Fix it, or add --no-config to start without it.`,
      {
        cause: error,
        details: { file: path },
      },
    );
  }
}
