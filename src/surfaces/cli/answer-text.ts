/** An outcome for a person's eyes or the next program in a pipe. */
import type { ContentBlock, ToolOutcome } from "../../kernel/index.js";
import { stripControls } from "../../text/index.js";
import { jsonText, type Stream } from "./json-output.js";

/**
 * The blocks of the answer, one after another, with a line end. A terminal gets JSON indented, and nothing that it would obey:
 * `hidden` counts the characters that were left out for that.
 */
export function answerText(outcome: ToolOutcome, stream: Stream): { readonly text: string; readonly hidden: number } {
  const isForPerson = stream.isTTY === true;
  const blocks = outcome.content.map((block) => blockText(block, isForPerson)).join("\n");
  const text = blocks === "" || blocks.endsWith("\n") ? blocks : `${blocks}\n`;
  if (!isForPerson) return { text, hidden: 0 };
  const { text: clean, removed } = stripControls(text);
  return { text: clean, hidden: removed };
}

/** The whole answer as JSON, with a line end; the bytes of an image as base64. */
export function answerJson(answer: unknown, stream: Stream): string {
  return jsonText(JSON.stringify(answer, bytesAsBase64, 2), stream);
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
