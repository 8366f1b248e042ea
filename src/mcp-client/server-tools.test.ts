import { describe, expect, it } from "vitest";
import { readServerSchema } from "./server-schema.js";
import { offeredNames, serverTools } from "./server-tools.js";

const offeredName = (server: string, tool: string) => offeredNames(server, [tool]).get(tool);

describe("names of other servers' tools", () => {
  it.each([
    ["docs", "search", "docs__search"],
    ["my-docs", "resolve-library-id", "my-docs__resolve-library-id"],
    ["d", "a.b/c d\u0000é😀", "d__a_b_c_d___"],
    ["docs", "admin.tools/list v2", "docs__admin_tools_list_v2"],
  ])("%s and %j give %s [MCP-02]", (server, tool, name) => expect(offeredName(server, tool)).toBe(name));

  it("stay apart where cleaning makes them one, in whatever order they are listed [MCP-03]", () => {
    const tools = ["a.b", "a/b", "a_b"];
    const names = offeredNames("s", tools);
    expect(names.get("a_b")).toBe("s__a_b");
    expect(new Set(names.values()).size).toBe(3);
    for (const name of names.values()) expect(name).toMatch(/^s__a_b(_[0-9a-f]{8})?$/);
    expect(new Map([...offeredNames("s", tools.toReversed())].reverse())).toEqual(names);
    expect(offeredNames("s", ["a.b", ""])).toEqual(new Map([["a.b", "s__a_b"]]));
  });

  it("stay the same and apart where they are too long", () => {
    const [one, other] = ["1", "2"].map((end) => offeredName("docs", "x".repeat(5000) + end));
    expect(one).toHaveLength(64);
    expect(other).toHaveLength(64);
    expect(one).not.toBe(other);
    expect(one).toBe(offeredName("docs", `${"x".repeat(5000)}1`));
  });
});

describe("schemas of other servers' tools", () => {
  it("lose the invisible characters of their texts, and keep the joiners of letters", async () => {
    const description =
      "a\u200bb\u{e0041}c\u2063d\u202ee \u0645\u06cc\u200c\u062e \u{1f469}\u200d\u{1f4bb} \u2764\ufe0f";
    const read = await readServerSchema({ type: "object", properties: { x: { description } } });
    const clean = "abcde \u0645\u06cc\u200c\u062e \u{1f469}\u200d\u{1f4bb} \u2764\ufe0f";
    expect(read).toMatchObject({ schema: { properties: { x: { description: clean } } } });
  });

  it.each(["k\u001b[31m", "k\u202e", "k\u200b", "k\u{e0041}", "k\n"])("are refused with the name %j", async (name) => {
    const read = await readServerSchema({ type: "object", properties: { [name]: { type: "string" } } });
    expect(read).toEqual({ problem: expect.stringMatching(/has a name with invisible characters: "k/) });
  });

  it("lose `uniqueItems`, which compares each item with all others", async () => {
    const read = await readServerSchema({ type: "object", properties: { x: { type: "array", uniqueItems: true } } });
    expect(read).toMatchObject({ schema: { properties: { x: { type: "array" } } } });
    expect(JSON.stringify(read)).not.toContain("uniqueItems");
  });

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
      bytes: JSON.stringify(given).length,
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
    [undefined, /not an object/],
    [[], /not an object/],
    [{ type: "string" }, /not "object"/],
    [{}, /not "object"/],
    [{ type: "object", properties: { a: { $ref: "http://elsewhere/x" } } }, /cannot be compiled/],
    [{ type: "object", description: "x".repeat(70_000) }, /over the limit of 32768/],
  ])("refuse %j", async (given, why) => {
    expect(await readServerSchema(given)).toEqual({ problem: expect.stringMatching(why) });
  });

  it("are compiled up to 256 KiB of one server", async () => {
    const inputSchema = { type: "object", description: "x".repeat(30_000) };
    const listed = Array.from({ length: 12 }, (_, at) => ({ name: `t${at}`, inputSchema }));
    const { tools, notes: reported } = await serverTools(listed, {
      server: "s",
      has: () => false,
      isOn: () => true,
      maxCallMs: 60_000,
      call: () => Promise.reject(new Error("not called")),
    });
    expect(tools).toHaveLength(8);
    expect(reported).toHaveLength(4);
    expect(reported[0]).toMatch(/"t8": its `inputSchema` and those before it exceed the total size limit/);
  });
});
