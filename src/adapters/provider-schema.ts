/** JSON Schemas that a provider accepts for the parameters of a tool, made from any schema. */
import { type JsonSchema, messageOf } from "../kernel/index.js";
import { CONSTRAINTS, type ProviderRules, rulesOf, type SchemaProvider, STRICT_LIMITS } from "./provider-rules.js";
import { Notes, propertyPath, readArguments } from "./read-arguments.js";
import { isOf, type Shape, type ShapeType, typeText } from "./schema-shape.js";

/** A schema that a provider accepts. */
export interface ProviderSchema {
  readonly schema: JsonSchema;
  /** What was omitted, moved to a description or turned into JSON text: one sentence each. Haft still checks it. */
  readonly notes: readonly string[];
}

/** Maximum number of characters that a constraint or an `enum` takes in a description. */
const MAX_REMARK = 500;

/**
 * The schema under the rules of a provider, for `schema` of a tool of Haft or of any other. It accepts every valid input that
 * the provider can express; what it accepts beyond that, Haft refuses when the tool is called. Null for an optional parameter, JSON text
 * for an object or array, and a name without its punctuation become what the tool takes when the call runs.
 *
 * ```ts
 * const { schema, notes } = providerSchema(descriptor.parameters, "openai-strict");
 * ```
 *
 * Pure and bounded: recursion, depth and size of a hostile schema end in a note.
 *
 * @throws `CONFIG_INVALID` for an unknown provider.
 */
export function providerSchema(schema: JsonSchema, provider: SchemaProvider): ProviderSchema {
  const rules = rulesOf(provider);
  try {
    return writtenFor(rules, schema);
  } catch (thrown) {
    // A value that is nested too deep for JSON, or has a `toJSON` that throws.
    const why = messageOf(thrown).replace(/\.$/, "");
    const note = `The schema could not be read (${why}) and is omitted: Haft checks the arguments alone.`;
    return { ...writtenFor(rules, { type: "object" }), notes: [note] };
  }
}

function writtenFor(rules: ProviderRules, schema: JsonSchema): ProviderSchema {
  const notes = new Notes();
  const written = new SchemaWriter(rules, notes).root(readArguments(schema, notes));
  return { schema: written, notes: notes.list() };
}

type Written = Record<string, unknown>;

class SchemaWriter {
  readonly #rules: ProviderRules;
  readonly #notes: Notes;
  /** What is left of the limits of a strict schema. */
  #properties = STRICT_LIMITS.properties;
  #characters = STRICT_LIMITS.characters;
  #values = STRICT_LIMITS.values;

  constructor(rules: ProviderRules, notes: Notes) {
    this.#rules = rules;
    this.#notes = notes;
  }

  root(shape: Shape): JsonSchema {
    const remarks = [...shape.remarks];
    const written = this.#single(shape, "", 0, remarks);
    return described(written, shape.description, remarks);
  }

  #write(shape: Shape, at: string, level: number, isOptional = false): JsonSchema {
    const { description, remarks } = shape;
    if (shape.isAny) return this.#any(shape, at);
    const nullable = shape.nullable || (this.#rules.isStrict === true && isOptional);
    const forms = (shape.branches ?? [shape]).flatMap(singles);
    const [only] = forms;
    const texts = forms.filter((one) => this.#needsText(one, level));
    if (only !== undefined && forms.length === 1 && shape.branches === undefined) {
      const own = [...remarks];
      const written = texts.length > 0 ? this.#text(texts, at) : this.#single(only, at, level, own);
      return this.#union([written], nullable, [description, ...own]);
    }
    const written = forms
      .filter((one) => !texts.includes(one))
      .map((one) => {
        const own = [...one.remarks];
        return described(this.#single(one, at, level, own), one.description, own);
      });
    if (texts.length > 0 && forms.some(({ types }) => types[0] === "string")) {
      // As JSON text it would reach the tool as that text.
      this.#notes.add(at, `cannot be ${texts.map(kindText).join(" or ")}, which the provider does not support here`);
    } else if (texts.length > 0) written.push(this.#text(texts, at));
    return this.#union(written, nullable, [description, ...remarks]);
  }

  #any({ description, remarks }: Shape, at: string): Written {
    if (this.#rules.takesOpen) return described({}, description, remarks);
    this.#notes.add(at, "accepts any value, of which only strings, numbers, booleans and null can be given");
    const forms = ["string", "number", "boolean"].map((type) => ({ type: this.#typeName(type) }));
    return this.#union(forms, true, [description, ...remarks]);
  }

  /** A union of several schemas, with null. */
  #union(forms: readonly Written[], nullable: boolean, texts: readonly string[]): Written {
    const [first, ...others] = forms;
    if (this.#rules.isOpenApi) {
      if (first === undefined) return described({ type: "STRING", nullable: true }, "", [...texts, "Always null."]);
      const head = described(nullable ? { ...first, nullable: true } : first, "", texts);
      return others.length === 0 ? head : { anyOf: [head, ...others] };
    }
    if (first === undefined) return described({ type: "null" }, "", texts);
    if (others.length > 0) return described({ anyOf: [...forms, ...(nullable ? [NULL] : [])] }, "", texts);
    if (!nullable) return described(first, "", texts);
    const isPlain = first.enum === undefined && first.properties === undefined && first.items === undefined;
    return isPlain
      ? described({ ...first, type: [first.type, "null"] }, "", texts)
      : described({ anyOf: [first, NULL] }, "", texts);
  }

  /** A shape of one type that is written as this type. Constraints that cannot stay are added to `remarks`. */
  #single(shape: Shape, at: string, level: number, remarks: string[]): Written {
    const [type = "string"] = shape.types;
    const written: Written = { type: this.#typeName(type), ...this.#constraints(shape, type, at, remarks) };
    if (type === "object") Object.assign(written, this.#objectKeywords(shape, at, level));
    if (type === "array") {
      written.items = shape.items === undefined ? {} : this.#write(shape.items, `${at}[]`, level + 1);
    }
    return written;
  }

  #text(shapes: readonly Shape[], at: string): Written {
    this.#notes.add(
      at,
      `is given as JSON text, because the provider does not support ${shapes.map(kindText).join(" or ")} here`,
    );
    const lines = shapes.map((one) => `JSON text of ${kindText(one)}${contentText(one)}.`);
    const values = shapes.flatMap((one) => (one.enum === undefined ? [] : [`One of: ${listText(one.enum)}.`]));
    return described({ type: this.#typeName("string") }, "", [...lines, ...values]);
  }

  #typeName(type: string): string {
    return this.#rules.isOpenApi ? type.toUpperCase() : type;
  }

  #constraints(shape: Shape, type: ShapeType, at: string, remarks: string[]): Written {
    const { kept, formats, hasLookaround, isEnum } = this.#rules;
    const written: Written = {};
    for (const [keyword, value] of Object.entries(shape.keywords)) {
      if (!CONSTRAINTS[type]?.includes(keyword)) continue; // says nothing about this type
      const isKept =
        kept[type]?.includes(keyword) === true &&
        (keyword !== "format" || formats === undefined || formats.includes(String(value))) &&
        (keyword !== "pattern" || hasLookaround || !/\(\?<?[=!]/.test(String(value)));
      if (isKept) written[keyword] = value;
      else {
        this.#notes.add(at, `has \`${keyword}\`, which is moved to the description`);
        remarks.push(`${keyword}: ${String(value).slice(0, MAX_REMARK)}.`);
      }
    }
    const values = shape.enum;
    if (values === undefined || values.length === 0) return written;
    if (isEnum(type, values) && this.#hasRoomFor(values)) return { ...written, enum: values };
    this.#notes.add(at, "has `enum`, which is moved to the description");
    remarks.push(`One of: ${listText(values)}.`);
    return written;
  }

  #hasRoomFor(values: readonly unknown[]): boolean {
    if (!this.#rules.isStrict) return true;
    const characters = values.reduce<number>((sum, value) => sum + String(value).length, 0);
    if (values.length > this.#values || characters > this.#characters) return false;
    if (values.length > STRICT_LIMITS.longEnum && characters > STRICT_LIMITS.longEnumCharacters) return false;
    this.#values -= values.length;
    this.#characters -= characters;
    return true;
  }

  #objectKeywords({ properties, required, rest }: Shape, at: string, level: number): Written {
    const { isStrict, isOpenApi, takesOpen } = this.#rules;
    const isOverLimit = isStrict === true && properties.size > this.#properties;
    const order = [...properties.keys()];
    if (isOverLimit) order.sort((one, other) => Number(required.has(other)) - Number(required.has(one)));
    const names = this.#namesFor(order, at, level).filter(([name]) => this.#hasRoomForName(name, at));
    const written = names.map(([name, given]): [string, JsonSchema] => [
      given,
      this.#write(properties.get(name) as Shape, propertyPath(at, name), level + 1, !required.has(name)),
    ]);
    const needed = names.filter(([name]) => isStrict || required.has(name)).map(([, given]) => given);
    const isOpen = rest === true || typeof rest === "object";
    if (isOpen && !takesOpen) this.#notes.add(at, "accepts additional properties, which are omitted");
    const further =
      takesOpen && typeof rest === "object" ? this.#write(rest, propertyPath(at, "*"), level + 1) : undefined;
    const isClosed = isStrict === true || (rest === false && !isOpenApi);
    return {
      ...(written.length === 0 && !isStrict && (isOpenApi || level > 0)
        ? {}
        : { properties: Object.fromEntries(written) }),
      ...(needed.length > 0 || isStrict ? { required: needed } : {}),
      ...(isClosed ? { additionalProperties: false } : {}),
      ...(further === undefined ? {} : { additionalProperties: further }),
    };
  }

  #hasRoomForName(name: string, at: string): boolean {
    if (!this.#rules.isStrict) return true;
    if (this.#properties > 0 && this.#characters >= name.length) {
      this.#properties--;
      this.#characters -= name.length;
      return true;
    }
    this.#notes.add(at, "has more properties than the provider allows; the others are omitted");
    return false;
  }

  /** Each name with the one that the provider accepts. Haft takes the latter for the former when they differ in punctuation alone. */
  #namesFor(order: readonly string[], at: string, level: number): (readonly [string, string])[] {
    const { names } = this.#rules;
    if (level > 0 || names === undefined || order.every((name) => names.valid.test(name))) {
      return order.map((name) => [name, name]);
    }
    const alike = new Map<string, number>();
    for (const name of order) alike.set(lettersOf(name), (alike.get(lettersOf(name)) ?? 0) + 1);
    return order.flatMap((name) => {
      if (names.valid.test(name)) return [[name, name] as const];
      const given = names.valid.test(`a${name}`)
        ? `_${name}`
        : name.replace(names.invalid, "_").replace(/^(?=\d)/, "_");
      const isClear =
        alike.get(lettersOf(name)) === 1 && lettersOf(name) !== "" && lettersOf(name) === lettersOf(given);
      if (isClear && names.valid.test(given)) {
        this.#notes.add(propertyPath(at, name), `is renamed to \`${given}\`, because the provider refuses its name`);
        return [[name, given] as const];
      }
      this.#notes.add(propertyPath(at, name), "is omitted, because the provider refuses its name");
      return [];
    });
  }

  /** Whether a shape of one type is given as JSON text. */
  #needsText({ types, properties, rest, items }: Shape, level: number): boolean {
    const [type] = types;
    const { isStrict, isOpenApi, takesOpen } = this.#rules;
    if (takesOpen || (type !== "object" && type !== "array")) return false;
    if (isStrict && level >= STRICT_LIMITS.levels) return true;
    if (type === "array") return items === undefined || items.isAny;
    return properties.size === 0 && (isOpenApi === true || rest !== false);
  }
}

const NULL = { type: "null" };

/** As Haft compares names without their punctuation. */
const lettersOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** A shape of several types as one shape for each. */
function singles(shape: Shape): readonly Shape[] {
  if (shape.types.length < 2) return shape.types.length === 0 ? [] : [shape];
  return shape.types.map((type) => {
    const values = shape.enum?.filter((value) => isOf(value, [type]));
    return { ...shape, types: [type], enum: values, description: "", remarks: [] };
  });
}

function described(written: Written, description: string, texts: readonly string[]): Written {
  const all = [description, ...texts, typeof written.description === "string" ? written.description : ""].filter(
    (text) => text !== "",
  );
  const { description: _, ...rest } = written;
  return all.length === 0 ? rest : { ...rest, description: all.join(" ") };
}

function kindText({ types, properties, items }: Shape): string {
  if (types[0] === "array") return items === undefined || items.isAny ? "an array of any items" : "an array";
  return properties.size === 0 ? "an object with additional properties" : "an object";
}

/** What is inside a value that is given as text. */
function contentText({ types, rest, items, properties }: Shape): string {
  if (types[0] === "array") return items === undefined || items.isAny ? "" : ` whose items are ${typeText(items)}`;
  if (properties.size > 0)
    return ` with ${[...properties]
      .map(([name, one]) => `${name} (${typeText(one)})`)
      .join(", ")
      .slice(0, MAX_REMARK)}`;
  return typeof rest === "object" && !rest.isAny ? `, each ${typeText(rest)}` : "";
}

function listText(values: readonly unknown[]): string {
  const text = values
    .slice(0, 100)
    .map((value) => JSON.stringify(value))
    .join(", ");
  return text.length <= MAX_REMARK && values.length <= 100
    ? text
    : `${text.slice(0, MAX_REMARK)}… (${values.length} values)`;
}
