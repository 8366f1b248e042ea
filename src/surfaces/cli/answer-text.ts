/** An outcome for a person's eyes or the next program in a pipe. */
import type { ContentBlock, ToolOutcome } from "../../kernel/index.js";

/** The blocks of the answer, one after another, with a line end. JSON is indented where a person reads. */
export function answerText(outcome: ToolOutcome, stream: { readonly isTTY?: boolean }): string {
  const text = outcome.content.map((block) => blockText(block, stream.isTTY === true)).join("\n");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The whole answer as JSON, with a line end; the bytes of an image as base64. */
export function answerJson(answer: unknown): string {
  return `${JSON.stringify(answer, bytesAsBase64, 2)}\n`;
}

/** Looks at what is there and not at `value`: a Buffer has become something else by then. */
function bytesAsBase64(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Readonly<Record<string, unknown>>)[key];
  return original instanceof Uint8Array ? Buffer.from(original).toString("base64") : value;
}

function blockText(block: ContentBlock, isForPerson: boolean): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "json":
      return JSON.stringify(block.value, null, isForPerson ? 2 : undefined);
    case "image":
      return `[${block.mime}, ${block.data.length} bytes; \`--json\` or an MCP client shows it]`;
    case "resource":
      return block.text ?? block.uri;
    default:
      return block satisfies never;
  }
}
