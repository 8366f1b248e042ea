/** From an outcome to what an MCP client receives. */
import type { CallToolResult, ContentBlock as McpBlock } from "@modelcontextprotocol/server";
import type { ContentBlock, ToolOutcome } from "../../kernel/index.js";

/** In `_meta` of a request: true asks for the entries of `RESULT_META` in the result. */
export const STRUCTURED_META = "haft/facts";

/** The names of what Haft adds to `_meta` of a result for a client that asked; each only when there is something to report. */
export const RESULT_META = {
  /** How the call ended, when it did not end well: "failed", "denied", "timed-out", … */
  status: "haft/status",
  /** The error code. */
  code: "haft/code",
  /** What was left out, with its size and the artifact that holds it. */
  truncations: "haft/cuts",
  /** What was put right in the arguments, as sentences. */
  repairs: "haft/repairs",
  /** What the tool tells in fields beside its text, such as an exit code. */
  facts: "haft/facts",
} as const;

/**
 * Text and JSON become text, images base64, resources resources. A call that did not end well has `isError`.
 *
 * There is never a `structuredContent`: clients in wide use give it to the model in the place of the content, so that the
 * model would get a file's size and never its lines. What the tool tells in fields stands in `_meta`, `withFacts` only:
 * other clients show a model the whole of `_meta`, or wrap the text in JSON as soon as there is any.
 */
export function callResult(outcome: ToolOutcome, withFacts: boolean): CallToolResult {
  const meta = withFacts ? metaOf(outcome) : {};
  return {
    content: outcome.content.map(blockOf),
    isError: outcome.isError,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

/** A call that could not even begin, told to the model. */
export function refusedResult(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

function metaOf(outcome: ToolOutcome): Record<string, unknown> {
  return {
    ...(outcome.isError ? { [RESULT_META.status]: outcome.status } : {}),
    ...(outcome.code === undefined ? {} : { [RESULT_META.code]: outcome.code }),
    ...(outcome.truncations.length === 0 ? {} : { [RESULT_META.truncations]: outcome.truncations }),
    ...(outcome.repairs.length === 0 ? {} : { [RESULT_META.repairs]: outcome.repairs }),
    ...(isObject(outcome.structured) ? { [RESULT_META.facts]: outcome.structured } : {}),
  };
}

function blockOf(block: ContentBlock): McpBlock {
  switch (block.kind) {
    case "text":
      return { type: "text", text: block.text };
    case "json":
      return { type: "text", text: JSON.stringify(block.value) ?? "null" };
    case "image":
      return { type: "image", data: Buffer.from(block.data).toString("base64"), mimeType: block.mime };
    case "resource":
      return block.text === undefined
        ? { type: "resource_link", uri: block.uri, name: block.uri }
        : { type: "resource", resource: { uri: block.uri, text: block.text } };
    default:
      return block satisfies never;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
