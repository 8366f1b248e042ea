/** From what another MCP server answers to a result of ours. Nothing in it is taken on trust. */
import type { ContentBlock, Provenance, ToolResult } from "../../../kernel/index.js";

/** Blocks of one answer; what comes after them is left out and told. */
const MAX_BLOCKS = 256;
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Text, images, links and embedded texts become blocks of their kinds, anything else JSON; each block and the whole say which
 * server they come from. An answer without blocks that has structured content shows that.
 */
export function serverResult(answer: unknown, server: string): ToolResult<never> {
  const provenance: Provenance = { from: "server", ref: server };
  const { content, isError, structuredContent } = isFields(answer) ? answer : ({} as Fields);
  const given = Array.isArray(content) ? content : [];
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

function blockOf(block: unknown): ContentBlock {
  const make = isFields(block) && typeof block.type === "string" ? MAKERS[block.type] : undefined;
  return make?.(block as Fields) ?? { kind: "json", value: block ?? null };
}

/** Type of a block → ours; undefined where it is not what its type says. */
const MAKERS: Readonly<Record<string, (block: Fields) => ContentBlock | undefined>> = Object.assign(
  Object.create(null),
  {
    text: ({ text }: Fields) => (typeof text === "string" ? { kind: "text", text } : undefined),
    image: ({ data, mimeType }: Fields) =>
      typeof data === "string"
        ? { kind: "image", data: new Uint8Array(Buffer.from(data, "base64")), mime: mimeOf(mimeType) }
        : undefined,
    audio: ({ data, mimeType }: Fields) =>
      typeof data === "string"
        ? { kind: "text", text: `[${mimeOf(mimeType)}, ${Buffer.byteLength(data, "base64")} bytes, not shown]` }
        : undefined,
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

function mimeOf(mime: unknown): string {
  return typeof mime === "string" && MIME.test(mime) ? mime : "application/octet-stream";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
