/** Describes a tool's parameters: types, limits, and an example call. */
import type { JsonSchema } from "../../kernel/index.js";
import { shellWord } from "../../text/index.js";

const CRON = "0 9 * * 1-5";
/** Values that a reader recognizes; any other text is shown by the parameter's name. */
const SAMPLES: readonly (readonly [name: RegExp, value: string])[] = [
  [/command/i, "ls"],
  [/^schedule$/, CRON],
  [/pattern|query|regex/i, "TODO"],
  [/path|file|from/i, "notes.md"],
  [/^to$/, "notes/new.md"],
  [/^(old_?(text|string)|find)$/i, "draft"],
  [/^(new_?(text|string)|replace|replacement)$/i, "final"],
  [/^content$/i, "Hello"],
  [/^text$/, "npm test"],
  [/^ur[il]$/i, "https://example.com/"],
];
/** Shown in an example though no schema requires them: a call without them would do nothing. */
const PART_OF_EXAMPLES = /^(oldText|newText|command|text|enter|schedule)$/;
/** Without a query, it lists. */
const RECALL = /^memory_recall$/;
const SEARCH_OF_THE_WEB = /^web_?search/i;
const WEB_QUERY = "node.js release schedule";
const MAX_DEPTH = 4;

export function propertiesOf(schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  const properties = schema?.properties;
  if (!isSchema(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1])),
  );
}

export function isRequired(schema: JsonSchema, name: string): boolean {
  return Array.isArray(schema.required) && schema.required.includes(name);
}

/** The JSON types of a value; none if the schema does not restrict them. */
export function kindsOf(schema: JsonSchema, depth = 0): readonly string[] {
  const { enum: values, const: only, type } = schema;
  if (Array.isArray(type)) return type.filter((one): one is string => typeof one === "string");
  if (typeof type === "string") return [type];
  if (only !== undefined) return [typeof only];
  if (Array.isArray(values)) return [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
  if (depth >= MAX_DEPTH) return [];
  const choices = choicesOf(schema);
  return [...new Set(choices.flatMap((one) => kindsOf(one, depth + 1)))];
}

/** The same as a text: the values of an enum, the type of array items, "any" without a restriction. */
export function kindText(schema: JsonSchema): string {
  const { enum: values, items } = schema;
  if (Array.isArray(values)) return values.join(" / ");
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.map(kindText).join(" / ");
  const kinds = kindsOf(schema).join(" / ") || "any";
  return kinds === "array" && isSchema(items) ? `array of ${kindText(items)}` : kinds;
}

export interface ParameterRow {
  readonly name: string;
  readonly kind: string;
  /** Whether it is required, its limits, its description. */
  readonly notes: readonly string[];
}

/** A row for each parameter, followed by a row for each nested field: `edits[].oldText`. */
export function parameterRows(schema: JsonSchema, prefix = "", depth = 0): readonly ParameterRow[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, own]) => {
    const notes = [isRequired(schema, name) ? "required" : "", limitsText(own), String(own.description ?? "")];
    const path = `${prefix}${name}`;
    const inner = isSchema(own.items)
      ? parameterRows(own.items, `${path}[].`, depth + 1)
      : parameterRows(own, `${path}.`, depth + 1);
    return [
      { name: path, kind: kindText(own), notes: notes.filter((note) => note !== "") },
      ...(depth < MAX_DEPTH ? inner : []),
    ];
  });
}

function limitsText(schema: JsonSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: preset } = schema;
  return [
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " items"),
    preset === undefined ? "" : `default ${JSON.stringify(preset)}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** An example command line with the required parameters. */
export function exampleCall(name: string, schema: JsonSchema, options = ""): string {
  const given = Object.entries(propertiesOf(schema))
    .filter(([one]) => isRequired(schema, one) || PART_OF_EXAMPLES.test(one) || (one === "query" && RECALL.test(name)))
    .map(([one, own]) => {
      const value = one === "query" && SEARCH_OF_THE_WEB.test(name) ? WEB_QUERY : sampleOf(one, own);
      return ` ${one}=${shellWord(typeof value === "string" ? value : JSON.stringify(value))}`;
    });
  return `haft call ${name}${given.join("")}${options}`;
}

function sampleOf(name: string, schema: JsonSchema, depth = 0): unknown {
  const { enum: values, const: only, items, minimum } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values) && values.length > 0) return values[0];
  switch (kindsOf(schema)[0]) {
    case "integer":
    case "number":
      return typeof minimum === "number" ? minimum : 1;
    case "boolean":
      return true;
    case "array":
      return depth < MAX_DEPTH && isSchema(items) ? [sampleOf(name, items, depth + 1)] : [];
    case "object": {
      if (name === "schedule") return { kind: "cron", expr: CRON };
      const all = Object.entries(propertiesOf(schema));
      const own = all.filter(([one]) => isRequired(schema, one));
      // One that needs none of its members needs one of them.
      const given = own.length > 0 ? own : all.slice(0, 1);
      return depth < MAX_DEPTH
        ? Object.fromEntries(given.map(([one, part]) => [one, sampleOf(one, part, depth + 1)]))
        : {};
    }
    default:
      return SAMPLES.find(([pattern]) => pattern.test(name))?.[1] ?? name;
  }
}

function choicesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  const choices = anyOf ?? oneOf;
  return Array.isArray(choices) ? choices.filter(isSchema) : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function range(from: unknown, to: unknown, what: string): string {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${what}`;
  if (from !== undefined) return `at least ${from}${what}`;
  return to === undefined ? "" : `at most ${to}${what}`;
}
