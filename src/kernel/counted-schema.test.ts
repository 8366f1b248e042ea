import { describe, expect, it } from "vitest";
import { countedSchema, MAX_STEPS, STEP } from "./counted-schema.js";
import type { JsonSchema } from "./schema.js";
import { createValidator, type Validated } from "./validate.js";

const check = async (schema: JsonSchema, value: unknown): Promise<Validated> =>
  createValidator(schema, schema, "tool")(value);

/** Each of the names refers to the next twice; the last one fits nothing that is sent. */
function doubling(names: number): JsonSchema {
  const twice = (next: number) => ({ anyOf: [{ $ref: `#/$defs/d${next}` }, { $ref: `#/$defs/d${next}` }] });
  const last = { type: "object", required: ["missing"] };
  const entries = Array.from({ length: names }, (_, at) => [`d${at}`, at === names - 1 ? last : twice(at + 1)]);
  return { type: "object", $defs: Object.fromEntries(entries), $ref: "#/$defs/d0" };
}

const TREE: JsonSchema = {
  type: "object",
  properties: { name: { type: "string" }, inside: { type: "array", items: { $ref: "#" } } },
  required: ["name"],
};

describe("the work of checking arguments", () => {
  it("ends at a bound where a schema refers to itself again and again", async () => {
    const result = await check(doubling(60), {});
    expect(result).toMatchObject({ problem: expect.stringContaining(`more than ${MAX_STEPS} steps`) });
  });

  it("ends where a schema is nothing but a reference to itself", async () => {
    expect(await check({ type: "object", allOf: [{ $ref: "#" }] }, {})).toHaveProperty("problem");
  });

  it("is counted anew for each call, and is enough for what trees are really sent", async () => {
    const validate = createValidator(TREE, TREE, "tool");
    const wide = { name: "top", inside: Array.from({ length: 20_000 }, () => ({ name: "x", inside: [] })) };
    for (let call = 0; call < 20; call++) expect(await validate(wide)).toEqual({ value: wide });
    const wrong = await validate({ name: "top", inside: [{ name: "x", inside: [{ name: 5 }] }] });
    expect(wrong).toMatchObject({ parameter: "inside[0].inside[0].name" });
  });

  it("counts schemas, not the values beside them, and leaves a small one as it is", () => {
    const plain: JsonSchema = { type: "object", properties: { default: { type: "string" } } };
    expect(countedSchema(plain)).toBe(plain);
    const given = { $ref: "#/$defs/a", $defs: { a: { enum: [{ b: 1 }] } }, default: { c: 2 } };
    expect(countedSchema(given)).toEqual({
      [STEP]: true,
      $ref: "#/$defs/a",
      $defs: { a: { [STEP]: true, enum: [{ b: 1 }] } },
      default: { c: 2 },
    });
  });
});
