import { describe, expect, it } from "vitest";
import { schemaProblems } from "./schema-problems.js";

type Provider = Parameters<typeof schemaProblems>[1];

const strict = (properties: object, others: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...others,
});
const open = (properties: object, others: object = {}) => ({ type: "object", properties, ...others });
const google = (properties: object, others: object = {}) => ({ type: "OBJECT", properties, ...others });
const text = { type: "string" };
const deep = (levels: number): object => (levels === 0 ? text : strict({ a: deep(levels - 1) }));

describe("a schema that a provider takes", () => {
  const right: readonly [Provider, object][] = [
    ["openai-strict", strict({})],
    ["openai-strict", strict({ a: { type: ["string", "null"] }, b: { anyOf: [text, { type: "null" }] } })],
    [
      "openai-strict",
      strict({ a: { type: "string", format: "uuid", pattern: "^(?:a|b)$" }, n: { type: "integer", minimum: 1 } }),
    ],
    ["openai-strict", strict({ self: { $ref: "#/$defs/node" } }, { $defs: { node: strict({ name: text }) } })],
    ["openai-strict", deep(10)],
    ["openai", open({ a: { type: "array", items: {} }, map: { type: "object", additionalProperties: text } })],
    ["anthropic", open({ a: { oneOf: [text, { type: "null" }] }, "b.c-d": { const: 1 } }, { required: ["a"] })],
    ["google", google({ a: { type: "STRING", enum: ["x"], nullable: true }, b: { anyOf: [{ type: "STRING" }] } })],
    ["google", { type: "OBJECT" }],
    [
      "google-json-schema",
      open({ a: { type: ["string", "null"] }, b: { enum: ["x", 1] } }, { additionalProperties: false }),
    ],
  ];
  it.each(right)("has no problem: %s %j", (provider, schema) => {
    expect(schemaProblems(schema, provider)).toEqual([]);
  });
});

describe("a schema that a provider refuses", () => {
  const wrong: readonly [Provider, unknown, string][] = [
    ["openai-strict", "object", "the schema: its type is not `object`"],
    ["openai-strict", { anyOf: [strict({})] }, "the schema: its type is not `object`"],
    ["openai-strict", open({}), "the schema: `additionalProperties` is not false"],
    ["openai-strict", strict({ a: text }, { required: [] }), "the schema: `a` is not required"],
    ["openai-strict", strict({ a: open({}) }), "/properties/a: `additionalProperties` is not false"],
    ["openai-strict", strict({ a: { type: "string", minLength: 1 } }), "/properties/a: `minLength` is not supported"],
    [
      "openai-strict",
      strict({ a: { type: "string", format: "uri" } }),
      "/properties/a: the format `uri` is not supported",
    ],
    ["openai-strict", strict({ a: { allOf: [text] } }), "/properties/a: `allOf` is not supported"],
    [
      "openai-strict",
      strict({ a: { anyOf: [open({}), text] } }),
      "/properties/a/anyOf/0: `additionalProperties` is not false",
    ],
    ["openai-strict", strict({ a: {} }), "/properties/a: it has no type"],
    ["openai-strict", strict({ a: { type: "array" } }), "/properties/a: an array without `items`"],
    [
      "openai-strict",
      strict({ a: { type: "string", pattern: "(?<!x)y" } }),
      "/properties/a: `pattern` has a lookaround",
    ],
    ["openai-strict", deep(11), `${"/properties/a".repeat(10)}: it is nested more than 10 levels deep`],
    [
      "openai-strict",
      strict(Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`p${at}`, text]))),
      "the schema: it has 5001 properties; at most 5000 are allowed",
    ],
    [
      "openai-strict",
      strict({ a: { type: "string", enum: Array.from({ length: 1_001 }, (_, at) => `${at}`) } }),
      "the schema: it has 1001 `enum` values; at most 1000 are allowed",
    ],
    [
      "openai-strict",
      strict({ a: { type: "string", enum: Array.from({ length: 251 }, (_, at) => `${at}${"x".repeat(100)}`) } }),
      "the schema: an `enum` of more than 250 values has more than 15000 characters",
    ],
    ["openai", open({}, { anyOf: [{}] }), "the schema: `anyOf` is refused at the top level"],
    ["openai", { type: "object" }, "the schema: it has no `properties`"],
    ["openai", open({ a: { type: "array" } }), "/properties/a: an array without `items`"],
    ["openai", open({ a: { type: "any" } }), "/properties/a: `type` has an unknown value"],
    ["anthropic", open({}, { oneOf: [{}] }), "the schema: `oneOf` is refused at the top level"],
    ["anthropic", open({ a: { $ref: "#/$defs/a" } }), "/properties/a: references are refused"],
    ["anthropic", open({ "a[b]": text }), 'the schema: the name "a[b]" does not match ^[a-zA-Z0-9_.-]{1,64}$'],
    [
      "anthropic",
      open({}, { required: ["a"] }),
      "the schema: `required` names a property that `properties` does not have",
    ],
    [
      "anthropic",
      open({ a: { type: "integer", exclusiveMinimum: true } }),
      "/properties/a: `exclusiveMinimum` is not a number",
    ],
    [
      "anthropic",
      open({ a: { type: "string", pattern: "(" } }),
      "/properties/a: `pattern` is not a regular expression",
    ],
    ["anthropic", open({ a: { type: "array", items: [text] } }), "/properties/a/items: it is not an object"],
    ["google", google({ a: { type: "string" } }), "/properties/a: `type` has an unknown value"],
    ["google", google({ a: { type: ["STRING", "NULL"] } }), "/properties/a: `type` has an unknown value"],
    [
      "google",
      google({ a: { type: "STRING" } }, { additionalProperties: false }),
      "the schema: `additionalProperties` is not supported",
    ],
    ["google", google({ a: { type: "INTEGER", enum: [1] } }), "/properties/a: `enum` is only allowed for STRING"],
    [
      "google",
      google({ a: { type: "STRING", enum: [""] } }),
      "/properties/a: `enum` has a value that is not a non-empty string",
    ],
    ["google", google({ a: { type: "STRING", format: "uri" } }), "/properties/a: the format `uri` is not supported"],
    ["google", google({ a: { type: "OBJECT" } }), "/properties/a: an OBJECT without `properties`"],
    [
      "google",
      google({ a: { type: "STRING", properties: { b: { type: "STRING" } } } }),
      "/properties/a: `properties` is only allowed for OBJECT",
    ],
    ["google", google({ a: { type: "ARRAY" } }), "/properties/a: an ARRAY without `items`"],
    [
      "google",
      google({ a: { anyOf: [{ type: "STRING" }], description: "x" } }),
      "/properties/a: `anyOf` has other fields beside it",
    ],
    [
      "google",
      google({ "a-b": { type: "STRING" } }),
      'the schema: the name "a-b" does not match ^[a-zA-Z_][a-zA-Z0-9_]{0,63}$',
    ],
    [
      "google-json-schema",
      open({ a: { type: "string", minLength: 1 } }),
      "/properties/a: `minLength` is not supported",
    ],
    [
      "google-json-schema",
      open({ a: { enum: [true] } }),
      "/properties/a: `enum` has a value that is neither a non-empty string nor a number",
    ],
  ];
  it.each(wrong)("has a problem: %s %j", (provider, schema, problem) => {
    expect(schemaProblems(schema, provider)).toContain(problem);
  });
});

it("names the providers for an unknown one", () => {
  for (const provider of ["gemini", "toString", undefined]) {
    expect(() => schemaProblems(open({}), provider as Provider)).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: `There are no rules of ${JSON.stringify(provider)}. Use one of openai-strict, openai, anthropic, google, google-json-schema.`,
      }),
    );
  }
});
