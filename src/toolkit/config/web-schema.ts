/** What a configuration file may say of the web. */
import { HOST_PATTERN } from "../../policy/index.js";
import { SEARCH_PROVIDERS } from "../../tools/index.js";
import type { ConfigSchema } from "./schema-keywords.js";

const TEXT = { type: "string", minLength: 1 } as const;

const HOSTS = {
  type: "array",
  uniqueItems: true,
  items: {
    type: "string",
    title: 'a host such as "example.com" or "*.example.com"',
    pattern: HOST_PATTERN.source.replace("\\da-f", "\\da-fA-F"),
  },
} as const;

const VARIABLE = {
  type: "string",
  title: "the name of an environment variable",
  pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
} as const;

const SECRET: ConfigSchema = {
  type: "object",
  title: "an object with `env` and `hosts`",
  properties: {
    env: { ...VARIABLE, description: "The environment variable that has the value. It is not shown." },
    hosts: {
      type: "array",
      uniqueItems: true,
      items: {
        type: "string",
        title: 'a host such as "api.example.com" or "api.example.com:8443", without wildcards',
        pattern: "^[^\\s*/@?#]+$",
      },
      description: "The hosts that it may be sent to.",
    },
    header: { type: "string", title: "the name of a header", pattern: "^[A-Za-z0-9-]+$", default: "Authorization" },
    prefix: { type: "string", default: "Bearer ", description: "What stands before the value in the header." },
  },
  required: ["env", "hosts"],
  additionalProperties: false,
};

const SEARCH: ConfigSchema = {
  type: "object",
  description: "The search of `websearch`. Its requests are not asked about.",
  properties: {
    provider: { enum: Object.keys(SEARCH_PROVIDERS), default: "duckduckgo" },
    url: { type: "string", title: "an address that begins with http:// or https://", pattern: "^https?://." },
    env: { ...VARIABLE, description: "The environment variable that has the key of brave or tavily." },
  },
  additionalProperties: false,
};

export const WEB_SCHEMA: ConfigSchema = {
  type: "object",
  description:
    "What `webfetch`, `websearch` and `http_request` may reach, beside the `host:` rules of `policy`. A project's file can only set `allowedHosts` and `blockedHosts`.",
  properties: {
    privateHosts: {
      ...HOSTS,
      default: [],
      description:
        "Hosts of this machine and of private networks that requests may reach: `localhost`, `127.0.0.1`, `*.corp.example`.",
    },
    allowedHosts: { ...HOSTS, description: "If set, requests reach these hosts only." },
    blockedHosts: { ...HOSTS, default: [], description: "Hosts that no request reaches." },
    proxy: {
      enum: ["trusted"],
      description:
        "Use the proxy of `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. The proxy resolves names, so that Haft cannot check the addresses behind them.",
    },
    ca: {
      ...TEXT,
      title: "a path",
      description: "A PEM file of certificates to accept beside those of the system. Relative to this file.",
    },
    fence: {
      type: "boolean",
      default: false,
      description:
        "Enclose text from the web, other servers and files outside the workspace in `<untrusted>`, with an id that it cannot know.",
    },
    search: SEARCH,
    secrets: {
      type: "object",
      description: "Secrets that requests may carry, by the names that calls use.",
      patternProperties: { "^[A-Za-z][A-Za-z0-9_.-]*$": SECRET },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
