/** What a configuration file may say: one JSON Schema, which the checker, editors and the reference table share. */
import { builtinTools } from "../../tools/index.js";
import { hasGate } from "../builtin-registry.js";
import { DIALECT_NAMES } from "../dialect-named.js";
import type { TrustedKey } from "./config.js";

/** The keywords that the schema uses and the checker knows. */
export interface ConfigSchema {
  readonly $schema?: string;
  /** What is accepted, as it stands in a message: "the name of an environment variable". */
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: "object" | "array" | "string" | "integer" | "boolean";
  readonly enum?: readonly (string | boolean)[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: ConfigSchema;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, ConfigSchema>>;
  readonly patternProperties?: Readonly<Record<string, ConfigSchema>>;
  readonly additionalProperties?: false;
  readonly required?: readonly string[];
  readonly anyOf?: readonly ConfigSchema[];
}

/** Keys that a project's own file decides only where the person trusts it with them. */
export const TRUSTED_KEYS: readonly TrustedKey[] = Object.freeze([
  "artifacts",
  "autonomy",
  "dialect",
  "env",
  "servers",
  "state",
  "tools",
  "workspace",
]);

/** When a changing tool asks for a read before, from the loosest to the strictest. */
export const GATES = Object.freeze(["off", "handle", "write", "on"] as const);

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
      "The names, limits and texts under which a model sees the tools. A project's file may name one; where that asks for fewer reads than yours before a file is changed, your gates stay.",
  },
  workspace: {
    ...TEXT,
    title: "a path",
    description:
      "The folder to work in, instead of the one that a command is started in. Relative to the file that says so; `~/` is your home. A project's file may name a folder within its own.",
  },
  state: {
    ...TEXT,
    title: "a path",
    description:
      "Where sessions, records and locks are kept, instead of `$XDG_STATE_HOME/haft`. Relative to the file that says so.",
  },
  autonomy: {
    enum: ["full"],
    default: "full",
    description: "How much happens without asking. There is only `full` for now.",
  },
  env: {
    type: "array",
    uniqueItems: true,
    items: { type: "string", title: "the name of an environment variable", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
    default: [],
    description:
      "Environment variables that commands find beside the usual few. Names only: values come from the environment that Haft is started in, and one that is not set there is left out.",
  },
};

const ARTIFACTS: ConfigSchema = {
  type: "object",
  description: "Outputs that were too long for an answer.",
  properties: {
    quotaMiB: {
      type: "integer",
      minimum: 1,
      maximum: 1_048_576,
      default: 256,
      description: "MiB that the artifacts of one session may take; the oldest give way.",
    },
  },
  additionalProperties: false,
};

const SERVE: ConfigSchema = {
  type: "object",
  description: "Where `haft serve` listens, and what its results carry.",
  properties: {
    port: { type: "integer", minimum: 0, maximum: 65_535, default: 0, description: "0 takes a free one." },
    host: {
      enum: ["127.0.0.1", "::1", "localhost"],
      default: "127.0.0.1",
      description: "An address of this machine itself; there is no other choice.",
    },
    facts: {
      type: "boolean",
      default: false,
      description:
        "Whether every result has exit codes, hashes and the like in `_meta`. Some clients show that to the model; a client that wants them can also ask call by call.",
    },
  },
  additionalProperties: false,
};

const TRUST: ConfigSchema = {
  type: "object",
  description:
    "Projects by their folder, and what their own `haft.jsonc` may decide. Read from your own file only. Whoever can change a trusted project's file decides as you.",
  patternProperties: {
    "^(/|~/)": { type: "array", uniqueItems: true, items: { enum: TRUSTED_KEYS } },
  },
  additionalProperties: false,
};

/** The schema of `haft.jsonc`, in draft 7, which is what editors know best. */
export function configSchema(): ConfigSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Haft configuration",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string", description: "Where an editor finds this schema. Haft itself does not read it." },
      ...CALL_SETTINGS,
      tools: toolsSchema(),
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
      "Tools by Haft's own names, in every dialect. One that is `false` is not shown to a model, and unknown when it is called.",
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
          "Whether a file must have been read before it is changed. write: where something would be overwritten; on: also where an edit names the old text; off: never; handle: as the host keeps account. Default: as the dialect says.",
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
      "MCP servers whose tools are offered too, by a name that comes before theirs: `name__tool`. `${NAME}` in a text of theirs is the environment variable of that name; a server that names one which is not set is left out.",
    patternProperties: {
      "^[a-z][a-z0-9_-]{0,31}$": {
        title: "an object with `command` (a program to start) or with `url` (an address), or false",
        anyOf: [
          { enum: [false], description: "Take back the server of this name of a lower layer." },
          program(),
          address(),
        ],
      },
    },
    additionalProperties: false,
  };
}

const TIMEOUT: ConfigSchema = {
  type: "integer",
  minimum: 1_000,
  maximum: 3_600_000,
  default: 120_000,
  description:
    "Milliseconds that a call of its tools may take; each progress that it reports gives it as long again, up to an hour in all.",
};

function program(): ConfigSchema {
  return {
    type: "object",
    properties: {
      command: { ...TEXT, description: "The program to start; it speaks MCP over its standard input and output." },
      args: { type: "array", items: { type: "string" }, default: [] },
      env: { ...VARIABLES, description: "Environment variables of the program." },
      cwd: { ...TEXT, description: "Where it is started. Relative to the file that says so. Default: the workspace." },
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
