/** Reads the body of a response of the HTTP port up to a limit. */
import type { HttpHeaders, HttpResponse, ToolContext, Truncation } from "../../kernel/index.js";
import { concatBytes } from "../../text/index.js";

/** The first header of this name. @param name - In lowercase. */
export function headerOf(headers: HttpHeaders, name: string): string | undefined {
  return headers.find((header) => header[0].toLowerCase() === name)?.[1];
}

/** The size that the server declares. Undefined for a compressed body, whose decoded size it is not. */
export function declaredBytes(headers: HttpHeaders): number | undefined {
  const length = headerOf(headers, "content-length") ?? "";
  return /^\d{1,15}$/.test(length) && headerOf(headers, "content-encoding") === undefined ? Number(length) : undefined;
}

/** Bytes between two events about a large body. */
const PROGRESS_BYTES = 1_048_576;

/** @returns At most `maxBytes` of the decoded body; `isComplete` is false if it has more. */
export async function readBody(
  response: HttpResponse,
  maxBytes: number,
  ctx: ToolContext,
): Promise<{ readonly bytes: Uint8Array; readonly isComplete: boolean }> {
  const parts: Uint8Array[] = [];
  const total = declaredBytes(response.headers);
  let size = 0;
  let reported = 0;
  for await (const part of response.chunks()) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
    if (size - reported < PROGRESS_BYTES) continue;
    reported = size;
    const of = total === undefined ? "" : ` of ${mebibytes(total)}`;
    const message = `Fetched ${mebibytes(size)}${of} of ${response.url}`;
    ctx.emit({ kind: "progress", message, progress: size, ...(total === undefined ? {} : { total }) });
  }
  const bytes = concatBytes(parts);
  return size > maxBytes ? { bytes: bytes.slice(0, maxBytes), isComplete: false } : { bytes, isComplete: true };
}

export const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MiB`;

/** Of a body that was not read to its end. What was not read is at least one byte. */
export function bodyTruncation(url: string, keptBytes: number, declared: number | undefined): Truncation {
  return { what: `body of ${url}`, producedBytes: Math.max(declared ?? 0, keptBytes + 1), keptBytes };
}
