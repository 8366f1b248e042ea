/** An outcome in the parts that every SDK has: text and images. */
import type { ContentBlock, ToolOutcome } from "../kernel/index.js";

/** What a model reads of a result. `data` of an image is base64. */
export type OutcomePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mime: string; readonly data: string };

export type OutcomeImage = Extract<OutcomePart, { readonly type: "image" }>;

/** The content in order: JSON and resources as text. An empty result has no part; an error always has a text. */
export function partsOf(outcome: Pick<ToolOutcome, "content" | "isError" | "code" | "status">): readonly OutcomePart[] {
  const parts = outcome.content.map(partOf).filter((part) => part.type !== "text" || part.text !== "");
  if (!outcome.isError || parts.some((part) => part.type === "text" && part.text.trim() !== "")) return parts;
  const text = `The call failed without a message (${outcome.code ?? outcome.status}).`;
  return [{ type: "text", text }, ...parts.filter((part) => part.type === "image")];
}

/** The parts as one text, a line each, where `imageText` stands for an image. Without it, undefined where a part is an image. */
export function textOf(parts: readonly OutcomePart[], imageText: (image: OutcomeImage) => string): string;
export function textOf(parts: readonly OutcomePart[]): string | undefined;
export function textOf(parts: readonly OutcomePart[], imageText?: (image: OutcomeImage) => string): string | undefined {
  const texts = parts.map((part) => (part.type === "text" ? part.text : imageText?.(part)));
  return texts.includes(undefined) ? undefined : texts.join("\n");
}

/** `[image/gif, 120 bytes, not shown: Gemini takes …]`, where a result cannot hold the image. `why` is a clause. */
export function omittedImage({ mime, data }: OutcomeImage, why: string): string {
  return `[${mime}, ${Buffer.byteLength(data, "base64").toLocaleString("en-US")} bytes, not shown: ${why}.]`;
}

/** For an error, in SDKs whose errors are a text. */
export function errorTextOf(parts: readonly OutcomePart[]): string {
  return textOf(parts, (image) => omittedImage(image, "an error holds only text"));
}

export function dataUrlOf({ mime, data }: OutcomeImage): string {
  return `data:${mime};base64,${data}`;
}

/** Characters of base64. Anthropic refuses a request with a larger image (5 MB), and each later one that repeats it. */
const MAX_IMAGE_CHARACTERS = 5_000_000;

function imagePart(image: OutcomeImage): OutcomePart {
  if (image.data === "") return { type: "text", text: omittedImage(image, "it is empty") };
  if (image.data.length <= MAX_IMAGE_CHARACTERS) return image;
  return { type: "text", text: omittedImage(image, "it is too large for an API of a model") };
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
      return imagePart({ type: "image", mime: block.mime, data: Buffer.from(block.data).toString("base64") });
    default:
      return block satisfies never;
  }
}
