/**
 * Whether a schema of a tool's parameters follows the published rules of a provider. Written from those rules alone, so that it finds
 * the faults of whatever made the schema.
 */
import { HaftError } from "../kernel/index.js";

type Schema = Readonly<Record<string, unknown>>;

/** What is added for each problem: where it is and what is wrong. */
type Report = (at: string, problem: string) => void;

interface Place {
  readonly at: string;
  /** Objects and arrays around this subschema; the root is 0. */
  readonly level: number;
}

type Rule = (schema: Schema, place: Place, report: Report) => void;

const SCALARS = ["string", "number", "integer", "boolean"];
const TYPES = [...SCALARS, "object", "array", "null"];
const ANNOTATIONS = ["description", "title"];
const STRING = ["pattern", "format"];
const NUMBER = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const COUNTS = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/** Keywords of JSON Schema 2020-12 that say what an input is. */
const JSON_SCHEMA = [
  ...[
    "$id",
    "$schema",
    "$ref",
    "$defs",
    "$anchor",
    "$comment",
    "type",
    "enum",
    "const",
    "default",
    "examples",
    ...ANNOTATIONS,
  ],
  ...[
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "contains",
  ],
  ...["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "uniqueItems", "dependentRequired", "dependentSchemas"],
  ...["unevaluatedItems", "unevaluatedProperties", "minContains", "maxContains", "deprecated", "readOnly", "writeOnly"],
  ...["contentEncoding", "contentMediaType", "contentSchema", ...STRING, ...NUMBER, ...COUNTS],
];
const STRICT = [
  ...["type", "enum", "const", "anyOf", "$ref", "$defs", "properties", "required", "additionalProperties", "items"],
  ...[...ANNOTATIONS, ...STRING, ...NUMBER, "minItems", "maxItems"],
];
/** The fields of `Schema` in @google/genai. */
const GOOGLE = [
  ...[
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maximum",
    "minimum",
    "nullable",
    "pattern",
  ],
  ...["properties", "propertyOrdering", "required", "title", "type", ...COUNTS],
];
/** The keywords that `responseJsonSchema` of @google/genai names. */
const GOOGLE_JSON = [
  ...[
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
  ],
  ...[
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "oneOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
  ],
];

const RULES = {
  "openai-strict": [
    keywords(STRICT),
    valid(TYPES),
    openAiRoot,
    noLookaround,
    arrayHasItems,
    strictObject,
    strictFormat,
  ],
  openai: [keywords(JSON_SCHEMA), valid(TYPES), openAiRoot, noLookaround, arrayHasItems],
  anthropic: [
    keywords(JSON_SCHEMA),
    valid(TYPES),
    noReference,
    anthropicRoot,
    parameterNames(/^[a-zA-Z0-9_.-]{1,64}$/),
  ],
  google: [
    keywords(GOOGLE),
    valid(["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"]),
    openApi,
    parameterNames(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/),
  ],
  "google-json-schema": [
    keywords(GOOGLE_JSON),
    valid(TYPES),
    arrayHasItems,
    googleEnum,
    parameterNames(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/),
  ],
} as const satisfies Record<string, readonly Rule[]>;

/** Subschemas that are looked at, and problems that are reported, at most. */
const MAX_VISITED = 100_000;
const MAX_PROBLEMS = 100;

/**
 * What a provider would refuse in the schema of a tool's parameters; empty where it is valid.
 *
 * ```ts
 * expect(schemaProblems(descriptor.parameters, "openai-strict")).toEqual([]);
 * ```
 *
 * @throws `CONFIG_INVALID` for an unknown provider.
 */
export function schemaProblems(schema: unknown, provider: keyof typeof RULES): string[] {
  if (!Object.hasOwn(RULES, provider)) {
    const message = `There are no rules of ${JSON.stringify(provider)}. Use one of ${Object.keys(RULES).join(", ")}.`;
    throw new HaftError("CONFIG_INVALID", message, { details: { provider } });
  }
  const problems: string[] = [];
  const report: Report = (at, problem) => {
    if (problems.length < MAX_PROBLEMS) problems.push(`${at === "" ? "the schema" : at}: ${problem}`);
  };
  if (!isRecord(schema) || String(schema.type).toLowerCase() !== "object") {
    report("", "its type is not `object`");
    return problems;
  }
  const rules: readonly Rule[] = RULES[provider];
  const pending: (readonly [unknown, Place])[] = [[schema, { at: "", level: 0 }]];
  for (let visited = 0; pending.length > 0; visited++) {
    const [one, place] = pending.pop() as (typeof pending)[number];
    if (visited >= MAX_VISITED) {
      report("", `it has more than ${MAX_VISITED} parts`);
      break;
    }
    if (!isRecord(one)) {
      report(place.at, "it is not an object");
      continue;
    }
    for (const rule of rules) rule(one, place, report);
    pending.push(...children(one, place));
  }
  if (provider === "openai-strict") strictLimits(schema, report);
  return problems;
}

/** The subschemas of the keywords that any provider takes. */
function* children(schema: Schema, { at, level }: Place): Generator<readonly [unknown, Place]> {
  for (const [name, one] of entriesOf(schema.properties))
    yield [one, { at: `${at}/properties/${name}`, level: level + 1 }];
  for (const [name, one] of entriesOf(schema.$defs)) yield [one, { at: `${at}/$defs/${name}`, level: level + 1 }];
  if (schema.items !== undefined) yield [schema.items, { at: `${at}/items`, level: level + 1 }];
  if (isRecord(schema.additionalProperties)) {
    yield [schema.additionalProperties, { at: `${at}/additionalProperties`, level: level + 1 }];
  }
  for (const keyword of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    const list = schema[keyword];
    if (Array.isArray(list))
      for (const [index, one] of list.entries()) yield [one, { at: `${at}/${keyword}/${index}`, level }];
  }
}

function keywords(known: readonly string[]): Rule {
  return (schema, { at }, report) => {
    const unknown = Object.keys(schema).find((keyword) => !known.includes(keyword));
    if (unknown !== undefined) report(at, `\`${unknown}\` is not supported`);
  };
}

/** What every keyword must be, by the meta-schema of JSON Schema. */
function valid(types: readonly string[]): Rule {
  return (schema, { at }, report) => {
    const stated = schema.type === undefined ? [] : [schema.type].flat();
    if (stated.some((type) => typeof type !== "string" || !types.includes(type)))
      report(at, "`type` has an unknown value");
    if (new Set(stated).size < stated.length) report(at, "`type` names a type twice");
    if (schema.properties !== undefined && !isRecord(schema.properties)) report(at, "`properties` is not an object");
    if (Object.hasOwn(schema.properties ?? {}, "__proto__"))
      report(at, "`__proto__` is not allowed as the name of a property");
    const { required, enum: values, pattern } = schema;
    if (required !== undefined) {
      const isList = Array.isArray(required) && required.every((name) => typeof name === "string");
      if (!isList) report(at, "`required` is not a list of names");
      else if (new Set(required).size < required.length) report(at, "`required` names a property twice");
      else if (required.some((name) => !hasProperty(schema, name)))
        report(at, "`required` names a property that `properties` does not have");
    }
    if (values !== undefined && (!Array.isArray(values) || values.length === 0))
      report(at, "`enum` is not a list of values");
    if (pattern !== undefined && !isPattern(pattern)) report(at, "`pattern` is not a regular expression");
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const list = schema[keyword];
      if (list !== undefined && (!Array.isArray(list) || list.length === 0))
        report(at, `\`${keyword}\` is not a list of schemas`);
    }
    for (const keyword of COUNTS) if (!isCount(schema[keyword] ?? 0)) report(at, `\`${keyword}\` is not a count`);
    for (const keyword of NUMBER)
      if (!Number.isFinite(schema[keyword] ?? 1)) report(at, `\`${keyword}\` is not a number`);
    for (const keyword of [...ANNOTATIONS, "format"]) {
      if (typeof (schema[keyword] ?? "") !== "string") report(at, `\`${keyword}\` is not a string`);
    }
  };
}

/** "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level". */
function openAiRoot(schema: Schema, { at, level }: Place, report: Report): void {
  if (level > 0 || at !== "") return;
  if (schema.type !== "object") report(at, "its type is not `object`");
  if (!isRecord(schema.properties)) report(at, "it has no `properties`");
  for (const keyword of ["oneOf", "anyOf", "allOf", "enum", "not"]) {
    if (schema[keyword] !== undefined) report(at, `\`${keyword}\` is refused at the top level`);
  }
}

/** "input_schema does not support oneOf, allOf, or anyOf at the top level". */
function anthropicRoot(schema: Schema, { at, level }: Place, report: Report): void {
  if (level > 0 || at !== "") return;
  if (schema.type !== "object") report(at, "its type is not `object`");
  for (const keyword of ["oneOf", "anyOf", "allOf"]) {
    if (schema[keyword] !== undefined) report(at, `\`${keyword}\` is refused at the top level`);
  }
}

/** "rejects reference keywords such as $ref anywhere". */
function noReference(schema: Schema, { at }: Place, report: Report): void {
  if (["$ref", "$dynamicRef", "$defs"].some((keyword) => schema[keyword] !== undefined))
    report(at, "references are refused");
}

/** "Property keys should match pattern". */
function parameterNames(pattern: RegExp): Rule {
  return (schema, { at }, report) => {
    if (at !== "") return;
    const wrong = Object.keys(schema.properties ?? {}).find((name) => !pattern.test(name));
    if (wrong !== undefined) report(at, `the name ${JSON.stringify(wrong)} does not match ${pattern.source}`);
  };
}

/** "regex lookaround is not supported". */
function noLookaround({ pattern }: Schema, { at }: Place, report: Report): void {
  if (typeof pattern === "string" && ["(?=", "(?!", "(?<=", "(?<!"].some((part) => pattern.includes(part))) {
    report(at, "`pattern` has a lookaround");
  }
}

/** "array schema missing items". */
function arrayHasItems(schema: Schema, { at }: Place, report: Report): void {
  const isArray = [schema.type].flat().includes("array");
  if (isArray && !isRecord(schema.items) && schema.prefixItems === undefined) report(at, "an array without `items`");
}

/** All fields are required, `additionalProperties` is false in every object, and at most 10 levels. */
function strictObject(schema: Schema, { at, level }: Place, report: Report): void {
  const types = [schema.type].flat();
  if (types[0] === undefined && schema.anyOf === undefined && schema.$ref === undefined) report(at, "it has no type");
  const isObject = types.includes("object");
  if (!isObject && !types.includes("array")) return;
  if (level >= 10) report(at, "it is nested more than 10 levels deep");
  if (!isObject) return;
  if (schema.additionalProperties !== false) report(at, "`additionalProperties` is not false");
  const names = Object.keys(schema.properties ?? {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  const optional = names.find((name) => !required.includes(name));
  if (optional !== undefined) report(at, `\`${optional}\` is not required`);
}

function strictFormat({ format }: Schema, { at }: Place, report: Report): void {
  const formats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
  if (format !== undefined && !formats.includes(String(format)))
    report(at, `the format \`${String(format)}\` is not supported`);
}

/** 5,000 properties, 1,000 values, 120,000 characters in names and values, 15,000 in an `enum` of more than 250. */
function strictLimits(schema: Schema, report: Report): void {
  let [properties, values, characters] = [0, 0, 0];
  const pending: unknown[] = [schema];
  while (pending.length > 0) {
    const one = pending.pop();
    if (!isRecord(one)) continue;
    for (const [name] of [...entriesOf(one.properties), ...entriesOf(one.$defs)]) characters += name.length;
    properties += entriesOf(one.properties).length;
    const listed = [...(Array.isArray(one.enum) ? one.enum : []), ...(one.const === undefined ? [] : [one.const])];
    const length = listed.reduce<number>((sum, value) => sum + String(value).length, 0);
    if (listed.length > 250 && length > 15_000)
      report("", "an `enum` of more than 250 values has more than 15000 characters");
    values += listed.length;
    characters += length;
    pending.push(...[...children(one, { at: "", level: 0 })].map(([child]) => child));
  }
  if (properties > 5_000) report("", `it has ${properties} properties; at most 5000 are allowed`);
  if (values > 1_000) report("", `it has ${values} \`enum\` values; at most 1000 are allowed`);
  if (characters > 120_000)
    report("", `property names and \`enum\` values have ${characters} characters; at most 120000 are allowed`);
}

/** Fields only where their type is, an `enum` of non-empty strings, properties for each object, nothing beside `anyOf`. */
function openApi(schema: Schema, { at }: Place, report: Report): void {
  const { type } = schema;
  if (schema.anyOf !== undefined) {
    if (Object.keys(schema).length > 1) report(at, "`anyOf` has other fields beside it");
    return;
  }
  if (typeof type !== "string") report(at, "`type` is not one string");
  const only = (allowed: readonly unknown[], fields: readonly string[]) => {
    const wrong = fields.find((field) => schema[field] !== undefined && !allowed.includes(type));
    if (wrong !== undefined) report(at, `\`${wrong}\` is only allowed for ${allowed.join(" and ")}`);
  };
  only(["OBJECT"], ["properties", "required", "minProperties", "maxProperties", "propertyOrdering"]);
  only(["ARRAY"], ["items", "minItems", "maxItems"]);
  only(["STRING"], ["pattern", "enum", "minLength", "maxLength"]);
  only(["NUMBER", "INTEGER"], ["minimum", "maximum"]);
  if (type === "ARRAY" && !isRecord(schema.items)) report(at, "an ARRAY without `items`");
  // Without parameters the whole schema is omitted from the declaration.
  if (type === "OBJECT" && at !== "" && entriesOf(schema.properties).length === 0)
    report(at, "an OBJECT without `properties`");
  if (schema.properties !== undefined && entriesOf(schema.properties).length === 0) report(at, "`properties` is empty");
  const formats: Readonly<Record<string, readonly unknown[]>> = {
    STRING: ["enum", "date-time"],
    NUMBER: ["float", "double"],
    INTEGER: ["int32", "int64"],
  };
  if (schema.format !== undefined && formats[String(type)]?.includes(schema.format) !== true) {
    report(at, `the format \`${String(schema.format)}\` is not supported`);
  }
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  if (values.some((value) => typeof value !== "string" || value === ""))
    report(at, "`enum` has a value that is not a non-empty string");
  if (typeof (schema.nullable ?? true) !== "boolean") report(at, "`nullable` is not a boolean");
}

function googleEnum(schema: Schema, { at }: Place, report: Report): void {
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  if (values.some((value) => !["string", "number"].includes(typeof value) || value === "")) {
    report(at, "`enum` has a value that is neither a non-empty string nor a number");
  }
}

const isRecord = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const entriesOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);
const hasProperty = ({ properties }: Schema, name: string): boolean =>
  isRecord(properties) && Object.hasOwn(properties, name);

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    return false;
  }
}
