/** From what another MCP server answers to a result of ours. Nothing in it is taken on trust. */
import { isDeepStrictEqual } from "node:util";
import type { Artifacts, ArtifactWriter, ContentBlock, Json, Provenance, ToolResult } from "../kernel/index.js";
import { escapeHidden } from "./clean-text.js";
import { checkImage } from "./server-image.js";

/** Blocks of one answer; further ones are omitted with a notice. */
const MAX_BLOCKS = 256;
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;
const NO_BASE64 = /[^A-Za-z0-9+/=_\s-]/;

const MAX_SHOWN_URI = 200;
/** Levels of lists and objects that are passed on: deeper ones would exhaust the stack of whoever walks them. */
const MAX_LEVELS = 64;
const TOO_DEEP = `[omitted: nested deeper than ${MAX_LEVELS} levels]`;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Text, images, links and embedded resources become blocks of their kinds, anything else JSON; each block and the whole say which
 * server they come from. Control characters are escaped. Embedded bytes are kept as artifacts. Structured content is shown
 * where no text block holds the same as JSON.
 */
export async function serverResult(answer: unknown, server: string, artifacts: Artifacts): Promise<ToolResult<never>> {
  const provenance: Provenance = { from: "server", ref: server };
  const { content, isError, structuredContent } = isFields(answer) ? answer : ({} as Fields);
  const given = listOf(content);
  const blocks: ContentBlock[] = [];
  for (const block of given.slice(0, MAX_BLOCKS)) {
    const kept = await storedBlob(block, provenance, artifacts);
    blocks.push({ ...(kept ?? blockOf(block)), provenance });
    if (isFields(block) && block.type === "resource_link" && typeof block.uri === "string")
      blocks.push({ kind: "text", text: notFetched(block), provenance });
  }
  if (given.length > MAX_BLOCKS)
    blocks.push({ kind: "text", text: `[${given.length - MAX_BLOCKS} more blocks were omitted]`, provenance });
  const structured = withoutControls(structuredContent);
  if (structured !== undefined && !isRepeated(structured, given.slice(0, MAX_BLOCKS)))
    blocks.push({ kind: "json", value: structured as Json, provenance });
  return {
    content: blocks,
    isError: isError === true,
    provenance,
    ...(isFields(structured) ? { structured: structured as Json } : {}),
  };
}

/** An embedded resource of bytes, kept where `read` finds it; undefined for any other block. */
async function storedBlob(
  block: unknown,
  provenance: Provenance,
  artifacts: Artifacts,
): Promise<ContentBlock | undefined> {
  if (!isFields(block) || block.type !== "resource" || !isFields(block.resource)) return undefined;
  const { blob, uri, mimeType, text } = block.resource;
  if (typeof blob !== "string" || typeof uri !== "string" || typeof text === "string") return undefined;
  const mime = mimeOf(mimeType);
  if (NO_BASE64.test(blob)) return { kind: "text", text: `[${mime}, not valid base64, not shown]` };
  const bytes = Buffer.from(blob, "base64");
  const what = `${escapeHidden(uri).slice(0, MAX_SHOWN_URI)}, ${mime}, ${bytes.length} bytes`;
  let writer: ArtifactWriter | undefined;
  try {
    writer = await artifacts.create({ what, provenance });
    await writer.write(bytes);
    await writer.end();
    return { kind: "text", text: `[${what}: stored as "artifact:${writer.id}"; \`read\` accepts this path]` };
  } catch {
    await writer?.discard?.().catch(() => {});
    return { kind: "text", text: `[${what}: could not be stored, not shown]` };
  }
}

/** A link is passed on to clients that can follow it; the text for the model says that our tools cannot. */
function notFetched({ uri, mimeType, size }: Fields): string {
  const bytes = Number.isSafeInteger(size) && Number(size) >= 0 ? `${size} bytes` : "size not stated";
  const mime = typeof mimeType === "string" && MIME.test(mimeType) ? mimeType : "type not stated";
  const shown = escapeHidden(String(uri)).slice(0, MAX_SHOWN_URI);
  return `[${shown}, ${mime}, ${bytes}: a link to a resource of the server; not fetched, and \`read\` cannot open it]`;
}

/** Whether a text block is the structured content as JSON, which MCP asks servers to send for clients that read text only. */
function isRepeated(structured: unknown, blocks: readonly unknown[]): boolean {
  return blocks.some((block) => {
    if (!isFields(block) || block.type !== "text" || typeof block.text !== "string") return false;
    try {
      return isDeepStrictEqual(withoutControls(JSON.parse(block.text)), structured);
    } catch {
      return false;
    }
  });
}

/** What stands where the list should be is shown rather than lost. */
function listOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  if (content === undefined || content === null) return [];
  return [typeof content === "string" ? { type: "text", text: content } : content];
}

function blockOf(block: unknown): ContentBlock {
  const make = isFields(block) && typeof block.type === "string" ? MAKERS[block.type] : undefined;
  return make?.(block as Fields) ?? { kind: "json", value: withoutControls(block ?? null) as Json };
}

/** Type of a block → ours; undefined where it is not what its type says. */
const MAKERS: Readonly<Record<string, (block: Fields) => ContentBlock | undefined>> = Object.assign(
  Object.create(null),
  {
    text: ({ text }: Fields) => (typeof text === "string" ? { kind: "text", text: escapeHidden(text) } : undefined),
    image: ({ data, mimeType }: Fields) => (typeof data === "string" ? imageOf(data, mimeOf(mimeType)) : undefined),
    audio: ({ data, mimeType }: Fields) =>
      typeof data === "string" ? named(mimeOf(mimeType), Buffer.byteLength(data, "base64")) : undefined,
    resource_link: ({ uri }: Fields) =>
      typeof uri === "string" ? { kind: "resource", uri: escapeHidden(uri) } : undefined,
    resource: ({ resource }: Fields) =>
      isFields(resource) && typeof resource.uri === "string"
        ? {
            kind: "resource",
            uri: escapeHidden(resource.uri),
            ...(typeof resource.text === "string" ? { text: escapeHidden(resource.text) } : {}),
          }
        : undefined,
  },
);

/** A provider refuses a whole conversation for an image that is none. */
function imageOf(data: string, mime: string): ContentBlock {
  if (NO_BASE64.test(data)) return { kind: "text", text: `[${mime}, not valid base64, not shown]` };
  const bytes = Buffer.from(data, "base64");
  const checked = checkImage(bytes);
  if ("problem" in checked) return named(mime, bytes.length, `: ${checked.problem}`);
  return { kind: "image", data: new Uint8Array(bytes), mime: checked.mime };
}

function named(mime: string, bytes: number, why = ""): ContentBlock {
  return { kind: "text", text: `[${mime}, ${bytes} bytes, not shown${why}]` };
}

/** A JSON value whose texts and names show all that they hold, with a note where it is nested too deep. */
function withoutControls(value: unknown, levels = MAX_LEVELS): unknown {
  if (typeof value === "string") return escapeHidden(value);
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((held) => withoutControls(held, levels - 1));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, held]) => [escapeHidden(key), withoutControls(held, levels - 1)]));
}

function mimeOf(mime: unknown): string {
  return typeof mime === "string" && MIME.test(mime) ? mime : "application/octet-stream";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
