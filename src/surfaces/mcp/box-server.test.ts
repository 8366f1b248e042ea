/** The server in the process of another program, with the official client of either major. */
import { Client as ModernClient, InMemoryTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as LegacyTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { type Approver, createToolBox, defineTool, failure, type ToolResult, text } from "../../kernel/index.js";
import { bareContext, bareHost, policyOf } from "../../testing/fakes/bare-host.fixture.js";
import { createMcpServer } from "./box-server.js";

let [started, cancelled] = [0, 0];
const tools = [
  defineTool({
    name: "echo",
    description: "Echoes.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const,
    run: ({ text: value }) => text(value),
  }),
  defineTool({ name: "fail", description: "", parameters: {}, run: () => failure("It broke.") }),
  defineTool({
    name: "change",
    description: "",
    parameters: {},
    effect: "write",
    annotations: { destructive: true },
    claims: () => [],
    run: () => text("changed"),
  }),
  defineTool({
    name: "wait",
    description: "",
    parameters: {},
    run: (_, ctx) =>
      new Promise<ToolResult<never>>((resolve) => {
        started++;
        ctx.signal.addEventListener("abort", () => {
          cancelled++;
          resolve(text("cancelled"));
        });
      }),
  }),
];
const asking = policyOf((claims) => ({ effect: claims.length === 0 ? "ask" : "allow" }));
const boxFor = (approver?: Approver) => {
  const host = bareHost({ policy: asking, ...(approver === undefined ? {} : { approver }) });
  return createToolBox(tools, () => bareContext(host));
};

async function legacy(approver?: Approver, capabilities = {}) {
  const server = await createMcpServer(boxFor(approver), { name: "mine" });
  const [ours, theirs] = LegacyTransport.createLinkedPair();
  const client = new LegacyClient({ name: "test", version: "1" }, { capabilities });
  await Promise.all([server.instance.connect(theirs), client.connect(ours)]);
  return { server, client };
}

describe("a box as an MCP server in the same process", () => {
  it("is listed and called by a client of the first SDK", async () => {
    const { server, client } = await legacy();
    expect(client.getServerVersion()?.name).toBe("mine");
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name, annotations }) => [name, annotations])).toEqual([
      ["echo", { readOnlyHint: true }],
      ["fail", { readOnlyHint: true }],
      ["change", { destructiveHint: true }],
      ["wait", { readOnlyHint: true }],
    ]);
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    expect(await call("echo", { text: "a" })).toMatchObject({ content: [{ type: "text", text: "a" }], isError: false });
    expect(await call("fail", {})).toMatchObject({ content: [{ type: "text", text: "It broke." }], isError: true });
    await server.close();
  });

  it("is called by a client of the second SDK", async () => {
    const server = await createMcpServer(boxFor());
    const [ours, theirs] = ModernTransport.createLinkedPair();
    const client = new ModernClient({ name: "test", version: "1" });
    await Promise.all([server.instance.connect(theirs), client.connect(ours)]);
    const answer = await client.callTool({ name: "echo", arguments: { text: "b" } });
    expect(answer).toMatchObject({ content: [{ type: "text", text: "b" }] });
    await server.close();
  });

  it("asks the user of a client that shows forms, else the approver of the box", async () => {
    const box = await legacy({ ask: async () => ({ denied: "The box says no." }) });
    expect(await box.client.callTool({ name: "change", arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: "Did not run `change`: The box says no." }],
    });
    const form = await legacy({ ask: async () => ({ denied: "no" }) }, { elicitation: {} });
    form.client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept", content: { answer: "once" } }));
    expect(await form.client.callTool({ name: "change", arguments: {} })).toMatchObject({
      isError: false,
      content: [{ text: "changed" }],
    });
  });

  it("cancels the call of a request that is cancelled, and those that run when it is closed", async () => {
    const { server, client } = await legacy();
    const stop = new AbortController();
    const call = client.callTool({ name: "wait", arguments: {} }, undefined, { signal: stop.signal });
    await expect.poll(() => started).toBe(1);
    stop.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => cancelled).toBe(1);
    const other = client.callTool({ name: "wait", arguments: {} }).catch(() => undefined);
    await expect.poll(() => started).toBe(2);
    await server.close();
    await other;
    expect(cancelled).toBe(2);
  });

  it("cancels the calls of a client whose connection ends, and serves others at the same time and later", async () => {
    const { server, client } = await legacy();
    const connected = async () => {
      const [ours, theirs] = LegacyTransport.createLinkedPair();
      const other = new LegacyClient({ name: "other", version: "1" });
      await Promise.all([server.instance.connect(theirs), other.connect(ours)]);
      return other;
    };
    const other = await connected();
    const before = [started, cancelled] as const;
    const call = client.callTool({ name: "wait", arguments: {} }).catch(() => undefined);
    await expect.poll(() => started).toBe(before[0] + 1);
    const answer = { content: [{ type: "text", text: "c" }], isError: false };
    const echo = { name: "echo", arguments: { text: "c" } };
    expect(await other.callTool(echo)).toEqual(answer);
    expect(cancelled).toBe(before[1]);
    await client.close();
    await call;
    await expect.poll(() => cancelled).toBe(before[1] + 1);
    expect(await other.callTool(echo)).toEqual(answer);
    expect(await (await connected()).callTool(echo)).toEqual(answer);
    await server.close();
    await expect(other.callTool(echo)).rejects.toThrow();
  });

  it("leaves an empty text out, which the API of Anthropic refuses", async () => {
    const { server, client } = await legacy();
    expect(await client.callTool({ name: "echo", arguments: { text: "" } })).toEqual({ content: [], isError: false });
    await server.close();
  });

  it("refuses an option that there is not", async () => {
    await expect(createMcpServer({ box: boxFor } as never)).rejects.toThrow(
      '`createMcpServer` needs a box: pass `toolkit.box("coding")`, not the toolkit.',
    );
    await expect(createMcpServer(boxFor(), { nme: "x" } as never)).rejects.toThrow(
      "`createMcpServer` has no option `nme`. Did you mean `name`?",
    );
  });
});
