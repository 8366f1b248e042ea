/** The text of an outcome, for a terminal or a pipe. */
import pc from "picocolors";
import type { ContentBlock, ToolOutcome } from "../../../../kernel/index.js";
import { stripControls } from "../../../../text/index.js";
import { jsonText, type Stream } from "../../output.js";

/**
 * The blocks of the result with a newline at the end. For a terminal JSON is indented, diffs are coloured unless NO_COLOR is set,
 * and control sequences are removed; `hidden` counts the removed characters.
 */
export function answerText(outcome: ToolOutcome, stream: Stream): { readonly text: string; readonly hidden: number } {
  const isForUser = stream.isTTY === true;
  const blocks = outcome.content.map((block) => blockText(block, isForUser)).join("\n");
  const text = blocks === "" || blocks.endsWith("\n") ? blocks : `${blocks}\n`;
  if (!isForUser) return { text, hidden: 0 };
  const { text: clean, removed } = stripControls(text);
  return { text: withColouredDiff(clean), hidden: removed };
}

/** Colours the hunks of unified diffs. */
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

/** The result as JSON with a newline at the end; bytes as base64. */
export function answerJson(answer: unknown, stream: Stream): string {
  return jsonText(JSON.stringify(answer, bytesAsBase64, 2), stream);
}

/** Reads the property itself: `value` is a Buffer after its toJSON(). */
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
