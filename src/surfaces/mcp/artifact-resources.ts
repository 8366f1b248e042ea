/** The artifacts of a session as MCP resources, listed and read in byte ranges. */
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from "@modelcontextprotocol/server";
import type { ArtifactInfo, Artifacts } from "../../kernel/index.js";
import { incompleteTailLength, isUtf8 } from "../../text/index.js";

/** Artifacts per page of a list. */
const PAGE = 100;
/** Default length of a byte range. */
const DEFAULT_WINDOW_BYTES = 64 * 1024;
/** Maximum length of a byte range. */
export const MAX_WINDOW_BYTES = 1024 * 1024;
const ADDRESS = /^artifact:\/\/\/([a-z0-9-]{1,40})(?:\?(.*))?$/;
/** UTF-8 needs at most this many bytes after the first one of a character. */
const CONTINUATION_BYTES = 3;

/** The byte range in `_meta` of a read resource; offsets count produced bytes. */
export const WINDOW_META = "haft/window";

interface ArtifactWindow {
  readonly id: string;
  readonly offset: number;
  readonly length: number;
}

/** A byte range of an artifact. */
function artifactUri(id: string): string {
  return `artifact:///${id}`;
}

export function artifactTemplates(): ListResourceTemplatesResult {
  return {
    resourceTemplates: [
      {
        uriTemplate: "artifact:///{id}",
        name: "artifact",
        description: `An output that was kept because it did not fit its answer: its first ${DEFAULT_WINDOW_BYTES} bytes.`,
      },
      {
        uriTemplate: "artifact:///{id}{?offset,length}",
        name: "artifact-window",
        description: `A window of it, in bytes from its beginning; at most ${MAX_WINDOW_BYTES} at once.`,
      },
    ],
  };
}

/** The newest first; `cursor` is the id after which a page begins. */
export function artifactPage(artifacts: readonly ArtifactInfo[], cursor: string | undefined): ListResourcesResult {
  const newestFirst = [...artifacts].reverse();
  // An artifact evicted since the last page was among the oldest, so no older one follows.
  const found = cursor === undefined ? -1 : newestFirst.findIndex((one) => one.id === cursor);
  const start = cursor !== undefined && found === -1 ? newestFirst.length : found + 1;
  const page = newestFirst.slice(start, start + PAGE);
  const last = page.at(-1);
  return {
    resources: page.map(({ id, what, producedBytes, keptBytes, createdMs }) => ({
      uri: artifactUri(id),
      name: id,
      title: what,
      size: keptBytes,
      description: keptBytes < producedBytes ? `${keptBytes} of ${producedBytes} bytes are kept` : `${keptBytes} bytes`,
      annotations: { lastModified: new Date(createdMs).toISOString() },
    })),
    ...(last !== undefined && start + PAGE < newestFirst.length ? { nextCursor: last.id } : {}),
  };
}

/** The byte range of a URI; undefined for a foreign URI, and the problem as a sentence for an invalid range. */
export function artifactWindow(uri: string): ArtifactWindow | string | undefined {
  const [, id, query = ""] = ADDRESS.exec(uri) ?? [];
  if (id === undefined) return undefined;
  const given = new URLSearchParams(query);
  const offset = numberOf(given.get("offset") ?? "0");
  const length = numberOf(given.get("length") ?? String(DEFAULT_WINDOW_BYTES));
  if (offset === undefined || length === undefined || length === 0 || length > MAX_WINDOW_BYTES)
    return `Did not read "${uri}": \`offset\` is a whole number of bytes from 0, \`length\` one from 1 to ${MAX_WINDOW_BYTES}.`;
  return { id, offset, length };
}

/** Artifacts, and how their text is shown: backups of files hold secrets. */
export type ShownArtifacts = Artifacts & { redact?(text: string): string };

/**
 * The bytes of a range: as text (whole characters) if they are UTF-8, otherwise as base64. A second entry with the URI of the
 * next range, and `_meta`, report omitted bytes. Undefined for an unknown artifact, "evicted" for an evicted one.
 */
export async function readArtifactWindow(
  artifacts: ShownArtifacts,
  window: ArtifactWindow,
): Promise<ReadResourceResult | "evicted" | undefined> {
  const { id, offset, length } = window;
  const part = await artifacts.read(id, offset, length);
  if (part === "unknown") return undefined;
  if (part === "evicted") return "evicted";
  const { producedBytes, keptBytes, gap } = part;
  const isFirstHalf = offset === 0 ? 0 : leadingContinuation(part.bytes);
  const whole = part.bytes.subarray(isFirstHalf, part.bytes.length - incompleteTail(part.bytes, offset, producedBytes));
  const isSome = whole.length > 0 || part.bytes.length === 0;
  const bytes = isSome && isUtf8(whole) ? whole : part.bytes;
  const isText = bytes === whole;
  const begin = offset + (isText ? isFirstHalf : 0);
  const end = begin + bytes.length;
  const next = gap !== undefined && end >= gap[0] ? Math.max(gap[1], end) : end;
  const uri = artifactUri(id);
  const redacted = (text: string): string => artifacts.redact?.(text) ?? text;
  const shown = isText
    ? { uri, mimeType: "text/plain", text: redacted(Buffer.from(bytes).toString("utf8")) }
    : { uri, mimeType: "application/octet-stream", blob: Buffer.from(bytes).toString("base64") };
  const about = { offset: begin, bytes: bytes.length, producedBytes, keptBytes, ...(gap === undefined ? {} : { gap }) };
  if (next >= producedBytes) return { contents: [shown], _meta: { [WINDOW_META]: about } };
  const nextUri = `${uri}?offset=${next}&length=${length}`;
  const droppedBytes = next > end ? ` Bytes ${end} to ${next} were not kept.` : "";
  const text = `[Bytes ${begin} to ${end} of ${producedBytes}.${droppedBytes} The next window: ${nextUri}]`;
  return {
    contents: [shown, { uri: nextUri, mimeType: "text/plain", text }],
    _meta: { [WINDOW_META]: { ...about, next } },
  };
}

/** Excludes a partial character at the end of the range, unless the data itself ends there. */
function incompleteTail(bytes: Uint8Array, offset: number, producedBytes: number): number {
  const isEnd = offset + bytes.length >= producedBytes;
  const cut = incompleteTailLength(bytes);
  return isEnd || cut >= bytes.length ? 0 : cut;
}

/** Number of bytes at the start that belong to a character begun before the range. */
function leadingContinuation(bytes: Uint8Array): number {
  let count = 0;
  while (count < CONTINUATION_BYTES && count < bytes.length && ((bytes[count] ?? 0) & 0xc0) === 0x80) count++;
  return count;
}

function numberOf(text: string): number | undefined {
  const number = Number(text);
  return /^\d{1,15}$/.test(text) && Number.isSafeInteger(number) ? number : undefined;
}
