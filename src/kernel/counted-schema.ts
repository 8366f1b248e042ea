/** Limits the work of validating arguments, since an untrusted schema can require exponential time. */
import type { JsonSchema } from "./schema.js";

/** The keyword that counts the steps; only in the compiled schema, never in the one that a model is shown. */
export const STEP = "x-haft-step";

/** Maximum number of subschemas evaluated per validation. A million take about a second. */
export const MAX_STEPS = 1_000_000;

/** A schema of at most this many bytes without references is cheap for each value. */
const SMALL_BYTES = 4 * 1024;

/** Keywords whose value is not a schema. */
const VALUES: readonly string[] = ["const", "default", "enum", "examples"];
/** Keywords whose value is an object of named schemas. */
const NAMED: readonly string[] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/**
 * The schema with `STEP` in each subschema; unchanged if it is always cheap. With references, even a short schema can be
 * evaluated 2 to the power of 25 times.
 */
export function countedSchema(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema) ?? "";
  return text.length <= SMALL_BYTES && !/"\$(dynamic|recursive)?ref"/i.test(text)
    ? schema
    : (counted(schema) as JsonSchema);
}

function counted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(counted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, held]): [string, unknown] => {
    if (VALUES.includes(key)) return [key, held];
    return [key, NAMED.includes(key) && isObject(held) ? membersOf(held) : counted(held)];
  });
  return Object.fromEntries([[STEP, true], ...entries]);
}

function membersOf(held: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(held).map(([name, schema]) => [name, counted(schema)]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
