/** Converts an outcome to an MCP tool result. */
import type { CallToolResult, ContentBlock as McpBlock } from "@modelcontextprotocol/server";
import type { ContentBlock, ToolOutcome } from "../../kernel/index.js";

/** In `_meta` of a request: `true` requests the entries of `RESULT_META` in the result. */
export const STRUCTURED_META = "haft/facts";

/** Names of the entries that Haft adds to `_meta` of a result on request; an entry without content is omitted. */
export const RESULT_META = {
  /** The status of a call that did not succeed: "failed", "denied", "timed-out", … */
  status: "haft/status",
  /** The error code. */
  code: "haft/code",
  /** Truncations, with sizes and the artifact that stores the whole text. */
  truncations: "haft/truncations",
  /** Repairs of the arguments, as sentences. */
  repairs: "haft/repairs",
  /** Structured data of the tool, such as an exit code. */
  facts: "haft/facts",
} as const;

/**
 * Text and JSON become text, images base64, resources resources. A call that did not succeed has `isError`. An empty text is
 * left out: clients hand blocks on as they are, and the Messages API of Anthropic refuses an empty one.
 *
 * `structuredContent` is never set: popular clients pass it to the model instead of the content, so the model would get a
 * file's size but not its lines. Structured data is in `_meta`, and only with `withFacts`: other clients show all of `_meta` to
 * the model, or wrap the text in JSON if it is present.
 */
export function callResult(outcome: ToolOutcome, withFacts: boolean): CallToolResult {
  const meta = withFacts ? metaOf(outcome) : {};
  return {
    content: outcome.content.map(blockOf).filter((block) => block.type !== "text" || block.text !== ""),
    isError: outcome.isError,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

/** The error result of a call that could not start. */
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
