/**
 * Reads any JSON Schema of a tool's arguments: local references inlined, combinations merged, unions flat. What a tree cannot say
 * (recursion, `not`, `if`, tuples) is omitted with a note. Pure; the work is bounded for any schema.
 */
import { isRecord, type JsonSchema, localTarget, shownName } from "../kernel/index.js";
import {
  ANY,
  EMPTY,
  intersect,
  isOf,
  mergeBranches,
  type Shape,
  type ShapeType,
  TYPES,
  typeOf,
  typeText,
  unite,
} from "./schema-shape.js";

/** Maximum number of subschemas that are read. */
const MAX_PARTS = 10_000;
/** Maximum nesting of subschemas, combinations included. */
const MAX_NESTING = 64;
const MAX_NOTES = 50;
/** A keyword up to this long is repeated in the description. */
const MAX_REPEATED = 200;

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === "string";

/** Keyword → whether its value is valid. */
const KEYWORDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  minLength: isCount,
  maxLength: isCount,
  pattern: (value) => isText(value) && isPattern(value),
  format: isText,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: (value) => value === true,
  minProperties: isCount,
  maxProperties: isCount,
};

/** Keywords that no provider takes everywhere. Haft checks them all the same. */
const INEXPRESSIBLE =
  "not if dependentRequired dependentSchemas dependencies contains propertyNames unevaluatedProperties unevaluatedItems".split(
    " ",
  );

/** Notes, each once, at most 50. */
export class Notes {
  readonly #notes = new Set<string>();
  #more = 0;

  add(at: string, clause: string): void {
    const note = at === "" ? `The schema ${clause}.` : `\`${shownName(at)}\` ${clause}.`;
    if (this.#notes.size < MAX_NOTES) this.#notes.add(note);
    else if (!this.#notes.has(note)) this.#more++;
  }

  list(): readonly string[] {
    return this.#more === 0 ? [...this.#notes] : [...this.#notes, `There are ${this.#more} more notes.`];
  }
}

/** The path of a property in a note, as `filter.names[]`. */
export const propertyPath = (at: string, name: string): string => (at === "" ? name : `${at}.${name}`);

/** The shape of a tool's arguments: always one object, with unions at the top merged into it. */
export function readArguments(schema: JsonSchema, notes: Notes): Shape {
  const read = new ArgumentReader(schema, notes).read(schema, "", 0);
  const { branches } = read;
  const whole = branches === undefined ? read : { ...mergeBranches(branches), description: read.description };
  if (branches !== undefined) notes.add("", MERGED);
  return { ...whole, types: ["object"], nullable: false, isAny: false, enum: undefined };
}

const MERGED = "has a union, which is merged into one schema; Haft checks the alternatives";

class ArgumentReader {
  readonly #root: JsonSchema;
  readonly #notes: Notes;
  readonly #active = new Set<unknown>();
  #left = MAX_PARTS;

  constructor(root: JsonSchema, notes: Notes) {
    this.#root = root;
    this.#notes = notes;
  }

  /** The subschema without its own subschemas, because it is too large, too deep or recursive. */
  #stub(schema: JsonSchema, at: string, why: string): Shape {
    this.#notes.add(at, `${why} are omitted, and Haft checks them`);
    const types = statedTypes(schema);
    return types.length === 0 ? ANY : { ...EMPTY, types, nullable: isNullable(schema) };
  }

  read(schema: unknown, at: string, nesting: number): Shape {
    if (!isRecord(schema)) return ANY;
    if (this.#active.has(schema)) return this.#stub(schema, at, "is recursive; its subschemas");
    if (nesting > MAX_NESTING)
      return this.#stub(schema, at, `is nested more than ${MAX_NESTING} levels deep; its subschemas`);
    if (--this.#left < 0) return this.#stub(schema, "", `has more than ${MAX_PARTS} subschemas; the others`);
    this.#active.add(schema);
    try {
      return this.#combined(schema, at, nesting + 1);
    } finally {
      this.#active.delete(schema);
    }
  }

  #combined(schema: JsonSchema, at: string, nesting: number): Shape {
    let shape = this.#own(schema, at, nesting);
    const loosened = () => this.#notes.add(at, MERGED);
    if (schema.$ref !== undefined) {
      const target = localTarget(this.#root, schema.$ref);
      if (target === undefined) this.#notes.add(at, "has a `$ref` that cannot be resolved and is ignored");
      else shape = intersect(shape, this.read(target, at, nesting), loosened);
    }
    for (const part of listOf(schema.allOf)) shape = intersect(shape, this.read(part, at, nesting), loosened);
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = listOf(schema[keyword]).filter((one) => one !== false);
      if (branches.length === 0) continue;
      const union = unite(branches.map((one) => this.read(one, at, nesting)));
      if (union.isAny && branches.some((one) => isRecord(one) && Object.keys(one).length > 0)) {
        shape = { ...shape, remarks: [...shape.remarks, ...this.#omitted(keyword, schema[keyword], at)] };
      } else shape = intersect(shape, union, loosened);
    }
    return shape;
  }

  /** What the keywords of the schema itself say. */
  #own(schema: JsonSchema, at: string, nesting: number): Shape {
    const properties = new Map<string, Shape>();
    for (const [name, member] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
      if (name === "__proto__" || member === false)
        this.#notes.add(propertyPath(at, name), "is omitted, because no value is valid");
      else properties.set(name, this.read(member, propertyPath(at, name), nesting));
    }
    // What is required without being declared can be anything.
    const required = listOf(schema.required).filter((name): name is string => isText(name) && name !== "__proto__");
    for (const name of required) if (!properties.has(name)) properties.set(name, ANY);
    const remarks = this.#remarksOf(schema, at);
    const list = Array.isArray(schema.items) ? schema.items : listOf(schema.prefixItems);
    const tuple = list.map((one) => this.read(one, `${at}[]`, nesting));
    if (tuple.length > 0) {
      this.#notes.add(at, "is a tuple; the description lists the types of its items");
      remarks.push(`Items in order: ${tuple.map(typeText).join(", ").slice(0, MAX_REPEATED)}.`);
    }
    const further = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    const items = [...tuple, ...(isRecord(further) ? [this.read(further, `${at}[]`, nesting)] : [])];
    const shape: Shape = {
      ...EMPTY,
      types: statedTypes(schema),
      nullable: isNullable(schema),
      description: [schema.description, schema.title].find((text) => isText(text) && text !== "")?.toString() ?? "",
      remarks,
      keywords: keywordsOf(schema),
      properties,
      required: new Set(required),
      rest: this.#restOf(schema, at, nesting),
      items: items.length === 0 ? undefined : unite(items),
    };
    return withValues(shape, schema);
  }

  #restOf(schema: JsonSchema, at: string, nesting: number): Shape | boolean | undefined {
    const { additionalProperties: rest, patternProperties: patterns } = schema;
    const path = propertyPath(at, "*");
    const own = isRecord(rest) ? this.read(rest, path, nesting) : typeof rest === "boolean" ? rest : undefined;
    if (!isRecord(patterns) || Object.keys(patterns).length === 0) return own;
    this.#notes.add(at, "has `patternProperties`, whose patterns are omitted; Haft checks the names");
    if (own === true || own === undefined) return true;
    const named = Object.values(patterns).map((one) => this.read(one, path, nesting));
    return unite(own === false ? named : [own, ...named]);
  }

  #remarksOf(schema: JsonSchema, at: string): string[] {
    const remarks: string[] = [];
    for (const keyword of INEXPRESSIBLE) {
      if (!Object.hasOwn(schema, keyword) || schema[keyword] === false || schema[keyword] === true) continue;
      const { [keyword]: value, then, else: otherwise } = schema;
      remarks.push(...this.#omitted(keyword, value, at, keyword === "if" ? { then, else: otherwise } : {}));
    }
    const shown = schema.default === null ? undefined : shortJson(schema.default);
    return shown === undefined ? remarks : [...remarks, `Default: ${shown}.`];
  }

  /** A note of a keyword that is omitted, and its text for the description where it is short. */
  #omitted(keyword: string, value: unknown, at: string, beside: object = {}): string[] {
    this.#notes.add(at, `has \`${keyword}\`, which is omitted; Haft checks it`);
    const shown = shortJson({ [keyword]: value, ...beside });
    return shown === undefined ? [] : [`Also required: ${shown}.`];
  }
}

/** JSON of at most 200 characters; undefined for longer ones and for what JSON cannot hold. */
function shortJson(value: unknown): string | undefined {
  const pending = [value];
  for (let seen = 0; pending.length > 0; seen++) {
    const one = pending.pop();
    if (seen > MAX_REPEATED || (typeof one === "string" && one.length > MAX_REPEATED)) return undefined;
    if (typeof one !== "object" || one === null) continue;
    for (const key in one) {
      if (pending.push((one as Record<string, unknown>)[key]) > MAX_REPEATED) return undefined;
    }
  }
  const text = JSON.stringify(value);
  return text !== undefined && text.length <= MAX_REPEATED ? text : undefined;
}

function statedTypes(schema: JsonSchema): readonly ShapeType[] {
  const stated = listOf(schema.type ?? impliedType(schema));
  const types = TYPES.filter((type) => stated.includes(type));
  return types.includes("number") ? types.filter((type) => type !== "integer") : types;
}

/** Generators omit the type where the other keywords show it. */
function impliedType(schema: JsonSchema): ShapeType | undefined {
  if (isRecord(schema.properties)) return "object";
  return schema.items !== undefined || schema.prefixItems !== undefined ? "array" : undefined;
}

function isNullable(schema: JsonSchema): boolean {
  return schema.nullable === true || listOf(schema.type).includes("null");
}

/** `const` and `enum`: the values, and the types where none is stated. Without either and without a type everything is accepted. */
function withValues(shape: Shape, schema: JsonSchema): Shape {
  const listed = Object.hasOwn(schema, "const") ? [schema.const] : schema.enum;
  if (!Array.isArray(listed) || listed.length === 0) {
    const isAny = shape.types.length === 0 && !(shape.nullable && schema.type !== undefined);
    return isAny ? { ...shape, isAny: true, nullable: true } : shape;
  }
  const isTyped = schema.type !== undefined;
  const accepted = (value: unknown) => !isTyped || isOf(value, shape.types);
  const values = listed.filter((value) => value !== null && accepted(value));
  const types = isTyped ? shape.types : TYPES.filter((type) => values.some((value) => typeOf(value) === type));
  const nullable = listed.includes(null) && (!isTyped || shape.nullable);
  return values.length === 0 && !nullable
    ? shape
    : { ...shape, types: values.length === 0 ? [] : types, nullable, enum: values };
}

function keywordsOf(schema: JsonSchema): Readonly<Record<string, unknown>> {
  const found = Object.entries(KEYWORDS).filter(
    ([name, isValid]) => Object.hasOwn(schema, name) && isValid(schema[name]),
  );
  const keywords = Object.fromEntries(found.map(([name]) => [name, schema[name]]));
  // Draft 4 wrote an exclusive limit as a flag beside it.
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (schema[flag] !== true || keywords[limit] === undefined) continue;
    keywords[flag] = keywords[limit];
    delete keywords[limit];
  }
  return keywords;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}
