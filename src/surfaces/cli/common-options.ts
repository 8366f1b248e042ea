/** What the options of several commands mean. */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { homeDirectory, NO_SQLITE, sqliteSupport } from "../../host/index.js";
import {
  DEFAULT_AUTONOMY,
  type DefinedTool,
  type Dialect,
  HaftError,
  isWithin,
  messageOf,
  strictestLevel,
  type ToolRegistry,
} from "../../kernel/index.js";
import {
  AUTONOMY_LEVELS,
  type Autonomy,
  commandToAllow,
  MIN_SECRET_LENGTH,
  type NamedSecret,
} from "../../policy/index.js";
import { posixQuote, showControls } from "../../text/index.js";
import {
  type ChosenTarget,
  type ConfigLayer,
  checkedTarget,
  GATES,
  type Gate,
  hasSharedWorkspace,
  nameOf,
  needsDatabase,
  needsSeveralTargets,
  needsTerminal,
  notAWorkspace,
  parseTarget,
  requireDistinctNames,
  type SettledConfig,
  serverSecrets,
  splitTerminal,
  type ToolkitOptions,
} from "../../toolkit/index.js";
import { haftCommand } from "../installed-package.js";
import type { StartCommand } from "./clients/clients.js";
import {
  type ConfigOptions,
  type LoadedConfig,
  loadConfig,
  reportIgnored,
  stateDirOf,
  storeOf,
} from "./configuration.js";
import type { Targets } from "./target-places.js";
import { DEFAULT_DIALECT, UsageError } from "./usage.js";
import { type WebNotice, webSettings } from "./web-settings.js";

export interface CommonOptions extends ConfigOptions {
  /** Targets with their workspaces, the default first. Empty: as the configuration says. */
  readonly on: readonly string[];
  readonly state?: string;
  readonly store?: string;
  readonly env: readonly string[];
  readonly autonomy?: string;
  /** Rules of this session. */
  readonly allow: readonly string[];
  readonly gate?: string;
}

/** The options of a command over its configuration. */
export interface Settings {
  /** Where calls run. */
  readonly targets: Targets;
  readonly dialect: string;
  /** The options of the toolkit, without its workspace. */
  readonly toolkit: ToolkitOptions;
  readonly config: SettledConfig;
  /** The workspace's configuration file, if one was read. */
  readonly projectFile: string | undefined;
  /** The files that disable tools, by canonical tool name. */
  readonly disabled: Readonly<Record<string, string>>;
  /** What is configured of the web and cannot be used, for whoever calls the tool that needs it. */
  readonly webNotices: readonly WebNotice[];
}

/** Reports ignored settings of a project's file. @throws UsageError, `CONFIG_INVALID` */
export async function settingsOf(options: CommonOptions): Promise<Settings> {
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { settled } = loaded;
  const { state, env, gate } = options;
  const autonomy = autonomyLevel(options.autonomy, settled);
  if (gate !== undefined && !isGate(gate))
    throw new UsageError(`Did not start: --gate must be one of ${GATES.join(", ")}, not "${gate}".`);
  const dialect = options.dialect ?? settled.dialect ?? DEFAULT_DIALECT;
  const stateDir = state === undefined ? settled.stateDir : stateDirOf(state);
  const store = storeOf(options.store, settled);
  const on = targetsOf(options.on, loaded, givenLevel(options.autonomy));
  const { notices, hasSearch } = webSettings(settled.web);
  const secrets = secretOptions(settled, store);
  const toolkit: ToolkitOptions = {
    on,
    dialect,
    ...secrets,
    env: { ...secrets.env, ...environmentOf(env) },
    toolSettings: hasSearch ? settled.tools : { ...settled.tools, websearch: false },
    ...(stateDir === undefined ? {} : { stateDir }),
    ...(store === undefined ? {} : { store }),
    ...(settled.sandbox === undefined ? {} : { sandbox: settled.sandbox }),
    ...(settled.quotaMiB === undefined ? {} : { artifactQuotaBytes: settled.quotaMiB * 1024 * 1024 }),
    ...(gate === undefined ? {} : { gate }),
    autonomy,
    ...settled.policy,
    rules: [...settled.policy.rules, ...options.allow.map((rule) => `allow ${rule}`)],
    ...(options.config === false
      ? { howToAllow: (rules) => `To allow it, add: ${rules.map((rule) => `--allow ${posixQuote(rule)}`).join(" ")}` }
      : { howToAllow: commandToAllow }),
  };
  const projectFile = loaded.layers.find(({ by }) => by === "project")?.path;
  return {
    dialect,
    targets: on,
    toolkit,
    config: settled,
    projectFile,
    disabled: disabledBy(loaded),
    webNotices: notices,
  };
}

/** The options of a toolkit from which it knows which values are secrets. */
export function secretOptions(settled: SettledConfig, store: string | undefined) {
  return {
    env: variablesThatAreSet(settled.env),
    secrets: [...serverSecrets(settled.servers, (name) => process.env[name]).secrets, ...storePassword(store)],
    web: webSettings(settled.web).web,
  } satisfies ToolkitOptions;
}

/** What the URL of the store leaves to the environment. */
function storePassword(store: string | undefined): readonly NamedSecret[] {
  const { PGPASSWORD: value = "" } = process.env;
  return store === undefined || value.length < MIN_SECRET_LENGTH ? [] : [{ name: "PGPASSWORD", value }];
}

/** Of the option, else of HAFT_AUTONOMY, else of the configuration, else the default. @throws UsageError */
export function autonomyLevel(
  option: string | undefined,
  { autonomy = DEFAULT_AUTONOMY }: Pick<SettledConfig, "autonomy">,
): Autonomy {
  return givenLevel(option) ?? autonomy;
}

/** Of the option, else of HAFT_AUTONOMY. @throws UsageError */
export function givenLevel(option: string | undefined): Autonomy | undefined {
  const { HAFT_AUTONOMY } = process.env;
  const [name, level] =
    option === undefined && HAFT_AUTONOMY ? ["HAFT_AUTONOMY", HAFT_AUTONOMY] : ["--autonomy", option];
  const found = AUTONOMY_LEVELS.find((one) => one === level);
  if (level === undefined || found !== undefined) return found;
  throw new UsageError(`Did not start: ${name} must be one of ${AUTONOMY_LEVELS.join(", ")}, not "${level}".`);
}

function isGate(value: string): value is Gate {
  return (GATES as readonly string[]).includes(value);
}

/**
 * The real path of the workspace: of the option, else of the configuration, else the current directory.
 * @throws UsageError if it cannot be a workspace.
 */
export function settledWorkspace(option: string | undefined, config: SettledConfig): string {
  if (option !== undefined) return workspaceOf(option);
  const real = workspaceOf(config.workspace);
  const { workspaceWithin } = config;
  if (workspaceWithin === undefined || isWithin(workspaceWithin, real)) return real;
  throw new UsageError(
    `Did not use the workspace "${config.workspace}": it is a symlink to "${real}", outside the project that configures it. Set it with \`--workspace DIR\`.`,
  );
}

/** The option for a suggested command line, with a space before it. */
export function dialectArgument(dialect: string): string {
  return dialect === DEFAULT_DIALECT ? "" : ` --dialect ${dialect}`;
}

/** A sentence with a space after it if a file disables this tool or the targets are not such that it is there, else nothing. */
export function disabledNote(tool: string, dialect: Dialect, disabled: Settings["disabled"]): string {
  const own = Object.keys(dialect.tools).find((name) => dialect.tools[name]?.name === tool);
  const file = own === undefined ? undefined : disabled[own];
  if (file === undefined && own !== undefined && needsTerminal(own))
    return `"${tool}" needs a target with a terminal: add +tmux to it, such as \`--on local+tmux\`. `;
  if (file === undefined && own !== undefined && needsSeveralTargets(own))
    return `"${tool}" needs several targets: add one, such as \`--on local --on ssh:host\`. `;
  if (file === undefined && own !== undefined && needsDatabase(own) && sqliteSupport() === undefined)
    return `"${tool}" needs a database: ${NO_SQLITE}. `;
  return file === undefined ? "" : `"${own}" is disabled in ${file}. `;
}

/** The files that disable tools. For each tool the last file that sets it counts. */
export function disabledBy({ settled, layers }: LoadedConfig): Readonly<Record<string, string>> {
  const off = Object.keys(settled.tools).filter((name) => settled.tools[name] === false);
  const isOff = ({ tools, policy }: ConfigLayer["config"], name: string) =>
    tools?.[name] === false || policy?.excluded?.includes(name) === true;
  const ruleOf = (name: string) => settled.policy.rules.find(({ effect, tool }) => effect === "deny" && tool === name);
  const files = off.map((name) => {
    const layer = layers.findLast(({ config }) => isOff(config, name));
    return [name, layer?.path ?? ruleOf(name)?.source?.file];
  });
  return Object.fromEntries(files);
}

/**
 * The targets of `--on`, else of the configuration, else this machine. An option that is the name of a configured target is that
 * target with its settings. The workspace of a target of this machine is checked, and
 * followed to its real path.
 *
 * @param level - No target has a looser level of its own.
 * @throws UsageError that names the option, or the file and the target.
 */
export function targetsOf(
  options: readonly string[],
  { settled, layers }: LoadedConfig,
  level?: Autonomy | undefined,
): Targets {
  const names = (on: SettledConfig["on"]) => JSON.stringify(on?.map(labelOf));
  const file = layers.findLast(({ config: { on } }) => on !== undefined && names(on) === names(settled.on))?.path;
  const configured = namedIn(settled);
  const targets = options.length > 0 ? chosenOf(options, settled) : (settled.on ?? []);
  const chooseFrom = (one: string | ChosenTarget): ChosenTarget => {
    const source = (name: string) => (options.length > 0 ? `--on ${name}` : `"on" in ${file}: ${JSON.stringify(name)}`);
    return namingSource(source(labelOf(one)), () => {
      const checked = checkedTarget(one, options.length > 0 ? { configured } : {});
      const { workspace, autonomy } = checked;
      const strictest = autonomy === undefined ? undefined : strictestLevel(autonomy, level);
      const target = strictest === undefined ? checked : { ...checked, autonomy: strictest };
      if (workspace === undefined || !hasSharedWorkspace(target.target)) return target;
      return { ...target, workspace: workspaceOf(workspace, "Use a project directory.") };
    });
  };
  const [first = "local", ...others] = targets;
  const chosen: Targets = [chooseFrom(first), ...others.map(chooseFrom)];
  namingSource(options.length > 0 ? "--on" : `"on" in ${file}`, () => requireDistinctNames(chosen));
  return chosen;
}

/** As its user wrote it, or by its name. */
const labelOf = (one: string | ChosenTarget): string => (typeof one === "string" ? one : nameOf(one));

/** Those that an option can choose by name: the objects, and "NAME=TARGET". */
function namedIn({ on = [] }: SettledConfig): readonly ChosenTarget[] {
  return on.map(parseTarget).filter(({ name }, index) => name !== undefined || typeof on[index] !== "string");
}

/** What the options stand for: targets, names of configured ones, and "+tmux" for the configured ones with a terminal on the first. */
function chosenOf(options: readonly string[], settled: SettledConfig): readonly (string | ChosenTarget)[] {
  const configured = namedIn(settled);
  const chosen = options.map((option) => configured.find((one) => nameOf(one) === option) ?? option);
  const [suffix = ""] = options;
  if (!suffix.startsWith("+tmux")) return chosen;
  const [given = "local", ...others] = settled.on ?? [];
  const first = parseTarget(given);
  return [{ ...first, target: withTerminal(first.target, suffix) }, ...others, ...chosen.slice(1)];
}

/** What the configuration says of the terminal counts where the option does not say it: its session, and the shell of commands. */
function withTerminal(configured: string, suffix: string): string {
  const { target, terminal } = splitTerminal(configured);
  if (suffix === "+tmux" && terminal !== undefined) return configured;
  const shell = terminal?.shell === "pane" && !suffix.includes(",shell=") ? ",shell=pane" : "";
  return `${target}${suffix}${shell}`;
}

/** Their names. None is opened. @throws UsageError for a target that cannot be used. */
export function requireTargets(
  options: readonly string[],
  { settled }: Pick<LoadedConfig, "settled">,
): readonly string[] {
  const configured = namedIn(settled);
  const chosen = chosenOf(options, settled).map((one) =>
    namingSource(`--on ${labelOf(one)}`, () => checkedTarget(one, { configured })),
  );
  namingSource("--on", () => requireDistinctNames(chosen));
  return chosen.map(nameOf);
}

function namingSource<T>(source: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!HaftError.is(error) && !(error instanceof UsageError)) throw error;
    // A name with a newline in it would begin a line of its own.
    throw new UsageError(showControls(`${source}: ${error.message}`));
  }
}

/** Skips variables that are not set: a configuration is used on many machines. */
function variablesThatAreSet(names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** @throws UsageError for a variable that is not set, so that a misspelled name is noticed. */
function environmentOf(names: readonly string[]): Readonly<Record<string, string>> {
  const found = names.map((name): [string, string] => {
    const value = process.env[name];
    if (value === undefined)
      throw new UsageError(`--env ${name}: the variable is not set. Set it, or remove the option.`);
    return [name, value];
  });
  return Object.fromEntries(found);
}

const ANOTHER_WORKSPACE = "Start in a project directory, or pass `--workspace DIR`.";

/**
 * The real path of the workspace.
 *
 * @param next - What to do where the directory is one that may not be a workspace.
 * @throws UsageError if it is not a directory or may not be a workspace.
 */
export function workspaceOf(asked: string | undefined, next = ANOTHER_WORKSPACE): string {
  const path = asked === undefined ? process.cwd() : resolve(asked);
  let real: string;
  try {
    real = realpathSync.native(path);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isAbsent ? "no such directory" : messageOf(error);
    throw new UsageError(`Did not find the workspace "${asked ?? path}": ${why}. Give an existing directory.`);
  }
  if (!statSync(real).isDirectory())
    throw new UsageError(`The workspace "${asked ?? path}" is not a directory. Give an existing directory.`);
  const kind = notAWorkspace(real, homeDirectory());
  if (kind !== undefined) throw new UsageError(`Did not take "${real}" as the workspace: it is ${kind}. ${next}`);
  return real;
}

/** The tools of `--collection`. @throws UsageError that lists the collections. */
export function toolsOf(registry: ToolRegistry, collection: string): readonly DefinedTool[] {
  const names = registry.collectionNames();
  if (names.includes(collection)) return registry.membersOf(collection);
  if (OF_DATABASE.includes(collection) && sqliteSupport() === undefined)
    throw new UsageError(`The tools of "${collection}" need a database: ${NO_SQLITE}.`);
  throw new UsageError(`There is no collection "${collection}". Use one of ${names.join(", ")}.`);
}

/** Collections whose tools all need a database. */
const OF_DATABASE: readonly string[] = ["memory", "schedules"];

/** The defaults of options of `haft serve`, which a printed command omits. */
const SERVE_DEFAULTS: Readonly<Record<string, string>> = { autonomy: DEFAULT_AUTONOMY, collection: "all" };

/** Options of `haft serve` that change what is served. */
export interface StdioServerOptions extends Partial<CommonOptions> {
  readonly collection?: string;
  /** False: it runs no schedules. */
  readonly schedules?: boolean;
}

/**
 * How an MCP client starts Haft over stdio. All paths are absolute: a client seldom starts servers with the PATH and the working
 * directory of a terminal.
 *
 * @param workspace - Undefined: the client's roots decide.
 */
export function stdioServerCommand(workspace: string | undefined, options: StdioServerOptions = {}): StartCommand {
  const {
    config,
    state,
    store,
    schedules,
    env = [],
    on = [],
    allow = [],
    dialect,
    autonomy,
    gate,
    collection,
  } = options;
  const args = [haftCommand(), "serve", "--stdio"];
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== SERVE_DEFAULTS[name]) args.push(`--${name}`, value);
  };
  add("workspace", workspace);
  if (config === false) args.push("--no-config");
  else add("config", config && resolve(config));
  add("state", state && stateDirOf(state));
  add("store", store);
  if (schedules === false) args.push("--no-schedules");
  for (const target of on) add("on", target);
  for (const [name, value] of Object.entries({ dialect, autonomy, gate, collection })) add(name, value);
  for (const name of env) add("env", name);
  for (const rule of allow) add("allow", rule);
  return { command: process.execPath, args };
}
