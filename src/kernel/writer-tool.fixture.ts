/** A tool that writes, for tests of the pipeline, and a short way to call one. */
import { type DefinedTool, defineTool, type HostContext, type ToolContext, text } from "./index.js";

/** Runs one call in a context. */
export const call = (tool: DefinedTool, input: unknown, context: HostContext, resume?: string) =>
  tool.invoke({ id: "c1", name: tool.name, input, ...(resume === undefined ? {} : { resume }) }, context);

const PATH_SCHEMA = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;

/** A tool that claims to write its path and then does what `act` says. */
export function writer(act: (ctx: ToolContext, path: string) => Promise<unknown>) {
  return defineTool({
    name: "writer",
    description: "",
    parameters: PATH_SCHEMA,
    effect: "write",
    claims: ({ path }, context) => [{ kind: "file", path: context.resolve(path), access: ["write"], scope: "self" }],
    async run({ path }, ctx) {
      await act(ctx, ctx.resolve(path));
      return text("written");
    },
  });
}

/** Writes "x" where it said it would. */
export const plainWriter = writer((ctx, path) => ctx.fs.writeFile(path, "x"));
