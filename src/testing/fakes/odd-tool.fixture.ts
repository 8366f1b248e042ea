/** Tools and parts of odd forms, for tests of what the pipeline makes of them. */
import {
  type DefinedTool,
  defineTool,
  type HostContext,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { bareContext } from "./bare-host.fixture.js";

/** A tool that claims nothing and does what `run` does, whatever that returns. */
export const toolOf = (run: (input: unknown, ctx: ToolContext) => unknown): DefinedTool =>
  defineTool({ name: "odd", description: "", parameters: {}, run: run as () => ToolResult<never> });

export const call = (tool: DefinedTool, context: HostContext = bareContext(), more: Partial<ToolCall> = {}) =>
  tool.invoke({ id: "c1", name: tool.name, input: {}, ...more }, context);

/** Real timers, so many times as fast. */
export const faster = (times: number) => (ms: number, done: () => void) => {
  const timer = setTimeout(done, ms / times);
  return () => clearTimeout(timer);
};
