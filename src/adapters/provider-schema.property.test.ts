/** Arbitrary schemas with a valid input each: what `providerSchema` makes of them is valid and takes that input. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { isRecord, type JsonSchema } from "../kernel/index.js";
import { repair } from "../kernel/repair.js";
import { fc, runCount } from "../testing/property.fixture.js";
import { schemaProblems } from "../testing/schema-problems.js";
import type { SchemaProvider } from "./provider-rules.js";
import { providerSchema } from "./provider-schema.js";

const PROVIDERS = ["openai-strict", "openai", "anthropic", "google", "google-json-schema"] as const;
const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });

interface Sample {
  readonly schema: JsonSchema;
  readonly value: unknown;
}

const name = fc.constantFrom("a", "b", "c", "path", "constructor", "toString");
const description = fc.option(fc.constantFrom("What it is", "x"), { nil: undefined });

const scalar: fc.Arbitrary<Sample> = fc.oneof(
  fc
    .string({ minLength: 3, maxLength: 8 })
    .map((value) => ({ schema: { type: "string", minLength: 3, format: "uri" }, value })),
  fc.constantFrom("ab", "ac").map((value) => ({ schema: { type: "string", pattern: "^(?=a)" }, value })),
  fc
    .integer({ min: 1, max: 50 })
    .map((value) => ({ schema: { type: "integer", minimum: 1, exclusiveMaximum: 51 }, value })),
  fc.boolean().map((value) => ({ schema: { type: "boolean", default: true }, value })),
  fc.constantFrom("x", "y").map((value) => ({ schema: { enum: ["x", "y", ""] }, value })),
  fc.constantFrom(1, 2).map((value) => ({ schema: { type: "integer", enum: [1, 2] }, value })),
  fc.constantFrom("k").map((value) => ({ schema: { const: "k" }, value })),
  fc.constantFrom(null, "t").map((value) => ({ schema: { type: ["string", "null"] }, value })),
  fc.constantFrom("t", 5).map((value) => ({ schema: { type: ["string", "integer"] }, value })),
  fc.constant({ schema: { type: "number", not: { const: 7 } }, value: 1.5 }),
);

const { node } = fc.letrec<{ node: Sample; object: Sample }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    tie("object"),
    tie("node").chain(({ schema, value }) =>
      fc
        .integer({ min: 1, max: 2 })
        .map((count) => ({ schema: { type: "array", items: schema, minItems: 1 }, value: Array(count).fill(value) })),
    ),
    tie("node").map(({ schema, value }) => ({
      schema: { type: "object", additionalProperties: schema },
      value: { FOO: value },
    })),
    tie("node").map(({ schema, value }) => ({ schema: { anyOf: [schema, { type: "null" }] }, value })),
    fc.tuple(tie("object"), tie("object")).map(([one, other]) => ({
      schema: {
        oneOf: [{ allOf: [tagged("one", one.schema)] }, tagged("other", other.schema)],
      },
      value: { ...(other.value as object), tag: "other" },
    })),
    fc.tuple(scalar, scalar).map(([one, other]) => ({
      schema: { type: "array", prefixItems: [one.schema, other.schema], items: false },
      value: [one.value, other.value],
    })),
    fc.constant({ schema: { type: "object" }, value: { any: [1, { thing: null }] } }),
    fc.constant({ schema: { $ref: "#/$defs/tree" }, value: { name: "x", child: { name: "y" } } }),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(name, tie("node"), fc.constantFrom("required", "given", "absent"), description), {
        maxLength: 4,
        selector: ([key]) => key,
      }),
      fc.boolean(),
    )
    .map(([members, isClosed]) => ({
      schema: {
        type: "object",
        properties: Object.fromEntries(
          members.map(([key, { schema }, , text]) => [
            key,
            text === undefined ? schema : { description: text, ...schema },
          ]),
        ),
        required: members.filter(([, , use]) => use === "required").map(([key]) => key),
        ...(isClosed ? { additionalProperties: false } : {}),
      },
      value: Object.fromEntries(
        members.filter(([, , use]) => use !== "absent").map(([key, { value }]) => [key, value]),
      ),
    })),
}));

function tagged(tag: string, schema: JsonSchema): JsonSchema {
  const { properties, required } = schema as { properties: object; required: readonly string[] };
  return { ...schema, properties: { ...properties, tag: { const: tag } }, required: [...required, "tag"] };
}

const tree = {
  type: "object",
  properties: { name: { type: "string" }, child: { $ref: "#/$defs/tree" } },
  required: ["name"],
  additionalProperties: false,
};
const sample = node.map(({ schema, value }) => ({
  schema: { type: "object", properties: { in: schema }, required: ["in"], $defs: { tree } } as JsonSchema,
  value: { in: value },
}));

/** The value as a model would send it under the provider's schema: null for what is absent, JSON text where a text is wanted. */
function sent(value: unknown, schema: JsonSchema): unknown {
  const forms = formsOf(schema);
  const types = forms.flatMap(({ type }) => [type].flat().map((one) => String(one).toLowerCase()));
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject) {
    const fitting = forms.filter(
      (one) =>
        one.properties !== undefined && Object.keys(value).every((key) => Object.hasOwn(one.properties as object, key)),
    );
    const form = fitting.find((one) => fits(one, value)) ?? fitting[0];
    if (form !== undefined) {
      const properties = form.properties as Record<string, JsonSchema>;
      return Object.fromEntries(
        Object.entries(properties).flatMap(([key, one]) =>
          Object.hasOwn(value, key)
            ? [[key, sent((value as Record<string, unknown>)[key], one)]]
            : (form.required as string[] | undefined)?.includes(key)
              ? [[key, null]]
              : [],
        ),
      );
    }
    if (types.includes("object")) {
      const rest = forms.find(({ type }) => type === "object")?.additionalProperties;
      return !isRecord(rest)
        ? value
        : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sent(one, rest)]));
    }
  }
  if (Array.isArray(value)) {
    const form = forms.find(({ items }) => items !== undefined);
    if (form !== undefined) return value.map((one) => sent(one, form.items as JsonSchema));
  }
  return typeof value === "object" && value !== null && types.includes("string") ? JSON.stringify(value) : value;
}

const formsOf = (schema: JsonSchema): readonly JsonSchema[] =>
  Array.isArray(schema.anyOf) ? (schema.anyOf as JsonSchema[]).flatMap(formsOf) : [schema];

function fits(form: JsonSchema, value: object): boolean {
  return Object.entries(form.properties as Record<string, JsonSchema>).every(([key, one]) => {
    const given = (value as Record<string, unknown>)[key];
    return given === undefined || key !== "tag" || (one.enum as unknown[]).includes(given);
  });
}

/** The OpenAPI subset as JSON Schema, for Ajv. */
function asJsonSchema(schema: JsonSchema): JsonSchema {
  const { nullable, type, anyOf, properties, items, ...whole } = schema as Record<string, unknown>;
  if (Array.isArray(anyOf)) whole.anyOf = anyOf.map(asJsonSchema);
  if (isRecord(properties)) {
    const members = Object.entries(properties as Record<string, JsonSchema>);
    whole.properties = Object.fromEntries(members.map(([key, one]) => [key, asJsonSchema(one)]));
  }
  if (isRecord(items)) whole.items = asJsonSchema(items);
  if (type !== undefined) whole.type = String(type).toLowerCase();
  return nullable === true ? { anyOf: [whole, { type: "null" }] } : whole;
}

/** Null and absent are one where the tool itself accepts null for an optional member. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(members.map(([key, one]) => [key, withoutNulls(one)]));
}

/** Notes after which the schema takes less than the tool does. */
const LOSSY = /cannot be|is omitted, because|additional properties, which|accepts any value/;

describe.each(PROVIDERS)("an arbitrary schema for %s", (provider: SchemaProvider) => {
  it("is valid, takes what the tool takes, and the tool gets it back", () => {
    let lossless = 0;
    fc.assert(
      fc.property(sample, ({ schema, value }) => {
        if (!ajv.validate(schema, value)) return; // two branches of `oneOf` that are alike
        const made = providerSchema(schema, provider);
        expect(schemaProblems(made.schema, provider)).toEqual([]);
        const plain = provider === "google" ? asJsonSchema(made.schema) : made.schema;
        if (made.notes.some((note) => LOSSY.test(note))) return;
        lossless++;
        const call = sent(value, plain);
        const problem = () => JSON.stringify({ schema, value, made, call, errors: ajv.errors });
        if (!ajv.validate(plain, call)) throw new Error(problem());
        const mended = repair(call, schema, { unknownParameter: "refuse" });
        if (!ajv.validate(schema, mended.value)) throw new Error(problem());
        expect(withoutNulls(mended.value)).toEqual(withoutNulls(value));
      }),
      { numRuns: runCount(150) },
    );
    expect(lossless).toBeGreaterThan(50);
  });
});

/** Keywords with values of any kind, mostly wrong ones. */
const { soup } = fc.letrec<{ soup: unknown; members: unknown }>((tie) => ({
  soup: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.jsonValue({ maxDepth: 1 }),
    fc.dictionary(
      fc.constantFrom(
        ..."type enum const $ref allOf anyOf oneOf not items prefixItems properties required additionalProperties".split(
          " ",
        ),
        ..."patternProperties nullable default description title format pattern minLength maxItems minimum".split(" "),
        ..."exclusiveMinimum multipleOf if then dependentRequired $defs".split(" "),
      ),
      fc.oneof(
        tie("soup"),
        tie("members"),
        fc.array(tie("soup"), { maxLength: 3 }),
        fc.constantFrom(
          "object",
          "array",
          "string",
          "null",
          "number",
          "integer",
          "boolean",
          "#",
          "#/$defs/a",
          "date-time",
          "(?=x)",
        ),
        fc.constantFrom(
          ["string", "null"],
          ["object", "array", "string"],
          ["a", "__proto__"],
          [1, "x", true, null, {}, ""],
        ),
        fc.constantFrom(true, false, 0, 1, -1, 1.5, 1e300),
      ),
      { maxKeys: 6 },
    ),
  ),
  members: fc.dictionary(
    fc.constantFrom("a", "b", "a[b]", "__proto__", "toString", "", "é", "1", "x".repeat(70)),
    tie("soup"),
    { maxKeys: 4 },
  ),
}));

it.each(PROVIDERS)("whatever is given as a schema, it is valid for %s afterwards", (provider) => {
  fc.assert(
    fc.property(soup, soup, (one, other) => {
      const schema = { type: "object", properties: { one, other }, ...(isRecord(one) ? one : {}) };
      for (const given of [schema, other]) {
        const made = providerSchema(given as JsonSchema, provider);
        expect(schemaProblems(made.schema, provider)).toEqual([]);
      }
    }),
  );
});
