/** A bound on the work of checking arguments: a schema of a stranger can ask for more than anybody could wait for. */
import type { JsonSchema } from "./schema.js";

/** The keyword that counts; it stands in what is compiled, never in what a model is shown. */
export const STEP = "x-haft-step";

/** Subschemas that are looked at for one bag of arguments. A million take about a second. */
export const MAX_STEPS = 1_000_000;

/** A schema of no more bytes that refers to nothing costs little for each value. */
const SMALL_BYTES = 4 * 1024;

/** What they hold is a value, no schema. */
const VALUES: readonly string[] = ["const", "default", "enum", "examples"];
/** What they hold are schemas by names that the author chose. */
const NAMED: readonly string[] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/**
 * The schema with `STEP` in each schema within it. As it is, where no arguments can make much work of it: references are what
 * lets a short schema be looked at 2 to the power of 25 times.
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
