/** An outcome in the parts that every SDK has: text and images. */
import type { ContentBlock, ToolOutcome } from "../kernel/index.js";

/** What a model reads of a result. `data` of an image is base64. */
export type OutcomePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mime: string; readonly data: string };

/** The content in order: JSON and resources as text. An empty result has no part. */
export function partsOf({ content }: Pick<ToolOutcome, "content">): readonly OutcomePart[] {
  return content.map(partOf).filter((part) => part.type !== "text" || part.text !== "");
}

/** The texts of the parts, a line each; undefined where a part is an image, which a text cannot hold. */
export function textOf(parts: readonly OutcomePart[]): string | undefined {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n") : undefined;
}

function partOf(block: ContentBlock): OutcomePart {
  switch (block.kind) {
    case "text":
      return { type: "text", text: block.text };
    case "json":
      return { type: "text", text: JSON.stringify(block.value) ?? "null" };
    case "resource":
      return { type: "text", text: block.text ?? block.uri };
    case "image":
      return { type: "image", mime: block.mime, data: Buffer.from(block.data).toString("base64") };
    default:
      return block satisfies never;
  }
}
