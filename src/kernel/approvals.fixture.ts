/** Calls of tools that need approval. */
import { bareContext, policyOf } from "../testing/fakes/bare-host.fixture.js";
import { type DefinedTool, defineTool, type HostContext, type ToolCall, text } from "./index.js";

export const call = (tool: DefinedTool, context: HostContext = bareContext(), more: Partial<ToolCall> = {}) =>
  tool.invoke({ id: "c1", name: tool.name, input: {}, ...more }, context);

export const writer = defineTool({
  name: "writer",
  description: "",
  parameters: {},
  effect: "write",
  claims: (_, context) => [{ kind: "file", path: context.resolve("a"), access: ["write"], scope: "self" }],
  async run(_, ctx) {
    await ctx.fs.writeFile(ctx.resolve("a"), "x");
    return text("written");
  },
});

export const plain = {
  name: "writer",
  description: "",
  parameters: {},
  effect: "write",
  run: async () => text("written"),
} as const;

/** Needs approval, and touches nothing. */
export const untouching = defineTool({ ...plain, claims: () => [] });

export const asking = policyOf(() => ({ effect: "ask", remember: ["all"] }));
