import { describe, expect, it } from "vitest";
import { repair } from "./repair.js";
import type { JsonSchema } from "./schema.js";
import { createValidator } from "./validate.js";

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["path"],
  properties: {
    path: { type: "string", minLength: 1 },
    limit: { type: "integer", minimum: 1, maximum: 5_000 },
    ratio: { type: "number" },
    ignoreCase: { type: "boolean" },
    mode: { type: "string", enum: ["content", "files"] },
    tags: { type: "array", items: { type: "string" } },
    edits: {
      type: "array",
      items: {
        type: "object",
        properties: { oldText: { type: "string" }, count: { type: "integer" } },
        required: ["oldText"],
      },
    },
    options: { type: "object", properties: { deep: { type: "boolean" } } },
  },
} as const;

const mend = (value: unknown, unknownParameter: "refuse" | "ignore" = "refuse", aliases = {}) =>
  repair(value, SCHEMA, { unknownParameter, aliases });

describe("repair", () => {
  const table: [what: string, given: object, mended: object, notes: number][] = [
    ["nothing", { path: "a", limit: 3 }, { path: "a", limit: 3 }, 0],
    ["null for optionals", { path: "a", limit: null, tags: null }, { path: "a" }, 0],
    ["null for optionals of an object", { path: "a", options: { deep: null } }, { path: "a", options: {} }, 0],
    [
      "null for optionals in a list",
      { path: "a", edits: [{ oldText: "x", count: null }] },
      { path: "a", edits: [{ oldText: "x" }] },
      0,
    ],
    ["what a number, a choice or an object is not", { path: "a", limit: "", mode: "", options: [] }, { path: "a" }, 1],
    [
      "an empty list that the schema accepts",
      { path: "a", tags: [], options: {} },
      { path: "a", tags: [], options: {} },
      0,
    ],
    ["a number as text", { path: "a", limit: "20", ratio: " -1.5 " }, { path: "a", limit: 20, ratio: -1.5 }, 2],
    ["a boolean as text", { path: "a", ignoreCase: "True" }, { path: "a", ignoreCase: true }, 1],
    ["one for a list", { path: "a", tags: "x" }, { path: "a", tags: ["x"] }, 1],
    ["one object for a list", { path: "a", edits: { oldText: "x" } }, { path: "a", edits: [{ oldText: "x" }] }, 1],
    ["a list as text", { path: "a", tags: '["x","y"]' }, { path: "a", tags: ["x", "y"] }, 1],
    [
      "a list of objects as text",
      { path: "a", edits: '[{"oldText":"x","count":"2"}]' },
      { path: "a", edits: [{ oldText: "x", count: 2 }] },
      2,
    ],
    ["an object as text", { path: "a", options: '{"deep":"true"}' }, { path: "a", options: { deep: true } }, 2],
    ["another case of the name", { Path: "a", ignore_case: true }, { path: "a", ignoreCase: true }, 2],
    ["one slip in the name", { path: "a", ignoreCas: true }, { path: "a", ignoreCase: true }, 1],
    ["a number above the ceiling", { path: "a", limit: 9_999 }, { path: "a", limit: 5_000 }, 1],
    ["text above the ceiling", { path: "a", limit: "9999" }, { path: "a", limit: 5_000 }, 2],
    ["a string that looks like a list where text is wanted", { path: "[1]" }, { path: "[1]" }, 0],
    ["a string that looks like a number where text is wanted", { path: "12" }, { path: "12" }, 0],
    [
      "what cannot be read in one way only",
      { path: 5, limit: "ten", ignoreCase: "yes" },
      { path: 5, limit: "ten", ignoreCase: "yes" },
      0,
    ],
    ["null for what is required", { path: null }, { path: null }, 0],
    ["a name that is no misspelling", { path: "a", other: 1 }, { path: "a", other: 1 }, 0],
  ];
  it.each(table)("of %s", (_, given, mended, notes) => {
    const copy = structuredClone(given);
    const result = mend(given);
    expect(result.value).toEqual(mended);
    expect(result.notes).toHaveLength(notes);
    expect(given).toEqual(copy);
  });

  it("takes an empty optional value as absent where a presenter does not say that it means something", () => {
    const mended = (given: object, keepsEmpty: string[]) =>
      repair(given, SCHEMA, { unknownParameter: "refuse", acceptsEmpty: keepsEmpty });
    const given = { path: "", tags: [], options: {}, edits: [] };
    expect(mended(given, ["edits"])).toEqual({
      value: { path: "", edits: [] },
      notes: ["Ignored because empty: `tags`, `options`."],
    });
  });

  it("leaves an empty value to a schema that does not refuse it, or has it as its default", () => {
    const properties = {
      any: {},
      named: { $ref: "#/$defs/name" },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
      least: { type: "string", minLength: 1 },
      some: { type: "array", minItems: 1 },
      choice: { enum: ["", "a"] },
      started: { type: "string", default: "" },
      count: { oneOf: [{ type: "integer" }, { type: "boolean" }] },
    };
    const given = { any: "", named: "", either: "", least: "", some: [], choice: "", started: "", count: "" };
    const { value } = repair(given, { type: "object", properties }, { unknownParameter: "refuse" });
    expect(value).toEqual({ any: "", named: "", either: "", choice: "", started: "" });
    const presenter = { unknownParameter: "refuse", acceptsEmpty: [] } as const;
    expect(repair({ started: "" }, { type: "object", properties }, presenter).value).toEqual({ started: "" });
    expect(repair({ any: null, either: null, least: null }, { type: "object", properties }, presenter).value).toEqual({
      any: null,
      either: null,
    });
  });

  it("sees through references, combinations and the branch of a union that a value belongs to", () => {
    const schema = {
      type: "object",
      properties: {
        filter: { $ref: "#/$defs/filter" },
        both: { allOf: [{ $ref: "#/$defs/filter" }], default: {} },
        maybe: { anyOf: [{ $ref: "#/$defs/filter" }, { type: "null" }] },
        list: { anyOf: [{ type: "array", items: { $ref: "#/$defs/filter" } }, { type: "null" }] },
        pet: {
          oneOf: [
            { type: "object", properties: { kind: { const: "cat" }, lives: { type: "integer" } }, required: ["kind"] },
            {
              type: "object",
              properties: { kind: { const: "dog" }, size: { enum: ["s", "l"] } },
              required: ["kind"],
              additionalProperties: false,
            },
          ],
        },
        loop: { $ref: "#/properties/loop" },
      },
      $defs: {
        filter: {
          type: "object",
          properties: { name: { type: "string" }, sort: { $ref: "#/$defs/sort" }, env: { type: "object" } },
          additionalProperties: false,
        },
        sort: { enum: ["up", "down"] },
      },
    };
    const filter = { name: "x", sort: null, env: '{"a":1}' };
    const given = { filter, both: filter, maybe: filter, list: [filter], loop: 1 };
    const mended = (value: object) => repair(value, schema, { unknownParameter: "refuse" }).value;
    const wanted = { name: "x", env: { a: 1 } };
    expect(mended(given)).toEqual({ filter: wanted, both: wanted, maybe: wanted, list: [wanted], loop: 1 });
    expect(mended({ filter: null, both: null, maybe: null })).toEqual({ maybe: null });
    expect(mended({ pet: { kind: "dog", lives: null, size: null } })).toEqual({ pet: { kind: "dog" } });
    expect(mended({ pet: { kind: "cat", lives: "9" } })).toEqual({ pet: { kind: "cat", lives: 9 } });
  });

  it("takes the branch of a union at the top, whose other members are null", () => {
    const branch = (name: string) => ({
      type: "object",
      properties: { [name]: { type: "string" } },
      required: [name],
      additionalProperties: false,
    });
    const schema = { anyOf: [branch("a"), branch("b")] };
    expect(repair({ a: null, b: "x" }, schema, { unknownParameter: "refuse" })).toEqual({
      value: { b: "x" },
      notes: [],
    });
  });

  it("takes a name that a provider made of one with punctuation", () => {
    const schema = { type: "object", properties: { "filter[id]": {}, $top: {}, "!": {} } };
    const { value } = repair({ filter_id_: 1, _top: 2, "?": 3 }, schema, { unknownParameter: "refuse" });
    expect(value).toEqual({ "filter[id]": 1, $top: 2, "?": 3 });
  });

  it("names at most 20 of the absent ones in its one note", () => {
    const names = Array.from({ length: 25 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "integer" }]));
    const given = Object.fromEntries(names.map((name) => [name, ""]));
    const { value, notes } = repair(given, { type: "object", properties }, { unknownParameter: "refuse" });
    expect([value, notes]).toEqual([{}, [expect.stringMatching(/: `p0`, .*`p19` and 5 more\.$/)]]);
  });

  it("uses a dialect's aliases, ignores what it does not know where the dialect does, and says so", () => {
    const result = mend({ file: "a", other: 1 }, "ignore", { file: "path" });
    expect(result.value).toEqual({ path: "a" });
    expect(result.notes).toEqual(["`file` was taken as `path`.", "`other` is not a parameter and was ignored."]);
  });

  it("does not let an alias push out a parameter that was given", () => {
    expect(mend({ file: "b", path: "a" }, "refuse", { file: "path" }).value).toEqual({ path: "a", file: "b" });
  });

  it("does not confuse names that objects inherit", () => {
    const hostile = JSON.parse('{"path":"a","__proto__":{"limit":1},"constructor":1,"toString":2}');
    const result = mend(hostile, "ignore");
    expect(Object.keys(result.value as object)).toEqual(["path"]);
  });
});

describe("validation", () => {
  const validate = createValidator(SCHEMA, SCHEMA, "edit");
  const problems: [given: unknown, parameter: string | undefined, words: RegExp][] = [
    [{}, "path", /^`path` is required \(string that is not empty\)$/],
    [{ path: 5 }, "path", /^`path` must be a string that is not empty, not 5/],
    [{ path: "" }, "path", /`path` must be a string that is not empty, not the string ""/],
    [{ path: "a", limit: 0 }, "limit", /`limit` must be an integer of at least 1 and at most 5000, not 0/],
    [{ path: "a", limit: 1.5 }, "limit", /1\.5/],
    [{ path: "a", mode: "lines" }, "mode", /one of "content", "files"/],
    [{ path: "a", edits: [{ oldText: "x" }, {}] }, "edits[1].oldText", /`edits\[1\]\.oldText` is required/],
    [{ path: "a", pth: 1 }, "pth", /unknown parameter `pth` \(did you mean `path`\?\)/],
    ["text", undefined, /an object with the parameters `path`/],
  ];
  it("takes parameters whose names every object inherits", async () => {
    const schema: JsonSchema = JSON.parse(
      '{"type":"object","properties":{"constructor":{"type":"string"},"toString":{"type":"string"},"__proto__":{"type":"integer"}},"required":["toString"],"additionalProperties":false}',
    );
    const own = createValidator(schema, schema, "far");
    expect(await own({ toString: "a" })).toEqual({ value: { toString: "a" } });
    expect(await own({})).toMatchObject({ parameter: "toString", missing: true });
    const { value } = repair(JSON.parse('{"to_string":"a","__proto__":"7"}'), schema, { unknownParameter: "refuse" });
    expect(JSON.stringify(value)).toBe('{"__proto__":7,"toString":"a"}');
  });

  it.each(problems)("names what is wrong in %j", async (given, parameter, words) => {
    const result = await validate(given);
    if (!("problem" in result)) throw new Error("accepted");
    expect(result.parameter).toBe(parameter);
    expect(result.problem).toMatch(words);
  });

  it("clips what it shows", async () => {
    const result = await validate({ path: ["x".repeat(10_000)] });
    expect("problem" in result && result.problem.length).toBeLessThan(200);
  });
});
