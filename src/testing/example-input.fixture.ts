import type { JsonSchema } from "../kernel/index.js";

/** The smallest input that a tool's schema accepts: its required parameters, where a string is `text`. */
export function exampleInput(schema: JsonSchema, text: string): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (schema.required ?? []) as readonly string[];
  return Object.fromEntries(required.map((name) => [name, exampleValue(properties[name] ?? {}, text)]));
}

function exampleValue(schema: JsonSchema, text: string): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case "object":
      return exampleInput(schema, text);
    case "array":
      return [exampleValue((schema.items ?? {}) as JsonSchema, text)];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return text;
  }
}
