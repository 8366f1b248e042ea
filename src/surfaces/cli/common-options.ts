/** What the options of several commands mean. */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { homeDirectory } from "../../host/index.js";
import { type Dialect, isWithin, messageOf } from "../../kernel/index.js";
import { type Gate, type SettledConfig, type ToolkitOptions, workspaceProblem } from "../../toolkit/index.js";
import { type ConfigOptions, type LoadedConfig, loadConfig, reportIgnored } from "./configuration.js";
import { stateDirOf } from "./state-options.js";
import { DEFAULT_DIALECT, UsageError } from "./usage.js";

export interface CommonOptions extends ConfigOptions {
  readonly on: string;
  readonly state?: string;
  readonly env: readonly string[];
  readonly autonomy?: string;
  readonly gate?: Gate;
}

/** What a command works with: its options laid over the configuration. */
export interface Settings {
  readonly dialect: string;
  /** The toolkit that is asked for, but for its workspace. */
  readonly toolkit: ToolkitOptions;
  readonly config: SettledConfig;
  /** The workspace's own configuration file, where one was read. */
  readonly projectFile: string | undefined;
  /** The files that switch tools off, by Haft's own names of these. */
  readonly switchedOff: Readonly<Record<string, string>>;
}

/** Tells what of a project's file is not followed. @throws UsageError, `CONFIG_INVALID` */
export async function settingsOf(options: CommonOptions): Promise<Settings> {
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { settled } = loaded;
  const { on, state, env, gate, autonomy = "full" } = options;
  if (autonomy !== "full") {
    throw new UsageError(
      `Did not start: --autonomy takes "full" for now, not "${autonomy}". Levels that ask a person come with a later version; until then leave the option out.`,
    );
  }
  const dialect = options.dialect ?? settled.dialect ?? DEFAULT_DIALECT;
  const stateDir = state === undefined ? settled.stateDir : stateDirOf(state);
  const toolkit: ToolkitOptions = {
    on,
    dialect,
    env: { ...variablesThatAreSet(settled.env), ...environmentOf(env) },
    toolSettings: settled.tools,
    ...(stateDir === undefined ? {} : { stateDir }),
    ...(settled.quotaMiB === undefined ? {} : { artifactQuotaBytes: settled.quotaMiB * 1024 * 1024 }),
    ...(gate === undefined ? {} : { gate }),
  };
  const projectFile = loaded.layers.find(({ by }) => by === "project")?.path;
  return { dialect, toolkit, config: settled, projectFile, switchedOff: switchedOffBy(loaded) };
}

/**
 * The real path of the workspace: the one of the option, else of the configuration, else the current folder.
 * @throws UsageError when it is none.
 */
export function settledWorkspace(option: string | undefined, config: SettledConfig): string {
  if (option !== undefined) return workspaceOf(option);
  const real = workspaceOf(config.workspace);
  const { workspaceWithin } = config;
  if (workspaceWithin === undefined || isWithin(workspaceWithin, real)) return real;
  throw new UsageError(
    `Did not take the workspace "${config.workspace}": a link leads from there to "${real}", outside the project that names it. Name it with \`--workspace DIR\`.`,
  );
}

/** How a command that is told to a person goes on with this dialect. */
export function dialectArgument(dialect: string): string {
  return dialect === DEFAULT_DIALECT ? "" : ` --dialect ${dialect}`;
}

/** A sentence with a space after it where a file switches this tool off, else nothing. */
export function switchedOffNote(tool: string, dialect: Dialect, switchedOff: Settings["switchedOff"]): string {
  const own = Object.keys(dialect.tools).find((name) => dialect.tools[name]?.name === tool);
  const file = own === undefined ? undefined : switchedOff[own];
  return file === undefined ? "" : `"${own}" is switched off in ${file}. `;
}

/** The files that switch tools off. The last file that speaks of a tool is the one that decides. */
export function switchedOffBy({ settled, layers }: LoadedConfig): Readonly<Record<string, string>> {
  const off = Object.keys(settled.tools).filter((name) => settled.tools[name] === false);
  const files = off.map((name) => [name, layers.findLast(({ config }) => config.tools?.[name] === false)?.path]);
  return Object.fromEntries(files);
}

/** A configuration serves many machines: what is not set on this one is left out. */
function variablesThatAreSet(names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The variables of these names. @throws UsageError for one that is not set, so that a misspelt name is noticed. */
function environmentOf(names: readonly string[]): Readonly<Record<string, string>> {
  const found = names.map((name): [string, string] => {
    const value = process.env[name];
    if (value === undefined)
      throw new UsageError(`--env ${name}: no such variable is set here. Set it, or leave it out.`);
    return [name, value];
  });
  return Object.fromEntries(found);
}

/** The real path of the workspace. @throws UsageError when there is no such folder, or none that may be one. */
export function workspaceOf(asked: string | undefined): string {
  const path = asked === undefined ? process.cwd() : resolve(asked);
  let real: string;
  try {
    real = realpathSync.native(path);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isAbsent ? "there is no such folder" : messageOf(error);
    throw new UsageError(`Did not find the workspace "${asked ?? path}": ${why}. Give an existing folder.`);
  }
  if (!statSync(real).isDirectory())
    throw new UsageError(`The workspace "${asked ?? path}" is no folder. Give an existing folder.`);
  const problem = workspaceProblem(real, homeDirectory());
  if (problem !== undefined) throw new UsageError(problem);
  return real;
}
