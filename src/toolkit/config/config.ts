/** What a configuration file says once it was checked against `configSchema`. Everything may be absent. */
import type { Autonomy, PolicyRule } from "../../policy/index.js";
import type { BuiltinToolName, Gate, SearchProviderName } from "../../tools/index.js";
import type { ChosenTarget } from "../chosen-target.js";
import type { SandboxSettings } from "../sandbox-settings.js";

/** A program that speaks MCP over its standard input and output. */
export interface ProgramServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** Laid over the few variables that the program gets anyway. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute, once the layers are settled. Default: the workspace. */
  readonly cwd?: string;
  /** Milliseconds for a call without progress. Default 120,000. */
  readonly timeoutMs?: number;
}

/** An MCP server that listens at an address. */
export interface AddressServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for a call without progress. Default 120,000. */
  readonly timeoutMs?: number;
}

/** An MCP server whose tools are offered too. */
export type ServerConfig = ProgramServer | AddressServer;

/** What may be set of one built-in tool. */
export interface ToolSetting {
  /** Only for tools that ask for a read before they change a file. */
  readonly gate?: Gate;
}

/** Tool, by Haft's own name or as `server__tool` → whether it is offered, or how. */
export type ToolSettings = Readonly<Record<string, boolean | ToolSetting>> & {
  readonly [Name in BuiltinToolName]?: boolean | ToolSetting;
};

/** The keys of a project's file that only a user may decide, unless the user's own file trusts the project with them. */
export type TrustedKey =
  | "artifacts"
  | "autonomy"
  | "dialect"
  | "env"
  | "on"
  | "policy"
  | "sandbox"
  | "servers"
  | "state"
  | "store"
  | "tools"
  | "web"
  | "workspace";

/** Beyond the level of autonomy. */
export interface PolicyConfig {
  /** Rules, or their texts: "allow npm test". */
  readonly rules?: readonly (string | PolicyRule)[];
  readonly roots?: readonly { readonly path: string; readonly access?: "read" | "write" }[];
  /** Names of files that hold secrets, beside the usual ones. */
  readonly sensitive?: readonly string[];
  /** Paths that no call may touch. */
  readonly forbidden?: readonly string[];
  readonly autoApprove?: readonly string[];
  readonly alwaysAsk?: readonly string[];
  readonly excluded?: readonly string[];
}

/** What calls may reach of the web. */
export interface WebConfig {
  readonly privateHosts?: readonly string[];
  readonly allowedHosts?: readonly string[];
  readonly blockedHosts?: readonly string[];
  readonly proxy?: "trusted";
  /** A file of certificates. Absolute, once the layers are settled. */
  readonly ca?: string;
  readonly fence?: boolean;
  /** `env` is the name of the environment variable that has the key of the provider. */
  readonly search?: { readonly provider?: SearchProviderName; readonly url?: string; readonly env?: string };
  readonly secrets?: Readonly<Record<string, WebSecretConfig>>;
}

/** A secret that requests may carry: the name of an environment variable, and the hosts that may have its value. */
export interface WebSecretConfig {
  readonly env: string;
  readonly hosts: readonly string[];
  /** Default "Authorization". */
  readonly header?: string;
  /** Default "Bearer ". */
  readonly prefix?: string;
}

/** What the user trusts a project with; "policy sha256:…" only as long as its file has this digest. */
export type Trusted = TrustedKey | `policy sha256:${string}`;

/** One file. */
export interface Config {
  readonly $schema?: string;
  readonly dialect?: string;
  readonly workspace?: string;
  readonly state?: string;
  /** The URL of a database, in which `${NAME}` stands for an environment variable. */
  readonly store?: string;
  readonly autonomy?: Autonomy;
  readonly policy?: PolicyConfig;
  readonly env?: readonly string[];
  /** The default first. */
  readonly on?: readonly (string | ChosenTarget)[];
  readonly tools?: ToolSettings;
  readonly web?: WebConfig;
  readonly sandbox?: SandboxSettings;
  readonly artifacts?: { readonly quotaMiB?: number };
  readonly serve?: { readonly port?: number; readonly host?: string; readonly facts?: boolean };
  /** `false` takes back the server of that name of a lower layer. */
  readonly servers?: Readonly<Record<string, false | ServerConfig>>;
  /** Directory of a project → what its own file may decide. */
  readonly trust?: Readonly<Record<string, readonly Trusted[]>>;
}

/** One configuration file, checked. */
export interface ConfigLayer {
  /** `user`: their own file, or one that they named on the command line. `project`: what lies in the workspace. */
  readonly by: "user" | "project";
  /** Absolute. */
  readonly path: string;
  /** Absolute, without symlinks; what its relative paths count from. */
  readonly directory: string;
  readonly config: Config;
  /** The digest of the text of the file, in hexadecimal. */
  readonly sha256?: string;
}
