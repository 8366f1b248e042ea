/** Lays configuration files over each other: what a user decides, what a project may decide, and what came of it. */
import type { Autonomy } from "../../policy/index.js";
import { normalizePath, resolvePath } from "../../text/index.js";
import { builtinToolNames } from "../builtin-registry.js";
import type { ChosenTarget } from "../chosen-target.js";
import type { SandboxSettings } from "../sandbox-settings.js";
import type { Config, ConfigLayer, ServerConfig, ToolSettings, Trusted, WebConfig } from "./config.js";
import { type Gates, withGates } from "./dialect-gates.js";
import { NO_POLICY, type SettledPolicy, withPolicy } from "./policy-config.js";
import { projectPart } from "./project-part.js";
import { withWeb } from "./web-config.js";

interface SettleOptions {
  /** The home directory of the user, for `~/`. */
  readonly home: string;
  /** The path of the user's own file, whether or not it exists; named in the message about an untrusted project. */
  readonly userConfigPath: string;
  /** The dialect of the command line, in whose place no file puts another. Default: the files decide. */
  readonly dialect?: string | undefined;
  /** Gates that hold where nothing is set for a tool, beside those that come of the files. Default none. */
  readonly gateFloor?: Gates | undefined;
  /** Follows the symlinks of a trusted directory; layers name theirs without symlinks. Default: as it is spelled. */
  realPath?(path: string): string;
}

/** What the layers say together. Paths are absolute. */
export interface SettledConfig {
  readonly dialect?: string;
  readonly workspace?: string;
  /** Set where a project named its workspace: the directory that it must lie in once symlinks are followed. */
  readonly workspaceWithin?: string;
  readonly stateDir?: string;
  /** As it is written. */
  readonly store?: string;
  readonly autonomy?: Autonomy;
  readonly policy: SettledPolicy;
  readonly on?: NonNullable<Config["on"]>;
  readonly env: readonly string[];
  /** With the gates of `gateFloor`. */
  readonly tools: ToolSettings;
  /** The user's gates, where a project chose a dialect that asks for fewer reads: they go with that dialect wherever it is spoken. */
  readonly gateFloor: Gates;
  readonly web: WebConfig;
  /** Of the target "sandbox". */
  readonly sandbox?: SandboxSettings;
  readonly quotaMiB?: number;
  readonly serve: { readonly port?: number; readonly host?: string; readonly facts?: boolean };
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** What of a project's file is not followed, and how to allow it; a sentence each. */
  readonly ignored: readonly string[];
}

/**
 * Merges the layers from the lowest to the highest; a later one wins. Lists of variables are concatenated, tools and servers
 * merged by name, policies added up. A project's file cannot extend its own permissions: what its `policy` allows, `artifacts`, `autonomy`, `env`, `on`, `sandbox`, `servers`, `state` and `store`, what its `web` opens,
 * a `workspace` outside its directory, a tool that the user disabled and a looser gate (also one implied by a dialect) are
 * ignored and reported, unless `trust` in a user's layer names the project's directory and the key.
 */
export async function settleConfig(layers: readonly ConfigLayer[], options: SettleOptions): Promise<SettledConfig> {
  const { home, userConfigPath, gateFloor = {} } = options;
  const trust = trustedBy(layers, options);
  const ignored: string[] = [];
  let settled: MergedLayers = { policy: NO_POLICY, env: [], tools: {}, gateFloor, web: {}, serve: {}, servers: {} };
  for (const layer of layers) {
    const { tools, dialect } = settled;
    const about = { home, userConfigPath, tools, dialect, isDialectGiven: options.dialect !== undefined };
    const part =
      layer.by === "project" ? await projectPart(layer, { ...about, trusted: trust(layer.directory) }) : undefined;
    const { config } = part ?? layer;
    ignored.push(...(part?.ignored ?? []));
    settled = mergeOver(settled, config, layer.directory, home);
    if (config.web !== undefined)
      settled = {
        ...settled,
        web: withWeb(settled.web, config.web, { by: layer.by, directory: layer.directory, home }),
      };
    if (config.policy !== undefined) {
      const source = { by: layer.by, file: layer.path };
      const policy = await withPolicy(settled.policy, config.policy, { source, directory: layer.directory, home });
      const off = [...(config.policy.excluded ?? []), ...(await deniedTools(policy.rules))];
      const tools = { ...settled.tools, ...Object.fromEntries(off.map((tool) => [tool, false])) };
      settled = { ...settled, policy, tools };
    }
    if (part !== undefined) settled = { ...settled, gateFloor: { ...settled.gateFloor, ...part.gateFloor } };
    else if (config.dialect !== undefined) settled = { ...settled, gateFloor };
    const isConfined = part !== undefined && config.workspace !== undefined;
    if (isConfined && !trust(layer.directory).includes("workspace"))
      settled = { ...settled, workspaceWithin: layer.directory };
  }
  return Object.freeze({ ...settled, tools: withGates(settled.tools, settled.gateFloor), ignored });
}

/** A tool that is denied as a whole is not offered either. */
async function deniedTools(rules: SettledPolicy["rules"]): Promise<readonly string[]> {
  const { compileRules, deniesTool } = await import("../../policy/rules/index.js");
  const denied = rules.filter(({ effect, tool }) => effect === "deny" && tool !== undefined);
  const compiled = compileRules(denied);
  const named = denied.flatMap(({ tool = "" }) => (tool.includes("*") ? [] : [tool]));
  return [...new Set([...builtinToolNames.filter((name) => deniesTool(compiled, name)), ...named])];
}

type MergedLayers = Omit<SettledConfig, "ignored">;

function trustedBy(
  layers: readonly ConfigLayer[],
  { home, realPath = (path) => path }: SettleOptions,
): (directory: string) => readonly Trusted[] {
  const entries = layers
    .filter((layer) => layer.by === "user")
    .flatMap(({ config, directory }) =>
      Object.entries(config.trust ?? {}).map(
        ([at, keys]) => [realPath(resolvePath(directory, at, home)), keys] as const,
      ),
    );
  return (directory) => entries.filter(([at]) => at === normalizePath(directory)).flatMap(([, keys]) => keys);
}

function mergeOver(under: MergedLayers, over: Config, directory: string, home: string): MergedLayers {
  const {
    dialect,
    workspace,
    state,
    store,
    autonomy,
    on,
    env = [],
    tools = {},
    artifacts,
    serve = {},
    servers = {},
  } = over;
  const { sandbox } = over;
  return {
    ...under,
    ...(dialect === undefined ? {} : { dialect }),
    ...(workspace === undefined ? {} : { workspace: resolvePath(directory, workspace, home) }),
    ...(state === undefined ? {} : { stateDir: resolvePath(directory, state, home) }),
    ...(store === undefined ? {} : { store }),
    ...(autonomy === undefined ? {} : { autonomy }),
    ...(on === undefined ? {} : { on: on.map((one) => settledTarget(one, directory, home)) }),
    ...(sandbox === undefined ? {} : { sandbox: withSandbox(under.sandbox, sandbox, directory, home) }),
    ...(artifacts?.quotaMiB === undefined ? {} : { quotaMiB: artifacts.quotaMiB }),
    env: [...new Set([...under.env, ...env])],
    tools: { ...under.tools, ...tools },
    serve: { ...under.serve, ...serve },
    servers: mergeServers(under.servers, servers, directory, home),
  };
}

function settledTarget(one: string | ChosenTarget, directory: string, home: string): string | ChosenTarget {
  if (typeof one === "string" || one.ssh?.config === undefined) return one;
  return { ...one, ssh: { ...one.ssh, config: resolvePath(directory, one.ssh.config, home) } };
}

function withSandbox(
  under: SandboxSettings = {},
  over: SandboxSettings,
  directory: string,
  home: string,
): SandboxSettings {
  const paths = (some: readonly string[] = []) => some.map((path) => resolvePath(directory, path, home));
  return {
    hosts: [...(under.hosts ?? []), ...(over.hosts ?? [])],
    writable: [...(under.writable ?? []), ...paths(over.writable)],
    readable: [...(under.readable ?? []), ...paths(over.readable)],
  };
}

function mergeServers(
  under: SettledConfig["servers"],
  over: NonNullable<Config["servers"]>,
  directory: string,
  home: string,
): SettledConfig["servers"] {
  const taken = Object.entries(under).filter(([name]) => !Object.hasOwn(over, name));
  const added = Object.entries(over).flatMap(([name, server]): [string, ServerConfig][] => {
    if (server === false) return [];
    const hasDirectory = "command" in server && server.cwd !== undefined;
    return [[name, hasDirectory ? { ...server, cwd: resolvePath(directory, server.cwd, home) } : server]];
  });
  return Object.fromEntries([...taken, ...added]);
}
