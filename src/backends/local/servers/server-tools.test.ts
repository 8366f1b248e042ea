import { describe, expect, it } from "vitest";
import { readServerSchema } from "./server-schema.js";
import { offeredName } from "./server-tools.js";

describe("names of other servers' tools", () => {
  it.each([
    ["docs", "search", "docs__search"],
    ["my-docs", "resolve-library-id", "my-docs__resolve-library-id"],
    ["d", "a.b/c d\u0000é😀", "d__a_b_c_d___"],
  ])("%s and %j give %s", (server, tool, name) => expect(offeredName(server, tool)).toBe(name));

  it("stay the same and apart where they are too long", () => {
    const [one, other] = ["1", "2"].map((end) => offeredName("docs", "x".repeat(5000) + end));
    expect(one).toHaveLength(64);
    expect(other).toHaveLength(64);
    expect(one).not.toBe(other);
    expect(one).toBe(offeredName("docs", `${"x".repeat(5000)}1`));
  });
});

describe("schemas of other servers' tools", () => {
  it("lose what is a regular expression, and nothing that is named like one", async () => {
    const given = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "x",
      type: "object",
      properties: {
        pattern: { type: "string", pattern: "^(a+)+$", default: { pattern: "kept" }, description: "a\u001b[31mb" },
        map: { type: "object", patternProperties: { "^(a+)+$": {} }, additionalProperties: false },
      },
      required: ["pattern"],
    };
    expect(await readServerSchema(given)).toEqual({
      schema: {
        type: "object",
        properties: {
          pattern: { type: "string", default: { pattern: "kept" }, description: "ab" },
          map: { type: "object" },
        },
        required: ["pattern"],
      },
    });
  });

  it.each([
    [undefined, /no object/],
    [[], /no object/],
    [{ type: "string" }, /not "object"/],
    [{}, /not "object"/],
    [{ type: "object", properties: { a: { $ref: "http://elsewhere/x" } } }, /cannot be compiled/],
    [{ type: "object", description: "x".repeat(70_000) }, /over the limit of 65536/],
  ])("refuse %j", async (given, why) => {
    expect(await readServerSchema(given)).toEqual({ problem: expect.stringMatching(why) });
  });
});
