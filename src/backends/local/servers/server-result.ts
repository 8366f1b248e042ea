/** From what another MCP server answers to a result of ours. Nothing in it is taken on trust. */
import type { ContentBlock, Provenance, ToolResult } from "../../../kernel/index.js";

/** Blocks of one answer; what comes after them is left out and told. */
const MAX_BLOCKS = 256;
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;
const IMAGE = /^image\//i;
const NO_BASE64 = /[^A-Za-z0-9+/=_\s-]/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Text, images, links and embedded texts become blocks of their kinds, anything else JSON; each block and the whole say which
 * server they come from. An image that is none is named. An answer without blocks that has structured content shows that.
 */
export function serverResult(answer: unknown, server: string): ToolResult<never> {
  const provenance: Provenance = { from: "server", ref: server };
  const { content, isError, structuredContent } = isFields(answer) ? answer : ({} as Fields);
  const given = listOf(content);
  const blocks = given.slice(0, MAX_BLOCKS).map((block): ContentBlock => ({ ...blockOf(block), provenance }));
  if (given.length > MAX_BLOCKS)
    blocks.push({ kind: "text", text: `[${given.length - MAX_BLOCKS} more blocks were left out]`, provenance });
  if (blocks.length === 0 && structuredContent !== undefined)
    blocks.push({ kind: "json", value: structuredContent, provenance });
  return {
    content: blocks,
    isError: isError === true,
    provenance,
    ...(isFields(structuredContent) ? { structured: structuredContent } : {}),
  };
}

/** What stands where the list should be is shown rather than lost. */
function listOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  if (content === undefined || content === null) return [];
  return [typeof content === "string" ? { type: "text", text: content } : content];
}

function blockOf(block: unknown): ContentBlock {
  const make = isFields(block) && typeof block.type === "string" ? MAKERS[block.type] : undefined;
  return make?.(block as Fields) ?? { kind: "json", value: block ?? null };
}

/** Type of a block → ours; undefined where it is not what its type says. */
const MAKERS: Readonly<Record<string, (block: Fields) => ContentBlock | undefined>> = Object.assign(
  Object.create(null),
  {
    text: ({ text }: Fields) => (typeof text === "string" ? { kind: "text", text } : undefined),
    image: ({ data, mimeType }: Fields) => (typeof data === "string" ? imageOf(data, mimeOf(mimeType)) : undefined),
    audio: ({ data, mimeType }: Fields) =>
      typeof data === "string" ? named(mimeOf(mimeType), Buffer.byteLength(data, "base64")) : undefined,
    resource_link: ({ uri }: Fields) => (typeof uri === "string" ? { kind: "resource", uri } : undefined),
    resource: ({ resource }: Fields) =>
      isFields(resource) && typeof resource.uri === "string"
        ? {
            kind: "resource",
            uri: resource.uri,
            ...(typeof resource.text === "string" ? { text: resource.text } : {}),
          }
        : undefined,
  },
);

/** A provider refuses a whole conversation for an image that is none. */
function imageOf(data: string, mime: string): ContentBlock {
  if (NO_BASE64.test(data)) return { kind: "text", text: `[${mime}, not in base64, not shown]` };
  const bytes = new Uint8Array(Buffer.from(data, "base64"));
  return bytes.length > 0 && IMAGE.test(mime) ? { kind: "image", data: bytes, mime } : named(mime, bytes.length);
}

function named(mime: string, bytes: number): ContentBlock {
  return { kind: "text", text: `[${mime}, ${bytes} bytes, not shown]` };
}

function mimeOf(mime: unknown): string {
  return typeof mime === "string" && MIME.test(mime) ? mime : "application/octet-stream";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
