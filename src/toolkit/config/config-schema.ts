/** What a configuration file may say: one JSON Schema, which the checker, editors and the reference table share. */
import { AUTONOMY_LEVELS, AUTONOMY_TEXT, HOST_PATTERN } from "../../policy/index.js";
import { builtinTools, GATES } from "../../tools/index.js";
import { hasGate } from "../builtin-registry.js";
import { DIALECT_NAMES } from "../dialect-named.js";
import type { TrustedKey } from "./config.js";
import type { ConfigSchema } from "./schema-keywords.js";
import { targetSchema } from "./target-schema.js";
import { WEB_SCHEMA } from "./web-schema.js";

/** Keys that a project's own file decides only where the user trusts it with them. */
export const TRUSTED_KEYS: readonly TrustedKey[] = Object.freeze([
  "artifacts",
  "autonomy",
  "dialect",
  "env",
  "on",
  "policy",
  "sandbox",
  "servers",
  "state",
  "store",
  "tools",
  "web",
  "workspace",
]);

const TEXT = { type: "string", minLength: 1 } as const;
const VARIABLES = {
  type: "object",
  title: "an object of names and texts",
  patternProperties: { "^[A-Za-z_][A-Za-z0-9_]*$": { type: "string" } },
  additionalProperties: false,
} as const;

/** What every call works with. */
const CALL_SETTINGS: Readonly<Record<string, ConfigSchema>> = {
  dialect: {
    enum: DIALECT_NAMES,
    default: "haft",
    description:
      "Tool names, limits and texts that the model sees. If a project's file sets a dialect with looser gates than yours, your gates apply.",
  },
  workspace: {
    ...TEXT,
    title: "a path",
    description:
      "The working directory. Default: the current directory. Relative to this file; `~/` is your home directory. A project's file can only set a directory inside its own.",
  },
  state: {
    ...TEXT,
    title: "a path",
    description:
      "The state directory: sessions, audit log, artifacts and locks. Default: `$XDG_STATE_HOME/haft`. Relative to this file.",
  },
  store: {
    type: "string",
    title: "the URL of a PostgreSQL database, or an environment variable that has it",
    pattern: "^(postgres(ql)?://.|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$)",
    description:
      "A PostgreSQL database for what several hosts share: sessions, approvals, memory and schedules. `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; `$" +
      "{NAME}` stands for an environment variable. Default: none, and they are in the state directory.",
  },
  autonomy: {
    enum: [...AUTONOMY_LEVELS],
    default: "supervised",
    description: `What runs without confirmation. ${AUTONOMY_TEXT}`,
  },
  on: {
    type: "array",
    uniqueItems: true,
    items: { title: 'a target such as "posix:dash" or an object with `target`', anyOf: [TEXT, targetSchema()] },
    default: ["local"],
    description:
      'Where calls run, the default first: "local", "sandbox", "posix:dash", with a workspace of its own "posix:dash=/srv/app", with a name "api=posix:dash=/srv/api", or an object of these parts. A call chooses by name with `on`.',
  },
  env: {
    type: "array",
    uniqueItems: true,
    items: { type: "string", title: "the name of an environment variable", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
    default: [],
    description:
      "Additional environment variables for commands. Names only: the values come from Haft's own environment; unset ones are skipped.",
  },
};

const ARTIFACTS: ConfigSchema = {
  type: "object",
  description: "Stored outputs that were too long for an answer.",
  properties: {
    quotaMiB: {
      type: "integer",
      minimum: 1,
      maximum: 1_048_576,
      default: 256,
      description: "The limit for one session, in MiB; above it the oldest artifacts are deleted.",
    },
  },
  additionalProperties: false,
};

const SANDBOX: ConfigSchema = {
  type: "object",
  description: 'What commands on the target "sandbox" reach beside the workspace and the programs of the system.',
  properties: {
    hosts: {
      type: "array",
      uniqueItems: true,
      items: {
        type: "string",
        title: 'a host such as "packages.example.com" or "*.example.com"',
        pattern: HOST_PATTERN.source,
      },
      default: [],
      description:
        'Hosts that commands may connect to with HTTP and HTTPS: "packages.example.com", "*.example.com". Private hosts only by their exact name. Without any there is no network.',
    },
    writable: {
      type: "array",
      items: { ...TEXT, title: "a path" },
      default: [],
      description: "Directories that commands may change. Relative to this file; `~/` is your home directory.",
    },
    readable: {
      type: "array",
      items: { ...TEXT, title: "a path" },
      default: [],
      description: "Files and directories that commands may read. Relative to this file; `~/` is your home directory.",
    },
  },
  additionalProperties: false,
};

const SERVE: ConfigSchema = {
  type: "object",
  description: "Where `haft serve` listens, and what its results contain.",
  properties: {
    port: { type: "integer", minimum: 0, maximum: 65_535, default: 0, description: "0 selects a free port." },
    host: {
      enum: ["127.0.0.1", "::1", "localhost"],
      default: "127.0.0.1",
      description: "A loopback address; others are not supported.",
    },
    facts: {
      type: "boolean",
      default: false,
      description:
        "Whether every result has exit codes, hashes and similar in `_meta`. Some clients show that to the model. A client can also ask for them in each call.",
    },
  },
  additionalProperties: false,
};

const TRUST: ConfigSchema = {
  type: "object",
  description:
    "Project directories, and the keys that their own `haft.jsonc` may set. Read from your own file only. Anybody who can change a trusted project's file can set these keys.",
  patternProperties: {
    "^(/|~/)": {
      type: "array",
      uniqueItems: true,
      items: {
        anyOf: [
          { enum: TRUSTED_KEYS },
          {
            type: "string",
            title: '"policy sha256:…" as `haft policy trust` writes it',
            pattern: "^policy sha256:[0-9a-f]{64}$",
          },
        ],
      },
    },
  },
  additionalProperties: false,
};

const NAMES_OF_TOOLS = {
  type: "array",
  uniqueItems: true,
  items: { type: "string", title: "the name of a tool", pattern: "^\\S+$" },
} as const;

const POLICY: ConfigSchema = {
  type: "object",
  description:
    "What is allowed, asked about or denied beside `autonomy`. The files that apply are added up: a deny beats an ask, which beats an allow. In a project's file, what allows counts only after `haft policy trust`.",
  properties: {
    rules: {
      type: "array",
      description:
        "Rules as texts: `allow npm test`, `allow git status *`, `ask npm publish *`, `deny path:infra/**`, `allow read path:~/ref`, `allow host:*.example.com`, `ask tool:delete`; or as objects.",
      items: { title: 'a rule such as "allow npm test" or an object with `effect`', anyOf: [TEXT, rule()] },
    },
    roots: {
      type: "array",
      description: "Directories beside the workspace that calls may use.",
      items: {
        type: "object",
        title: "an object with `path`",
        properties: {
          path: { ...TEXT, title: "a path", description: "Relative to this file; `~/` is your home directory." },
          access: { enum: ["read", "write"], default: "write" },
        },
        required: ["path"],
        additionalProperties: false,
      },
    },
    sensitive: {
      type: "array",
      description: "Names of files that hold secrets, beside the usual ones; `*` stands for any characters.",
      items: { type: "string", title: "a name without a slash", pattern: "^[^/]+$" },
    },
    forbidden: {
      type: "array",
      description: "Paths that no call may touch, each with everything below it, as in `deny path:…`.",
      items: { ...TEXT, title: "a path" },
    },
    autoApprove: { ...NAMES_OF_TOOLS, description: "Tools whose calls are not asked about, as in `allow tool:…`." },
    alwaysAsk: { ...NAMES_OF_TOOLS, description: "Tools whose calls are asked about each time, as in `ask tool:…`." },
    excluded: {
      ...NAMES_OF_TOOLS,
      items: { ...NAMES_OF_TOOLS.items, pattern: "^[^\\s*]+$" },
      description: "Tools that are neither shown nor run, as with `false` in `tools`.",
    },
  },
  additionalProperties: false,
};

function rule(): ConfigSchema {
  return {
    type: "object",
    title: "an object with `effect`",
    properties: {
      effect: {
        enum: ["allow", "ask", "deny"],
        description: "What happens. A deny beats an ask, which beats an allow.",
      },
      command: { ...TEXT, description: "The words of a program; a `*` at the end stands for any further words." },
      path: {
        ...TEXT,
        description:
          "Relative to the workspace, absolute or `~/…`, with everything below it; `*`, `?` and `**` are wildcards.",
      },
      access: { enum: ["read", "write"], description: "Of a path. Default: read for an allow, everything for others." },
      host: { ...TEXT, description: "A host name, or `*.example.com` for all names below it." },
      tool: { ...TEXT, description: "A tool by Haft's own name or as `server__tool`; `*` is a wildcard." },
      match: { type: "array", items: TEXT, description: "Examples that it must match; checked at the start." },
      notMatch: { type: "array", items: TEXT, description: "Examples that it must not match." },
    },
    required: ["effect"],
    additionalProperties: false,
  };
}

/** The schema of `haft.jsonc`, in draft 7, which is what editors know best. */
export function configSchema(): ConfigSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Haft configuration",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string", description: "The location of this schema, for editors. Haft does not read it." },
      ...CALL_SETTINGS,
      tools: toolsSchema(),
      policy: POLICY,
      web: WEB_SCHEMA,
      sandbox: SANDBOX,
      artifacts: ARTIFACTS,
      serve: SERVE,
      servers: serversSchema(),
      trust: TRUST,
    },
  };
}

function toolsSchema(): ConfigSchema {
  const properties = builtinTools.map((tool): [string, ConfigSchema] => [
    tool.name,
    hasGate(tool)
      ? { title: "true, false or an object of options", anyOf: [{ type: "boolean" }, gateOptions()] }
      : { type: "boolean", default: true },
  ]);
  return {
    type: "object",
    description:
      "Tools by Haft's own names, in every dialect. A tool that is `false` is hidden from the model, and unknown when called.",
    properties: Object.fromEntries(properties),
    // The tools of other servers.
    patternProperties: { "^[a-z][a-z0-9_-]*__.": { type: "boolean" } },
    additionalProperties: false,
  };
}

function gateOptions(): ConfigSchema {
  return {
    type: "object",
    properties: {
      gate: {
        enum: GATES,
        description:
          "When a file must have been read before it is changed. write: before it is overwritten; on: also before an edit; off: never; handle: as tracked by the host. Default: set by the dialect.",
      },
    },
    additionalProperties: false,
  };
}

function serversSchema(): ConfigSchema {
  return {
    type: "object",
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how it is written in a file
      "MCP servers whose tools are offered as `name__tool`. `${NAME}` in a string is replaced by that environment variable; a server that refers to an unset variable is skipped.",
    patternProperties: {
      "^[a-z][a-z0-9_-]{0,31}$": {
        title: "an object with `command` (a program to start) or with `url` (an address), or false",
        anyOf: [
          { enum: [false], description: "Removes the server of this name that a file of lower precedence added." },
          program(),
          address(),
        ],
      },
    },
    additionalProperties: false,
  };
}

/** Milliseconds that a call of another server may take without progress, unless the configuration says otherwise. */
export const SERVER_TIMEOUT_MS = 120_000;
/** Milliseconds that it may take in all. */
export const MAX_SERVER_CALL_MS = 3_600_000;

const TIMEOUT: ConfigSchema = {
  type: "integer",
  minimum: 1_000,
  maximum: MAX_SERVER_CALL_MS,
  default: SERVER_TIMEOUT_MS,
  description: "Timeout of a call, in milliseconds; each progress notification restarts it, up to an hour in all.",
};

function program(): ConfigSchema {
  return {
    type: "object",
    properties: {
      command: { ...TEXT, description: "The program to start. It speaks MCP over stdin and stdout." },
      args: { type: "array", items: { type: "string" }, default: [] },
      env: { ...VARIABLES, description: "Environment variables of the program." },
      cwd: { ...TEXT, description: "Its working directory. Relative to this file. Default: the workspace." },
      timeoutMs: TIMEOUT,
    },
    required: ["command"],
    additionalProperties: false,
  };
}

function address(): ConfigSchema {
  return {
    type: "object",
    properties: {
      url: { type: "string", title: "an address that begins with http:// or https://", pattern: "^https?://." },
      headers: {
        type: "object",
        title: "an object of names and texts",
        patternProperties: { "^[A-Za-z0-9-]+$": { type: "string" } },
        additionalProperties: false,
        description: "Headers of each request.",
      },
      timeoutMs: TIMEOUT,
    },
    required: ["url"],
    additionalProperties: false,
  };
}
