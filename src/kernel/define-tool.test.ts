import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { bareContext, bareHost } from "../testing/fakes/bare-host.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import type { DefinedTool, ToolContext } from "./index.js";
import { defineTool, failure, HaftError, json, READ_STATE_HANDLE_KEY, ToolRegistry, text } from "./index.js";

const GREET_SCHEMA = { type: "object", properties: { name: { type: "string" } } } as const;

const greet = defineTool({
  name: "greet",
  description: "Says hello.",
  parameters: GREET_SCHEMA,
  run: async (input) => text(`hello ${input.name ?? "world"}`),
});

const run = (tool: DefinedTool, input: unknown, context = bareContext()) =>
  tool.invoke({ id: "c1", name: tool.name, input }, context);

describe("a defined tool", () => {
  verifies("IR-001", "needs a name, a description, a schema and run, and no more", async () => {
    const box = new ToolRegistry().register(greet).toToolBox(() => bareContext());
    expect(box.descriptors()).toHaveLength(1);
    const outcome = await box.runner.run({ id: "1", name: "greet", input: { name: "Ada" } });
    expect(outcome.output).toBe("hello Ada");
  });

  verifies("IR-002", "describes itself with exactly its name, description and unchanged schema", () => {
    expect(greet.descriptor()).toEqual({ name: "greet", description: "Says hello.", parameters: GREET_SCHEMA });
    expect(greet.descriptor().parameters).toBe(GREET_SCHEMA);
  });

  verifies("IR-003", "echoes the id of the call", async () => {
    const outcome = await run(greet, {});
    expect(outcome).toMatchObject({ id: "c1", output: "hello world", isError: false });
  });

  verifies(["IR-004", "IP-001"], "has a second entry for callers without an envelope, and a label", async () => {
    expect(await greet.execute({ name: "Bo" }, bareContext())).toEqual({
      content: ["hello Bo"],
      details: undefined,
      isError: false,
    });
    expect(greet.label).toBe("greet");
  });

  verifies("IR-005", "can stand in two registries", async () => {
    for (const registry of [new ToolRegistry().register(greet), new ToolRegistry().register(greet)]) {
      const outcome = await registry.toToolBox(() => bareContext()).runner.run({ id: "1", name: "greet", input: {} });
      expect(outcome.isError).toBe(false);
    }
    expect(greet).toMatchObject({ name: "greet", description: "Says hello.", parameters: GREET_SCHEMA });
  });

  verifies(["IR-006", "IR-007"], "returns text, failure and json with the kinds text and json", () => {
    expect(text("a")).toEqual({ content: [{ kind: "text", text: "a" }], isError: false });
    expect(failure("b")).toEqual({ content: [{ kind: "text", text: "b" }], isError: true });
    expect(json({ c: 1 })).toEqual({ content: [{ kind: "json", value: { c: 1 } }], isError: false });
  });

  verifies(
    ["IR-008", "IR-009", "IR-010", "IP-002"],
    "projects one text to a string, one json to its value, a mix to a list",
    async () => {
      const returning = (result: ReturnType<typeof text>) =>
        run(defineTool({ name: "stub", description: "", parameters: { type: "object" }, run: () => result }), {});
      expect((await returning(text("t"))).output).toBe("t");
      expect((await returning(json({ a: 1 }))).output).toEqual({ a: 1 });
      const mixed = { content: [...text("t").content, ...json(2).content], isError: false };
      expect((await returning(mixed)).output).toEqual([
        { kind: "text", text: "t" },
        { kind: "json", value: 2 },
      ]);
      expect((await returning({ content: [], isError: false })).output).toBe("");
    },
  );

  it.each([
    ["a name with a space", { name: "Bad Name" }, /`name` must match \[A-Za-z\]/],
    ["a name that begins with a digit", { name: "1st" }, /`name` must match/],
    ["a name with a dot", { name: "a.b" }, /`name` must match/],
    ["a name of 65 characters", { name: "a".repeat(65) }, /at most 64 characters/],
    ["a schema that does not describe an object", { parameters: { type: "string" } }, /must be "object", not "string"/],
    ["an effect without claims", { effect: "write" }, /effect "write" requires `claims`/],
  ])("refuses %s at once and names the field", (_case, more, said) => {
    const spec: unknown = { name: "x", description: "", parameters: {}, run: () => text(""), ...more };
    const define = () => defineTool(spec as Parameters<typeof defineTool>[0]);
    expect(define).toThrow(said);
    expect(define).toThrow(expect.objectContaining({ code: "REGISTRY_INVALID_TOOL" }));
  });

  it.each(["readFile", "ReadFile", "read-file", "R2", "a".repeat(64)])("takes the name %s", async (name) => {
    const tool = defineTool({ name, description: "", parameters: {}, run: () => text("ran") });
    const box = new ToolRegistry().register(tool).toToolBox(() => bareContext());
    expect(box.descriptors()[0]?.name).toBe(name);
    expect((await box.runner.run({ id: "1", name, input: {} })).output).toBe("ran");
  });

  it("reports a schema that cannot be compiled to the author, not to the model", async () => {
    const parameters = { type: "object", properties: { a: { type: "objekt" } } };
    const faulty = defineTool({ name: "faulty", description: "", parameters, run: () => text("ran") });
    const outcome = await run(faulty, { a: "x" });
    expect(outcome).toMatchObject({ isError: true, code: "REGISTRY_INVALID_TOOL" });
    expect(outcome.output).toMatch(/`faulty`.*schema is invalid.*objekt.*author/);
  });

  it("infers the input from a JSON Schema literal and from a Standard Schema", async () => {
    defineTool({
      name: "typed",
      description: "",
      parameters: {
        type: "object",
        properties: {
          path: { type: "string" },
          n: { type: "integer" },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["path"],
      },
      run(input, ctx) {
        expectTypeOf(input).toEqualTypeOf<{
          readonly path: string;
          readonly n?: number;
          readonly tags?: readonly string[];
        }>();
        expectTypeOf(ctx).toExtend<ToolContext<unknown>>();
        return text("");
      },
    });
    const zodTool = defineTool({
      name: "zodded",
      description: "",
      input: z.object({ count: z.number().int().default(3), mode: z.enum(["a", "b"]).optional() }),
      run(input) {
        expectTypeOf(input).toEqualTypeOf<{ count: number; mode?: "a" | "b" | undefined }>();
        return json({ count: input.count });
      },
    });
    expect(zodTool.parameters).toMatchObject({ type: "object", properties: { count: { type: "integer" } } });
    expect(JSON.stringify(zodTool.parameters)).not.toContain(String(Number.MAX_SAFE_INTEGER));
    expect((await run(zodTool, {})).output).toEqual({ count: 3 });
    expect((await run(zodTool, { mode: "c" })).output).toMatch(/`mode`/);
  });

  it("does not compile when it acts without claims", () => {
    const spec = { name: "x", description: "", parameters: {}, effect: "write" as const, run: () => text("") };
    // @ts-expect-error an acting tool has to claim what it touches
    expect(() => defineTool(spec)).toThrow(HaftError);
  });
});

describe("the argument bag", () => {
  const seen: unknown[] = [];
  const spy = defineTool({
    name: "spy",
    description: "",
    parameters: {},
    run(input) {
      seen.push(input);
      return text("ran");
    },
  });
  const needy = defineTool({
    name: "needy",
    description: "",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    run: () => text("ran"),
  });

  verifies(
    ["IR-011", "IR-012", "IP-006"],
    "takes JSON text as the object it holds, and null as no arguments",
    async () => {
      await run(spy, ' {"path":"a"} ');
      await run(spy, null);
      expect(seen.splice(0)).toEqual([{ path: "a" }, {}]);
      expect((await run(needy, null)).output).toMatch(/`path` is required/);
    },
  );

  verifies(["IR-013", "IR-014"], "lets validation answer whatever else comes, without a throw", async () => {
    for (const input of ["hello", "{oops}", 7, true, []]) {
      const outcome = await run(needy, input);
      expect(outcome).toMatchObject({ status: "invalid", isError: true, code: "CALL_INVALID" });
    }
    expect((await run(spy, "{oops}")).output).toBe(
      "Did not run `spy`: the arguments are not valid JSON: expected a name in double quotes or `}` at line 1, column 2, but found `o`. Send one JSON object, complete and by itself.",
    );
    expect(seen.splice(0)).toEqual([]);
    await run(spy, 7);
    expect(seen.splice(0)).toEqual([7]);
  });
});

describe("the context", () => {
  const look = async (context = bareContext()) => {
    let got: ToolContext | undefined;
    const tool = defineTool({
      name: "look_in",
      description: "",
      parameters: {},
      run(_, ctx) {
        got = ctx;
        return text("");
      },
    });
    await run(tool, {}, context);
    return got!;
  };

  verifies("IR-017", "has an id, a directory, ports, a signal, a budget and the host's bag", async () => {
    const ctx = await look();
    expect(ctx.contextId).toBeTypeOf("number");
    expect(ctx.cwd).toBe("/ws");
    expect(ctx.fs.readText).toBeTypeOf("function");
    expect(ctx.shell.exec).toBeTypeOf("function");
    expect(ctx.signal).toBeInstanceOf(AbortSignal);
    expect(ctx.budget).toMatchObject({ kind: "middle", maxBytes: 65_536 });
    expect(ctx.framework).toEqual({});
  });

  verifies(["IR-018", "IR-019", "IR-057"], "has a number that rises, and keeps it when the signal is swapped", () => {
    const host = bareHost();
    const [first, second] = [bareContext(host), bareContext(host)];
    expect(second.contextId).toBeGreaterThan(first.contextId);
    const { signal } = new AbortController();
    const swapped = first.withCancel(signal);
    expect(swapped).toMatchObject({ contextId: first.contextId, signal });
    expect(swapped.withCancel(signal).contextId).toBe(first.contextId);
  });

  verifies("IR-021", "names the read-state handle readState", () => {
    expect(READ_STATE_HANDLE_KEY).toBe("readState");
  });

  verifies("IP-008", "anchors a relative path at the directory by string work and passes an absolute one", async () => {
    const ctx = await look();
    expect(ctx.resolve("a")).toBe("/ws/a");
    expect(ctx.resolve("../b")).toBe("/b");
    expect(ctx.resolve("/b")).toBe("/b");
    expect(ctx.resolve("~/c")).toBe("/home/t/c");
  });
});
