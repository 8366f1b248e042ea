/** JSON Schema as the configuration uses it. */

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
