import { decodeText, detectTextForm, findEncoding, incompleteTailLength, isBinary } from "../../text/index.js";

const BINARY_TYPES = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip)$)/;

/** The media type of a Content-Type header, and the label of its charset. */
export function parseContentType(header: string): { readonly contentType: string; readonly charset?: string } {
  const [type = "", ...parameters] = header.split(";");
  const contentType = type.trim().toLowerCase();
  for (const parameter of parameters) {
    const [, charset] = /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(parameter) ?? [];
    if (charset !== undefined) return { contentType, charset };
  }
  return { contentType };
}

/** The body as text, in the charset of its header or the one that its bytes suggest; undefined if it is not text. */
export async function textOfBody(bytes: Uint8Array, isComplete: boolean, header: string): Promise<string | undefined> {
  const { contentType, charset } = parseContentType(header);
  if (BINARY_TYPES.test(contentType)) return undefined;
  const form = await detectTextForm(bytes, !isComplete);
  if (isBinary(bytes, form)) return undefined;
  const named = charset === undefined || form.bomBytes > 0 ? undefined : findEncoding(charset);
  const encoding = named ?? form.encoding;
  const rest = isComplete || encoding !== "utf-8" ? 0 : incompleteTailLength(bytes);
  return decodeText(bytes.subarray(0, bytes.length - rest), encoding).text;
}
