/** What each provider accepts in the schema of a tool's parameters, as it has published it or refuses it. */
import { HaftError } from "../kernel/index.js";
import type { ShapeType } from "./schema-shape.js";

/**
 * Whose rules a schema follows:
 * - `openai-strict`: a function with `strict: true` of OpenAI; `openai`: one without.
 * - `anthropic`: `input_schema` of a tool.
 * - `google`: `parameters` of a function declaration of Gemini; `google-json-schema`: its `parametersJsonSchema`.
 */
export type SchemaProvider = "openai-strict" | "openai" | "anthropic" | "google" | "google-json-schema";

type Kept = Readonly<Partial<Record<ShapeType, readonly string[]>>>;

export interface ProviderRules {
  /** Objects have no additional properties, and an optional property is nullable and required. */
  readonly isStrict?: boolean;
  /** The OpenAPI subset: types in capitals, `nullable`, nothing beside `anyOf`, no object without properties. */
  readonly isOpenApi?: boolean;
  /** Schemas without a type, arrays of them and objects with additional properties. */
  readonly takesOpen: boolean;
  /** Names of parameters, and what stands for every other character. */
  readonly names?: { readonly valid: RegExp; readonly invalid: RegExp };
  /** Constraints that stay; the others move to the description. */
  readonly kept: Kept;
  readonly formats?: readonly string[];
  readonly hasLookaround: boolean;
  readonly isEnum: (type: ShapeType, values: readonly unknown[]) => boolean;
}

const NUMBER = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const RANGE = ["minimum", "maximum"];
const COUNT = ["minItems", "maxItems"];
/** The constraints that say something about a type. */
export const CONSTRAINTS: Kept = {
  string: ["minLength", "maxLength", "pattern", "format"],
  number: NUMBER,
  integer: NUMBER,
  array: [...COUNT, "uniqueItems"],
  object: ["minProperties", "maxProperties"],
};

const RULES: Readonly<Record<SchemaProvider, ProviderRules>> = {
  /**
   * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas: types, constraints, formats and limits; all fields
   * required, `additionalProperties: false`, no `anyOf` at the top. Lookaround is refused though `pattern` is listed (vercel/ai#21037).
   */
  "openai-strict": {
    isStrict: true,
    takesOpen: false,
    kept: { string: ["pattern", "format"], number: NUMBER, integer: NUMBER, array: COUNT },
    formats: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    hasLookaround: false,
    isEnum: (_, values) => values.every((value) => typeof value !== "object"),
  },
  /** No combination at the top and no array without `items` (langchain-ai/langchainjs#9804, sigoden/aichat#1049), no lookaround. */
  openai: { takesOpen: true, kept: CONSTRAINTS, hasLookaround: false, isEnum: () => true },
  /**
   * No combination at the top (anthropics/claude-code#27337), names of parameters (anthropics/claude-code#79418), and no `$ref` for
   * managed agents (https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes). Else JSON Schema 2020-12.
   */
  anthropic: {
    takesOpen: true,
    names: { valid: /^[a-zA-Z0-9_.-]{1,64}$/, invalid: /[^a-zA-Z0-9_.-]/g },
    kept: CONSTRAINTS,
    hasLookaround: true,
    isEnum: () => true,
  },
  /**
   * `Schema` and `FunctionDeclaration` of @google/genai: the fields and the names of parameters. The API further refuses: other formats
   * of a string (google-gemini/gemini-cli#3178), an `enum` that is not of strings (microsoft/azure-devops-mcp#145), properties of what is
   * no object (anomalyco/opencode#11889), an object without properties (browser-use/browser-use#3786), an array without `items`
   * (AstrBotDevs/AstrBot#6029), a schema without a type (danny-avila/LibreChat#6971), fields beside `anyOf`.
   */
  google: {
    isOpenApi: true,
    takesOpen: false,
    names: { valid: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, invalid: /[^a-zA-Z0-9_]/g },
    kept: { ...CONSTRAINTS, number: RANGE, integer: RANGE, array: COUNT },
    formats: ["date-time"],
    hasLookaround: true,
    isEnum: (type, values) => type === "string" && values.every((value) => value !== ""),
  },
  /** `responseJsonSchema` of @google/genai lists the keywords of a JSON Schema that are supported; an `enum` is of strings and numbers. */
  "google-json-schema": {
    takesOpen: false,
    names: { valid: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, invalid: /[^a-zA-Z0-9_]/g },
    kept: { string: ["format"], number: RANGE, integer: RANGE, array: COUNT },
    formats: ["date-time", "date", "time"],
    hasLookaround: true,
    isEnum: (type, values) => ["string", "number", "integer"].includes(type) && !values.includes(""),
  },
};

/** Limits of a strict schema of OpenAI: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
export const STRICT_LIMITS = {
  properties: 5_000,
  levels: 10,
  characters: 120_000,
  values: 1_000,
  longEnum: 250,
  longEnumCharacters: 15_000,
};

/** @throws `CONFIG_INVALID` for an unknown provider. */
export function rulesOf(provider: SchemaProvider): ProviderRules {
  if (Object.hasOwn(RULES, provider)) return RULES[provider];
  throw new HaftError(
    "CONFIG_INVALID",
    `There are no schemas for ${JSON.stringify(provider)}. Use one of ${Object.keys(RULES).join(", ")}.`,
    { details: { provider } },
  );
}
