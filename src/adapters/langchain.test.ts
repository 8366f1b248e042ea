/** Without LangChain: its classes are stood in for. The loops in test/sdks play the real ones. */
import { describe, expect, it } from "vitest";
import { createToolBox, defineTool, failure, json } from "../kernel/index.js";
import { bareContext, bareHost, policyOf } from "../testing/fakes/bare-host.fixture.js";
import { fromLangChain, toLangChainTools } from "./langchain.js";

type Config = { readonly toolCall?: { readonly id: string }; readonly signal?: AbortSignal };

class DynamicStructuredTool {
  readonly name: string;
  readonly schema: unknown;
  readonly #func: (input: unknown, manager: unknown, config?: Config) => Promise<unknown>;
  constructor(fields: { name: string; schema: unknown; func: DynamicStructuredTool["call"] }) {
    this.name = fields.name;
    this.schema = fields.schema;
    this.#func = fields.func as never;
  }
  func(input: unknown, config: Config | undefined) {
    return this.#func(input, undefined, config);
  }
  /** As the real one, it looks at its schema first. */
  async call(this: DynamicStructuredTool, input: unknown, config?: Config): Promise<unknown> {
    if (Object.keys(this.schema as object).length > 0) throw new Error("did not match expected schema");
    return TOOLS.get(this.name)?.func(input, config);
  }
}
const TOOLS = new Map<string, DynamicStructuredTool>();

class ToolMessage {
  constructor(
    readonly fields: Readonly<Record<"content" | "artifact" | "status" | "tool_call_id" | "name", unknown>>,
  ) {}
}

const image = { kind: "image", data: new Uint8Array([1, 2, 3]), mime: "image/png" } as const;
const inputOf = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
const tools = [
  defineTool({ name: "count", description: "Counts.", parameters: inputOf, run: ({ n }) => json({ n }) }),
  defineTool({ name: "fail", description: "", parameters: {}, run: () => failure("It broke.") }),
  defineTool({
    name: "picture",
    description: "",
    parameters: {},
    run: () => ({ content: [{ kind: "text", text: "a dot" }, image], isError: false }),
  }),
];

function langChainTools() {
  const box = createToolBox(tools, () => bareContext());
  const made = toLangChainTools(box, { DynamicStructuredTool, ToolMessage });
  for (const tool of made) TOOLS.set(tool.name, tool);
  return Object.fromEntries(made.map((tool) => [tool.name, tool]));
}

async function called(name: string, input: unknown, config: Config = { toolCall: { id: "call_1" } }) {
  const message = await langChainTools()[name]!.call(input, config);
  return (message as ToolMessage).fields;
}

describe("a tool for LangChain", () => {
  it("answers with a message of its call, the outcome as its artifact", async () => {
    const { artifact, ...message } = await called("count", { n: 2 });
    expect(message).toEqual({ content: '{"n":2}', status: "success", tool_call_id: "call_1", name: "count" });
    expect(artifact).toMatchObject({ id: "call_1", status: "ok", output: { n: 2 } });
  });

  it("answers a failure and arguments that do not fit with an error that the model reads", async () => {
    expect(await called("fail", {})).toMatchObject({ status: "error", content: "It broke." });
    const { status, content } = await called("count", { n: "many" });
    expect([status, content]).toEqual(["error", 'Did not run `count`: `n` must be an integer, not the string "many".']);
  });

  it("corrects arguments as for any other caller", async () => {
    expect(await called("count", { n: "2" })).toMatchObject({ status: "success", content: '{"n":2}' });
  });

  it("shows an image as an image", async () => {
    expect((await called("picture", {})).content).toEqual([
      { type: "text", text: "a dot" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
    ]);
  });

  it("rejects a call that was cancelled, which ends the agent", async () => {
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(called("count", { n: 1 }, { signal })).rejects.toThrow("stop");
  });

  it("needs the classes of LangChain", () => {
    const box = createToolBox(tools, () => bareContext());
    expect(() => toLangChainTools(box, { DynamicStructuredTool } as never)).toThrow(
      'needs the class `ToolMessage` of LangChain (@langchain/core 0.3 or 1): `import { DynamicStructuredTool, ToolMessage } from "langchain"`.',
    );
    expect(() => toLangChainTools(box, { DynamicStructuredTool, ToolMessage, onevent: 1 } as never)).toThrow(
      "Did you mean `onEvent`?",
    );
  });
});

describe("a tool of LangChain", () => {
  const calls: unknown[] = [];
  const foreign = {
    name: "wiki",
    description: "Looks up.",
    schema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    async invoke(call: { args: { q: string } }, config: { signal: AbortSignal }) {
      calls.push([call, config.signal instanceof AbortSignal]);
      if (call.args.q === "throw") throw new Error("no network");
      const blocks = [
        { type: "text", text: "x" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
      ];
      return { content: blocks, status: call.args.q === "fail" ? "error" : "success" };
    },
  };
  const run = (q: string, policy = policyOf(() => ({ effect: "allow" }))) =>
    createToolBox([fromLangChain(foreign as never)], () => bareContext(bareHost({ policy }))).runner.run({
      id: "c",
      name: "wiki",
      input: { q },
    });

  it("runs under the policy, which gets its source and name", async () => {
    const claims: unknown[] = [];
    const policy = policyOf((stated) => {
      claims.push(...stated);
      return { effect: "deny" };
    });
    expect(await run("a", policy)).toMatchObject({ status: "denied" });
    expect([claims, calls]).toEqual([[{ kind: "external", source: "langchain", tool: "wiki" }], []]);
  });

  it("gets the call as LangChain passes it, and its blocks are blocks", async () => {
    const outcome = await run("a");
    expect(calls.at(-1)).toEqual([{ type: "tool_call", id: "c", name: "wiki", args: { q: "a" } }, true]);
    expect(outcome).toMatchObject({ status: "ok", content: [{ kind: "text", text: "x" }, { mime: "image/png" }] });
  });

  it("fails where it throws or says so", async () => {
    expect(await run("throw")).toMatchObject({ isError: true, output: "`wiki` failed: no network" });
    expect(await run("fail")).toMatchObject({ isError: true });
  });

  it("takes one text where LangChain's own class does, and its schema is asked before it runs", async () => {
    const optional = { _def: { innerType: { _def: { typeName: "ZodString" } } } };
    const schema = {
      _def: { schema: { shape: { input: optional } } },
      "~standard": { validate: () => ({ value: "" }) },
    };
    expect(fromLangChain({ ...foreign, schema } as never).descriptor().parameters).toMatchObject({
      properties: { input: { type: "string" } },
    });
    const standard = {
      version: 1,
      vendor: "test",
      jsonSchema: { input: () => ({ type: "object", properties: {} }) },
      validate: ({ q }: { q?: string }) =>
        q === "a" ? { value: "converted" } : { issues: [{ message: "no", path: ["q"] }] },
    };
    const tool = fromLangChain({ ...foreign, schema: { "~standard": standard } } as never);
    const box = createToolBox([tool], () => bareContext(bareHost({ policy: policyOf(() => ({ effect: "allow" })) })));
    const count = calls.length;
    expect(await box.runner.run({ id: "c", name: "wiki", input: { q: "b" } })).toMatchObject({ status: "invalid" });
    expect(calls.length).toBe(count);
    await box.runner.run({ id: "c", name: "wiki", input: { q: "a" } });
    expect(calls.at(-1)).toMatchObject([{ args: { q: "a" } }, true]);
  });

  it("is refused where it is none, or its schema gives no JSON Schema", () => {
    expect(() => fromLangChain({ name: "x" } as never)).toThrow("it has no `name` and `invoke`");
    expect(() => fromLangChain({ ...foreign, schema: { _def: {} } } as never)).toThrow("Pass `parameters`");
    const { description: _, ...nameless } = foreign;
    expect(() => fromLangChain(nameless as never)).toThrow("Pass `description` as an option");
    expect(fromLangChain(nameless as never, { description: "Looks." })).toMatchObject({ description: "Looks." });
    expect(() => fromLangChain(foreign as never, { nam: "x" } as never)).toThrow("Did you mean `name`?");
  });
});
