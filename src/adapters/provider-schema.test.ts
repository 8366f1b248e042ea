import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../kernel/index.js";
import { repair } from "../kernel/repair.js";
import { schemaProblems } from "../testing/schema-problems.js";
import type { SchemaProvider } from "./provider-rules.js";
import { providerSchema } from "./provider-schema.js";

const PROVIDERS: readonly SchemaProvider[] = ["openai-strict", "openai", "anthropic", "google", "google-json-schema"];

/** The schema for each provider, each of which has no problem. */
function forAll(schema: JsonSchema): Record<SchemaProvider, JsonSchema> {
  const made = PROVIDERS.map((provider) => [provider, providerSchema(schema, provider).schema] as const);
  for (const [provider, one] of made) expect([provider, schemaProblems(one, provider)]).toEqual([provider, []]);
  return Object.fromEntries(made) as Record<SchemaProvider, JsonSchema>;
}

const object = (properties: object, others: object = {}): JsonSchema => ({ type: "object", properties, ...others });
const notesOf = (schema: JsonSchema, provider: SchemaProvider) => providerSchema(schema, provider).notes;

describe("a schema of another server", () => {
  it("loses formats and additionalProperties where they are refused, and keeps them elsewhere [MCP-06]", () => {
    const schema = object({ u: { type: "string", format: "uri" } }, { additionalProperties: false });
    const { google, "openai-strict": strict, openai, anthropic } = forAll(schema);
    expect(google).toEqual({ type: "OBJECT", properties: { u: { type: "STRING", description: "format: uri." } } });
    expect(strict).toEqual({
      type: "object",
      properties: { u: { type: ["string", "null"], description: "format: uri." } },
      required: ["u"],
      additionalProperties: false,
    });
    expect([openai, anthropic]).toEqual([schema, schema]);
    expect(notesOf(schema, "google")).toEqual(["`u` has `format`, which is moved to the description."]);
    expect(notesOf(schema, "anthropic")).toEqual([]);
  });

  it("has `nullable` instead of a list of types where that is refused [MCP-07]", () => {
    const schema = object({ p: { type: ["string", "null"] } });
    const { google, openai } = forAll(schema);
    expect(google).toEqual({ type: "OBJECT", properties: { p: { type: "STRING", nullable: true } } });
    expect(openai).toEqual(schema);
  });

  it("with a union at the top is one object [MCP-08]", () => {
    const schema = {
      anyOf: [object({ a: { type: "string" } }, { required: ["a"] }), object({ b: { type: "string" } })],
    };
    for (const made of Object.values(forAll(schema))) {
      expect(Object.keys(made.properties as object)).toEqual(["a", "b"]);
      expect(made.anyOf).toBeUndefined();
    }
    expect(notesOf(schema, "anthropic")).toEqual([
      "The schema has a union, which is merged into one schema; Haft checks the alternatives.",
    ]);
    const made = providerSchema(schema, "openai-strict").schema;
    expect(made.required).toEqual(["a", "b"]);
    expect(repair({ a: null, b: "x" }, schema, { unknownParameter: "refuse" }).value).toEqual({ b: "x" });
  });

  it("has its references inlined, a recursive one cut, and a lost one open", () => {
    const tree = object({ name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/tree" } } });
    const schema = object(
      { tree: { $ref: "#/$defs/tree" }, far: { $ref: "https://example.com/x" } },
      { $defs: { tree } },
    );
    const { anthropic } = forAll(schema);
    expect(JSON.stringify(anthropic)).not.toContain("$ref");
    expect(notesOf(schema, "anthropic")).toEqual([
      "`tree.children[]` is recursive; its subschemas are omitted, and Haft checks them.",
      "`far` has a `$ref` that cannot be resolved and is ignored.",
    ]);
    expect(notesOf(schema, "openai-strict")).toContain(
      "`tree.children[]` is given as JSON text, because the provider does not support an object with additional properties here.",
    );
  });

  it("has additional properties as JSON text where the provider does not support them, and Haft parses it", () => {
    const schema = object({
      env: { type: "object", additionalProperties: { type: "string" }, description: "Variables." },
    });
    const { google, anthropic } = forAll(schema);
    expect(google.properties).toEqual({
      env: {
        type: "STRING",
        description: "Variables. JSON text of an object with additional properties, each string.",
      },
    });
    expect(anthropic).toEqual(schema);
    const { value } = repair({ env: '{"A":"1"}' }, schema, { unknownParameter: "refuse" });
    expect(value).toEqual({ env: { A: "1" } });
  });

  it("has what is omitted in the description, with a note", () => {
    const schema = object({
      pair: { type: "array", items: [{ type: "string" }, { type: "integer" }] },
      odd: { type: "integer", not: { const: 2 }, default: 1 },
      level: { type: "integer", enum: [1, 2, 3] },
    });
    const { google, anthropic } = forAll(schema);
    expect(google.properties).toEqual({
      pair: {
        type: "ARRAY",
        items: { anyOf: [{ type: "STRING" }, { type: "INTEGER" }] },
        description: "Items in order: string, integer.",
      },
      odd: { type: "INTEGER", description: 'Also required: {"not":{"const":2}}. Default: 1.' },
      level: { type: "INTEGER", description: "One of: 1, 2, 3." },
    });
    expect((anthropic.properties as { level: object }).level).toEqual({ type: "integer", enum: [1, 2, 3] });
    expect(notesOf(schema, "google")).toEqual([
      "`pair` is a tuple; the description lists the types of its items.",
      "`odd` has `not`, which is omitted; Haft checks it.",
      "`level` has `enum`, which is moved to the description.",
    ]);
  });

  it("has combinations merged: properties of `allOf`, alternatives of what is required, constants of a union", () => {
    const schema = object(
      { a: { type: "string" }, mode: { oneOf: [{ const: "x" }, { const: "y" }] }, any: {} },
      {
        allOf: [object({ b: { type: "integer" } }, { required: ["b"] })],
        anyOf: [{ required: ["a"] }, { required: ["mode"] }],
      },
    );
    const { anthropic } = forAll(schema);
    expect(anthropic).toMatchObject({
      properties: {
        a: { type: "string" },
        mode: { type: "string", enum: ["x", "y"] },
        any: {},
        b: { type: "integer" },
      },
      required: ["b"],
      description: 'Also required: {"anyOf":[{"required":["a"]},{"required":["mode"]}]}.',
    });
  });

  it("has names that the provider accepts, which Haft takes for the tool's", () => {
    const schema = object({
      "filter[id]": { type: "string" },
      $top: { type: "integer" },
      名: {},
      "a.b": {},
      "a[b]": {},
    });
    const { schema: made, notes } = providerSchema(schema, "anthropic");
    expect(schemaProblems(made, "anthropic")).toEqual([]);
    expect(Object.keys(made.properties as object)).toEqual(["filter_id_", "_top", "a.b"]);
    expect(notes).toEqual([
      "`filter[id]` is renamed to `filter_id_`, because the provider refuses its name.",
      "`$top` is renamed to `_top`, because the provider refuses its name.",
      "`名` is omitted, because the provider refuses its name.",
      "`a[b]` is omitted, because the provider refuses its name.",
    ]);
    const { value } = repair({ filter_id_: "x", _top: 1 }, schema, { unknownParameter: "refuse" });
    expect(value).toEqual({ "filter[id]": "x", $top: 1 });
  });

  it("has no pattern with a lookaround for OpenAI, and no invalid one for any", () => {
    const schema = object({ a: { type: "string", pattern: "^(?!x)" }, b: { type: "string", pattern: "(" } });
    const { openai, anthropic } = forAll(schema);
    expect(openai.properties).toEqual({
      a: { type: "string", description: "pattern: ^(?!x)." },
      b: { type: "string" },
    });
    expect(anthropic.properties).toEqual({ a: { type: "string", pattern: "^(?!x)" }, b: { type: "string" } });
  });
});

it("says what it does to the schema itself in the singular", () => {
  const schema = object({}, { patternProperties: { "^x": {} }, not: { required: ["a"] }, $ref: "#/lost" });
  expect(notesOf(schema, "google")).toEqual([
    "The schema has `not`, which is omitted; Haft checks it.",
    "The schema has `patternProperties`, whose patterns are omitted; Haft checks the names.",
    "The schema has a `$ref` that cannot be resolved and is ignored.",
    "The schema accepts additional properties, which are omitted.",
  ]);
});

it("names the providers for an unknown one", () => {
  for (const provider of ["gemini", "toString", undefined]) {
    expect(() => providerSchema(object({}), provider as SchemaProvider)).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: `There are no schemas for ${JSON.stringify(provider)}. Use one of openai-strict, openai, anthropic, google, google-json-schema.`,
      }),
    );
  }
});

describe("a hostile schema", () => {
  const nested = (depth: number, wrap: (inner: JsonSchema) => JsonSchema): JsonSchema =>
    Array.from({ length: depth }).reduce<JsonSchema>((inner) => wrap(inner), { type: "string" });

  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, at === 39 ? { type: "string" } : object({ a: next, b: next })];
    }),
  );
  const many = Array.from({ length: 10_000 }, (_, at) => [`p${at}`, { type: "string", enum: [`v${at}`] }] as const);
  const schemas: Readonly<Record<string, unknown>> = {
    "10,000 properties": object(Object.fromEntries(many), { required: ["p9999"] }),
    "10,000 properties in a union": { anyOf: many.map(([name, one]) => object({ [name]: one })) },
    "10,000 names that are refused": object(Object.fromEntries(many.map(([name, one]) => [`${name}[]`, one]))),
    "10,000 nested objects": nested(10_000, (inner) => object({ a: inner })),
    "10,000 nested arrays": object({ a: nested(10_000, (items) => ({ type: "array", items })) }),
    "10,000 nested unions": nested(10_000, (inner) => ({ anyOf: [inner, { type: "null" }] })),
    "10,000 nested negations": object({ a: nested(10_000, (not) => ({ not })) }),
    "references that double 40 times": object({ a: { $ref: "#/$defs/d0" } }, { $defs: doubling }),
    "references in a circle": {
      $ref: "#/$defs/a",
      $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } },
    },
    itself: { type: "object", properties: { self: { $ref: "#" } }, allOf: [{ $ref: "#" }] },
    "names of the prototype": JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"$ref":"#/$defs/__proto__"}},"required":["__proto__","toString"],"$defs":{}}',
    ),
    "a description of a megabyte": object({ a: { type: "string", description: "x".repeat(1_000_000) } }),
    "an enumeration of 100,000": object({ a: { enum: Array.from({ length: 100_000 }, (_, at) => `value ${at}`) } }),
    "keywords of the wrong type": object(
      {
        a: { type: "strin", minLength: -1, enum: "x" },
        b: { type: ["integer", 5], minimum: "1" },
        c: { items: 5, required: 1 },
      },
      { required: "a", additionalProperties: 7, anyOf: {}, allOf: [1, null] },
    ),
    "a list": [],
    "a text": "object",
  };

  it.each(Object.keys(schemas))("%s ends in a valid schema", (name) => {
    for (const provider of PROVIDERS) {
      const { schema, notes } = providerSchema(schemas[name] as JsonSchema, provider);
      expect([provider, schemaProblems(schema, provider)]).toEqual([provider, []]);
      expect(notes.length).toBeLessThanOrEqual(51);
    }
    expect(({} as { type?: unknown }).type).toBeUndefined();
  });

  it("stays within the limits of a strict schema, required properties first", () => {
    const { schema } = providerSchema(schemas["10,000 properties"] as JsonSchema, "openai-strict");
    expect(Object.keys(schema.properties as object)).toHaveLength(5_000);
    expect(Object.keys(schema.properties as object)[0]).toBe("p9999");
  });
});

it("every schema that is made is one of JSON Schema 2020-12", () => {
  const ajv = new Ajv2020({ strict: false });
  const schema = object({
    a: { type: "integer", minimum: 1, exclusiveMinimum: true },
    b: { type: "array", items: [{}] },
  });
  const made = forAll(schema);
  for (const provider of ["openai-strict", "openai", "anthropic", "google-json-schema"] as const) {
    expect(ajv.validateSchema(made[provider])).toBe(true);
  }
});

it("a schema with a value that cannot be read becomes one of any object", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const throwing = {
    toJSON() {
      throw new Error("no");
    },
  };
  for (const value of [deep, throwing]) {
    const { schema, notes } = providerSchema({ type: "object", properties: { a: { enum: [value] } } }, "google");
    expect([schema.type, notes]).toEqual(["OBJECT", [expect.stringContaining("could not be read (")]]);
  }
});
