/** Builds what a presenter returns. */
import { blockText, type ContentBlock, type Rendered, type ToolResult, type Truncation } from "../kernel/index.js";

/** One text block. */
export function textResult(text: string, more: Omit<Rendered, "content"> = {}): Rendered {
  return { content: [{ kind: "text", text }], ...more };
}

/** Several text blocks, for an envelope that keeps them apart. */
export function textBlocks(texts: readonly string[], more: Omit<Rendered, "content"> = {}): Rendered {
  return { content: texts.map((text): ContentBlock => ({ kind: "text", text })), ...more };
}

/** The truncations that the tool has not reported already. */
export function newTruncations(
  result: ToolResult<unknown>,
  truncations: readonly Truncation[],
): { readonly truncations?: readonly Truncation[] } {
  const known = new Set((result.truncations ?? []).map((truncation) => truncation.what));
  const added = truncations.filter((truncation) => !known.has(truncation.what));
  return added.length === 0 ? {} : { truncations: added };
}

/** `1 byte`, `2 bytes`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The text of an outcome's blocks, one line each, for hosts that take a single string. */
export function textOfBlocks(content: readonly ContentBlock[]): string {
  return content.map(blockText).join("\n");
}

/** How an artifact is read with a tool of a dialect, whose parameter for a path is `path`. */
export function artifactHintFor(tool: string): (id: string) => string {
  return (id) => `Read the rest with \`${tool}\`, path "artifact:${id}".`;
}
