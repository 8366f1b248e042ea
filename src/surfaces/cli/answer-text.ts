/** An outcome for a person's eyes or the next program in a pipe. */
import pc from "picocolors";
import type { ContentBlock, ToolOutcome } from "../../kernel/index.js";
import { stripControls } from "../../text/index.js";
import { jsonText, type Stream } from "./json-output.js";

/**
 * The blocks of the answer, one after another, with a line end. A terminal gets JSON indented, and nothing that it would obey:
 * diffs in colour unless NO_COLOR is set; `hidden` counts the characters that were left out for that.
 */
export function answerText(outcome: ToolOutcome, stream: Stream): { readonly text: string; readonly hidden: number } {
  const isForUser = stream.isTTY === true;
  const blocks = outcome.content.map((block) => blockText(block, isForUser)).join("\n");
  const text = blocks === "" || blocks.endsWith("\n") ? blocks : `${blocks}\n`;
  if (!isForUser) return { text, hidden: 0 };
  const { text: clean, removed } = stripControls(text);
  return { text: withColouredDiff(clean), hidden: removed };
}

/** Lines of a unified diff, from a hunk's header to the first line that belongs to none. */
function withColouredDiff(text: string): string {
  let isInHunk = false;
  const lines = text.split("\n").map((line) => {
    if (/^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/.test(line)) {
      isInHunk = true;
      return pc.cyan(line);
    }
    isInHunk &&= /^[ +\\-]/.test(line);
    if (!isInHunk) return line;
    return line.startsWith("+") ? pc.green(line) : line.startsWith("-") ? pc.red(line) : line;
  });
  return lines.join("\n");
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

function blockText(block: ContentBlock, isForUser: boolean): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "json":
      return JSON.stringify(block.value, null, isForUser ? 2 : undefined);
    case "image":
      return `[${block.mime}, ${block.data.length} bytes; \`--json\` or an MCP client shows it]`;
    case "resource":
      return block.text ?? block.uri;
    default:
      return block satisfies never;
  }
}
