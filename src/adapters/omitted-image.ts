/** An image in the words of a text, where a result cannot hold it. */
import type { OutcomePart } from "./outcome-parts.js";

/** `[image/gif, 120 bytes, not shown: Gemini takes …]`. `why` is a clause. */
export function omittedImage({ mime, data }: Extract<OutcomePart, { type: "image" }>, why: string): string {
  return `[${mime}, ${Buffer.byteLength(data, "base64").toLocaleString("en-US")} bytes, not shown: ${why}.]`;
}
