/** Lays configuration files over each other: what a person decides, what a project may decide, and what came of it. */
import { normalizePath, resolvePath } from "../../text/index.js";
import type { Config, ServerConfig, ToolSettings, TrustedKey } from "./config.js";
import type { ConfigLayer } from "./config-layer.js";
import { projectPart } from "./project-part.js";

export interface SettleOptions {
  /** The home folder of the person, for `~/`. */
  readonly home: string;
  /** Where the person's own file is or would be; it is told to whoever has to trust a project. */
  readonly personPath: string;
  /** Follows the links of a trusted folder; layers name theirs without links. Default: as it is spelled. */
  realPath?(path: string): string;
}

/** What the layers say together. Paths are absolute. */
export interface SettledConfig {
  readonly dialect?: string;
  readonly workspace?: string;
  /** Set where a project named its workspace: the folder that it must lie in once links are followed. */
  readonly workspaceWithin?: string;
  readonly stateDir?: string;
  readonly autonomy?: "full";
  readonly env: readonly string[];
  readonly tools: ToolSettings;
  readonly quotaMiB?: number;
  readonly serve: { readonly port?: number; readonly host?: string };
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** What of a project's file is not followed, and how to allow it; a sentence each. */
  readonly ignored: readonly string[];
}

/**
 * The layers from the lowest to the highest: a later one wins. Lists of variables add up, tools and servers are laid over
 * each other by name. A project's file never widens what it may do by itself: `artifacts`, `autonomy`, `env`, `servers`
 * and `state`, a `workspace` outside its own folder, a tool that the person switched off and a looser gate are left out and
 * told, unless `trust` in a person's layer names the folder of the project and the key.
 */
export function settleConfig(layers: readonly ConfigLayer[], options: SettleOptions): SettledConfig {
  const trust = trustedBy(layers, options);
  const ignored: string[] = [];
  let settled: Omit<SettledConfig, "ignored"> = { env: [], tools: {}, serve: {}, servers: {} };
  for (const layer of layers) {
    const { config, ignored: more } =
      layer.by === "person"
        ? { config: layer.config, ignored: [] }
        : projectPart(layer, { ...options, tools: settled.tools, trusted: trust(layer.folder) });
    ignored.push(...more);
    settled = laidOver(settled, config, layer.folder, options.home);
    const isConfined =
      layer.by === "project" && config.workspace !== undefined && !trust(layer.folder).includes("workspace");
    if (isConfined) settled = { ...settled, workspaceWithin: layer.folder };
  }
  return Object.freeze({ ...settled, ignored });
}

function trustedBy(
  layers: readonly ConfigLayer[],
  { home, realPath = (path) => path }: SettleOptions,
): (folder: string) => readonly TrustedKey[] {
  const entries = layers
    .filter((layer) => layer.by === "person")
    .flatMap(({ config, folder }) =>
      Object.entries(config.trust ?? {}).map(([at, keys]) => [realPath(resolvePath(folder, at, home)), keys] as const),
    );
  return (folder) => entries.filter(([at]) => at === normalizePath(folder)).flatMap(([, keys]) => keys);
}

function laidOver(
  under: Omit<SettledConfig, "ignored">,
  over: Config,
  folder: string,
  home: string,
): Omit<SettledConfig, "ignored"> {
  const { dialect, workspace, state, autonomy, env = [], tools = {}, artifacts, serve = {}, servers = {} } = over;
  return {
    ...under,
    ...(dialect === undefined ? {} : { dialect }),
    ...(workspace === undefined ? {} : { workspace: resolvePath(folder, workspace, home) }),
    ...(state === undefined ? {} : { stateDir: resolvePath(folder, state, home) }),
    ...(autonomy === undefined ? {} : { autonomy }),
    ...(artifacts?.quotaMiB === undefined ? {} : { quotaMiB: artifacts.quotaMiB }),
    env: [...new Set([...under.env, ...env])],
    tools: { ...under.tools, ...tools },
    serve: { ...under.serve, ...serve },
    servers: serversOver(under.servers, servers, folder, home),
  };
}

function serversOver(
  under: SettledConfig["servers"],
  over: NonNullable<Config["servers"]>,
  folder: string,
  home: string,
): SettledConfig["servers"] {
  const taken = Object.entries(under).filter(([name]) => !Object.hasOwn(over, name));
  const added = Object.entries(over).flatMap(([name, server]): [string, ServerConfig][] => {
    if (server === false) return [];
    const hasFolder = "command" in server && server.cwd !== undefined;
    return [[name, hasFolder ? { ...server, cwd: resolvePath(folder, server.cwd, home) } : server]];
  });
  return Object.fromEntries([...taken, ...added]);
}
