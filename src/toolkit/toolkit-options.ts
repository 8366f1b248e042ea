/** What a toolkit is made with. */

import type {
  Approver,
  Backend,
  DefinedTool,
  Dialect,
  Embed,
  Faults,
  Framework,
  Hooks,
  OutputBudget,
  Policy,
  RateLimit,
  Redactor,
  State,
} from "../kernel/index.js";
import type { Autonomy, NamedSecret, PolicyRoot, PolicyRule, SlidingWindowOptions } from "../policy/index.js";
import type { Gate } from "../tools/index.js";
import type { ChosenTarget } from "./chosen-target.js";
import type { ToolSettings } from "./config/config.js";
import type { DialectName } from "./dialect-named.js";
import type { SandboxSettings } from "./sandbox-settings.js";
import type { TargetSchemes } from "./target-schemes.js";
import type { WebOptions } from "./web-options.js";

/** A limit in the time of the toolkit. */
export type RateOptions = Omit<SlidingWindowOptions, "now">;

/** What a toolkit is made of; each part has a default. */
export interface ToolkitOptions {
  /**
   * Absolute; where relative paths start and what ignore rules count from, on the default target and on this machine. Default: the
   * current directory, or the backend's own. A target in `on` may have its own.
   */
  readonly workspace?: string;
  /** Where state is stored. Default: `HAFT_STATE`, else `$XDG_STATE_HOME/haft`, else `~/.local/state/haft`. */
  readonly stateDir?: string;
  /** False keeps audit, locks, artifacts and sessions in this process only. Default true. */
  readonly persist?: boolean;
  /**
   * Where documents, sessions and approvals are stored: `openMemoryState`, `openFileState`, or a store of your own that `stateSuite`
   * of `haft/testing` proves. It is not closed here. Audit log, artifacts and locks stay in the state directory, or in this process.
   * Default: the state directory; with `persist: false`, this process.
   */
  readonly state?: State;
  /**
   * In place of `state`: the URL of a PostgreSQL database that several hosts share, as for `openPostgresState`. It is opened and
   * closed with the toolkit, and its password is not shown.
   */
  readonly store?: string;
  /** Maximum bytes of the artifacts of one session on disk; the oldest are evicted. Default 256 MiB. */
  readonly artifactQuotaBytes?: number;
  /**
   * The target or targets that calls work on, the default first: "posix:dash", "posix:dash=/srv/app",
   * "api=posix:dash=/srv/api" or `{ name: "api", target: "posix:dash", workspace: "/srv/api" }`. A call chooses by name. Each is
   * opened by its first call. Default "local".
   */
  readonly on?: string | ChosenTarget | readonly (string | ChosenTarget)[];
  /** What commands on the target "sandbox" reach: hosts, and files beside the workspace. Default: nothing. */
  readonly sandbox?: SandboxSettings;
  /** Schemes of targets beside the built-in ones, by name: `{ box: { open: ({ address }) => backend } }` opens "box:ADDRESS". */
  readonly schemes?: TargetSchemes;
  /** Ready backends by the name that `on` uses for them; they are not closed here. */
  readonly backends?: Readonly<Record<string, Backend>>;
  /** A dialect or its name. Default `haftDialect`. */
  readonly dialect?: Dialect | DialectName | (string & {});
  /** Tools of the host, in `box()` beside the built-in ones; one with the name of a built-in tool replaces it. */
  readonly tools?: readonly DefinedTool[];
  /** Decides alone, and finds `autonomy` in each call. Default: as `autonomy`, `rules`, `roots`, `sensitive` and the hosts of `web` say. */
  readonly policy?: Policy;
  /**
   * How much happens without asking. "readonly": reads and commands that only read; "supervised": also writes of files in the
   * workspace; "full": whatever a call claims, but for the deletion of a whole root and changes of Haft's own configuration. Default "supervised".
   */
  readonly autonomy?: Autonomy;
  /** What is allowed, asked about or denied besides: "allow npm test", "deny path:infra/**", or objects. */
  readonly rules?: readonly (PolicyRule | string)[];
  /** Directories beside the workspace that calls may use; absolute. */
  readonly roots?: readonly PolicyRoot[];
  /** Names of files that hold secrets, beside the usual ones; `*` stands for any characters. */
  readonly sensitive?: readonly string[];
  /** How a user allows what some rules would allow, as a sentence. Default: by `rules`. */
  howToAllow?(rules: readonly string[]): string;
  /** Default: none, and "ask" is a denial. */
  readonly approver?: Approver;
  /** Milliseconds that the approver has. Default 120,000. */
  readonly approvalTimeoutMs?: number;
  /** The name of the conversation that `box` works in. Default: each box has one of its own, without a name. */
  readonly session?: string;
  /** When `write` and `edit` require that the file was read before. Default: as in the dialect. */
  readonly gate?: Gate;
  /** Milliseconds after which a command that still runs continues as a job and its call ends, in the dialects whose `bash` may. Default: it is waited for. */
  readonly yieldMs?: number;
  /** Built-in tools by Haft's own names: `false` switches one off, so that it is neither shown nor known. Default: all on. */
  readonly toolSettings?: ToolSettings;
  /** What commands find in their environment beside the usual few variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default `standardBudget()`: both ends of 64 KiB. */
  readonly budget?: OutputBudget;
  /** The bag of host handles that contexts carry. Default empty. */
  readonly framework?: Framework;
  readonly hooks?: Hooks;
  /**
   * How often each session may call tools that can change something, `bash` among them: `{ actions: 20, attempts: 60, windowMs: 3_600_000 }`,
   * or a limit of your own. Default: no limit.
   */
  readonly rate?: RateLimit | RateOptions;
  /** Replaces secrets in all that is shown. Default: `secretRedactor`, with the secret variables of `env` and with `secrets`. `false`: nothing is replaced. */
  readonly redactor?: Redactor | false;
  /** Values that are not shown, of at least 8 characters each, beside those of variables in `env` that are named as secrets. */
  readonly secrets?: readonly (string | NamedSecret)[];
  /** What calls may reach of the web, and how: hosts, proxy, certificates, search, and secrets that requests may carry. */
  readonly web?: WebOptions;
  /**
   * Makes embeddings, by which notes are also found that share no word with a search: one list of numbers for each text, all of
   * one length. It gets notes and searches without their secrets, and has 10 seconds; where it fails, words alone decide.
   */
  readonly embed?: Embed;
  /** Attributes uncaught errors to the call that caused them. Default: by asynchronous context, listening only while calls run. */
  readonly faults?: Faults;
}

/** Every option; the compiler asks for one that is missing here. */
export const TOOLKIT_OPTIONS: Readonly<Record<keyof ToolkitOptions, true>> = {
  workspace: true,
  stateDir: true,
  persist: true,
  state: true,
  store: true,
  artifactQuotaBytes: true,
  on: true,
  sandbox: true,
  schemes: true,
  backends: true,
  dialect: true,
  tools: true,
  policy: true,
  autonomy: true,
  rules: true,
  roots: true,
  sensitive: true,
  howToAllow: true,
  approver: true,
  approvalTimeoutMs: true,
  session: true,
  gate: true,
  yieldMs: true,
  toolSettings: true,
  env: true,
  budget: true,
  framework: true,
  hooks: true,
  rate: true,
  redactor: true,
  secrets: true,
  web: true,
  embed: true,
  faults: true,
};
