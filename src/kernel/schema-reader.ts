/**
 * Reads a schema through what only refers and combines: local `$ref`, `allOf`, and the branch of a union that a value belongs to.
 * Each subschema is read once, so that a schema of another server costs at most its size.
 */
import { isRecord } from "./coerce.js";
import type { JsonSchema } from "./schema.js";

export interface SchemaReader {
  /** The schema with its `$ref` followed and its `allOf` merged. A reference that does not resolve, or to itself, allows everything. */
  resolved(schema: JsonSchema): JsonSchema;
  /** Whether `type` is among the types that the schema or a branch of it states. */
  accepts(schema: JsonSchema, type: string): boolean;
  /** Whether the schema states what it accepts and the empty value `value` of that type is not among it. */
  refuses(schema: JsonSchema, type: string, value: unknown): boolean;
  /** The part of the schema that applies to this object or array: for a union, with the members of the branch that fits. */
  partFor(schema: JsonSchema, value: unknown): SchemaPart;
}

interface SchemaPart {
  readonly schema: JsonSchema;
  /** Members of the other branches: null for one of them means that it is absent. */
  readonly elsewhere: ReadonlySet<string>;
}

/** Maximum number of branches of a union that are compared with a value. */
const MAX_BRANCHES = 64;
const NONE: ReadonlySet<string> = new Set();

/** What a local reference such as `#/$defs/filter` names; undefined where there is no such subschema. */
export function localTarget(root: JsonSchema, ref: unknown): JsonSchema | undefined {
  if (ref === "#") return root;
  if (typeof ref !== "string" || !ref.startsWith("#/") || ref.length > 1_000) return undefined;
  let at: unknown = root;
  for (const part of decoded(ref.slice(2)).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return isRecord(at) ? at : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function createSchemaReader(root: JsonSchema): SchemaReader {
  const merged = new Map<JsonSchema, JsonSchema>();
  const stated = new Map<JsonSchema, ReadonlySet<string>>();

  function resolved(schema: JsonSchema): JsonSchema {
    if (schema.$ref === undefined && !Array.isArray(schema.allOf)) return schema;
    const known = merged.get(schema);
    if (known !== undefined) return known;
    merged.set(schema, {}); // what a cycle meets
    const { $ref, allOf, ...own } = schema;
    const target = $ref === undefined ? undefined : localTarget(root, $ref);
    const others = [target, ...(Array.isArray(allOf) ? allOf : [])].filter(isRecord).map(resolved);
    const whole = [own, ...others].reduce(merge);
    merged.set(schema, whole);
    return whole;
  }

  function typesOf(schema: JsonSchema): ReadonlySet<string> {
    const known = stated.get(schema);
    if (known !== undefined) return known;
    stated.set(schema, NONE);
    const { type, ...others } = resolved(schema);
    const own = Array.isArray(type) ? type.filter((one) => typeof one === "string") : [type].filter(isText);
    const types = new Set([...own, ...branchesOf(others).flatMap((one) => [...typesOf(one)])]);
    stated.set(schema, types);
    return types;
  }

  function refuses(schema: JsonSchema, type: string, value: unknown, seen = new Set<JsonSchema>()): boolean {
    const read = resolved(schema);
    if (type === "null" && read.nullable === true) return false;
    if (Array.isArray(read.enum)) return !read.enum.includes(value);
    if (read.const !== undefined) return read.const !== value;
    if (read.type !== undefined) return !typesOf(schema).has(type);
    if (seen.has(read)) return true;
    seen.add(read);
    const branches = branchesOf(read);
    return branches.length > 0 && branches.every((one) => refuses(one, type, value, seen));
  }

  /** The branches of a union, and of the unions that are branches. */
  function formsOf(read: JsonSchema, forms = new Set<JsonSchema>()): readonly JsonSchema[] {
    for (const branch of branchesOf(read)) {
      const form = resolved(branch);
      if (forms.size >= MAX_BRANCHES || forms.has(form)) continue;
      forms.add(form);
      formsOf(form, forms);
    }
    return [...forms];
  }

  function partFor(schema: JsonSchema, value: unknown): SchemaPart {
    const read = resolved(schema);
    const branches = formsOf(read);
    if (branches.length === 0) return { schema: read, elsewhere: NONE };
    if (Array.isArray(value)) {
      const list = branches.find((one) => isRecord(one.items));
      return { schema: list === undefined ? read : merge(read, list), elsewhere: NONE };
    }
    const objects = branches.filter((one) => isRecord(one.properties));
    const fitting = isRecord(value) ? objects.filter((one) => fits(one, value, resolved)) : [];
    const chosen = fitting.find((one) => knowsAll(one, read, value)) ?? fitting[0];
    if (chosen === undefined) return { schema: read, elsewhere: NONE };
    const elsewhere = new Set(objects.flatMap((one) => Object.keys(one.properties as object)));
    return { schema: merge(read, chosen), elsewhere };
  }

  return { resolved, accepts: (schema, type) => typesOf(schema).has(type), refuses, partFor };
}

const isText = (value: unknown): value is string => typeof value === "string";

function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  const branches = schema.anyOf ?? schema.oneOf;
  return Array.isArray(branches) ? branches.filter(isRecord) : [];
}

/** Both schemas apply: the keywords of either, where both have one that of the first; members and their requirement of both. */
function merge(one: JsonSchema, other: JsonSchema): JsonSchema {
  const required = [one.required, other.required].flat().filter(isText);
  const properties =
    isRecord(one.properties) && isRecord(other.properties)
      ? Object.fromEntries([...Object.entries(other.properties), ...Object.entries(one.properties)])
      : (one.properties ?? other.properties);
  return {
    ...other,
    ...one,
    ...(properties === undefined ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Whether an object can belong to a branch: what the branch requires is there, and its constants have their values. */
function fits(
  branch: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  resolved: SchemaReader["resolved"],
): boolean {
  const required = Array.isArray(branch.required) ? branch.required.filter(isText) : [];
  const properties = branch.properties as Readonly<Record<string, unknown>>;
  return required.every((name) => {
    if (!Object.hasOwn(value, name)) return false;
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const read = isRecord(member) ? resolved(member) : {};
    if (read.const !== undefined && typeof read.const !== "object") return read.const === value[name];
    if (Array.isArray(read.enum) && typeof value[name] === "string") return read.enum.includes(value[name]);
    return value[name] !== null || read.type === undefined || [read.type].flat().includes("null");
  });
}

/** Whether the branch or the schema around it has every member that is not null. */
function knowsAll(branch: JsonSchema, around: JsonSchema, value: unknown): boolean {
  const known = [branch.properties, around.properties].filter(isRecord);
  return Object.entries(value as object).every(
    ([name, member]) => member === null || known.some((one) => Object.hasOwn(one, name)),
  );
}
