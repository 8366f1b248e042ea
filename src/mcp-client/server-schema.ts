/** The schema of another server's tool: read with mistrust, and made fit to be shown and compiled. */
import { type JsonSchema, messageOf, schemaProblem } from "../kernel/index.js";
import { cleanText, isSeen } from "./clean-text.js";

/** Bytes of a whole schema: every model that is shown it pays for it, and compiling 1 KiB can take 15 ms. */
const MAX_SCHEMA_BYTES = 32 * 1024;
const MAX_DEPTH = 64;

/** They name a dialect or another way to answer; here every schema is read as draft 2020-12. */
const DROPPED: readonly string[] = ["$schema", "$id", "$async", "$comment"];
/** What a stranger may make endless work of: one item more is compared with all others. The server checks these itself. */
const UNCHECKED: readonly string[] = ["pattern", "patternProperties", "uniqueItems"];
/** What they hold is a value, no schema. */
const VALUES: readonly string[] = ["const", "default", "enum", "examples"];
/** What they hold are schemas by names that the author chose. */
const NAMED: readonly string[] = ["properties", "$defs", "definitions", "dependentSchemas"];

type Read = { readonly schema: JsonSchema; readonly bytes: number } | { readonly problem: string };

/**
 * The schema, with its size as it came, without what could harm: texts are cleaned and cut, and regular expressions taken out, since one of a stranger
 * may run for ever; the server checks those itself. `problem` is a clause: why the tool cannot be offered.
 */
export async function readServerSchema(given: unknown, maxBytes = MAX_SCHEMA_BYTES): Promise<Read> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return { problem: "its `inputSchema` is not an object" };
  const type = (given as JsonSchema).type;
  if (type !== "object") return { problem: 'the type of its `inputSchema` is not "object"' };
  const bytes = Buffer.byteLength(JSON.stringify(given));
  if (bytes > MAX_SCHEMA_BYTES)
    return { problem: `its \`inputSchema\` has ${bytes} bytes, over the limit of ${MAX_SCHEMA_BYTES}` };
  if (bytes > maxBytes) return { problem: `its \`inputSchema\` and those before it exceed the total size limit` };
  let schema: JsonSchema;
  try {
    schema = cleaned(given, 0) as JsonSchema;
  } catch (error) {
    return { problem: `its \`inputSchema\` ${messageOf(error)}` };
  }
  const problem = await schemaProblem(schema);
  return problem === undefined
    ? { schema, bytes }
    : { problem: `its \`inputSchema\` cannot be compiled: ${cleanText(problem, 200)}` };
}

function cleaned(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new Error(`is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) return value.map((one) => cleaned(one, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const schema = value as Readonly<Record<string, unknown>>;
  const isByPattern = "patternProperties" in schema;
  const entries = Object.entries(schema).flatMap(([key, held]): [string, unknown][] => {
    if (DROPPED.includes(key) || UNCHECKED.includes(key)) return [];
    // Without the patterns it is unknown which other names are meant.
    if (isByPattern && (key === "additionalProperties" || key === "unevaluatedProperties")) return [];
    if (VALUES.includes(key)) return [[key, held]];
    if (NAMED.includes(key)) return [[key, membersOf(held, depth + 1)]];
    if (key === "title" || key === "description") return [[key, cleanText(held)]];
    return [[key, cleaned(held, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

function membersOf(held: unknown, depth: number): unknown {
  if (typeof held !== "object" || held === null || Array.isArray(held)) return held;
  return Object.fromEntries(
    Object.entries(held).map(([name, schema]) => {
      if (!isSeen(name))
        throw new Error(`has a name with invisible characters: ${JSON.stringify(cleanText(name, 80))}`);
      return [name, cleaned(schema, depth + 1)];
    }),
  );
}
