/** Saves the body of a response as a new file. */
import {
  type Claim,
  type ClaimContext,
  fail,
  HaftError,
  type HttpResponse,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { byteSize, concatBytes } from "../../text/index.js";
import { lookAlikeClaims, refuseLookAlike } from "../shared/near-failure.js";
import { makeParents, parentClaims, refusedParents } from "../shared/parent-directories.js";
import { quoted } from "../shared/path-input.js";
import { refuseNewFileTrailingSlash } from "../shared/trailing-slash.js";
import { refuseUnexpanded } from "../shared/unexpanded-path.js";

/** Bytes between two progress events. */
const PROGRESS_BYTES = 1_048_576;

/** The new file, and each parent that may have to be created. */
export function saveClaims(saveTo: string, context: ClaimContext): readonly Claim[] {
  const path = context.resolve(saveTo);
  const own: Claim = { kind: "file", path, access: ["create"], scope: "self" };
  return [own, ...parentClaims(path, context), ...lookAlikeClaims(path, context)];
}

/**
 * Why nothing can be saved there, before anything is sent.
 *
 * @param missing - The missing part of the path, as the lock resolves it; "" if the path exists.
 */
export async function refuseSave(
  saveTo: string,
  missing: string,
  ctx: ToolContext,
): Promise<ToolResult<never> | undefined> {
  const verb = "send the request or save";
  const absolute = ctx.resolve(saveTo);
  if (missing === "") return existing(saveTo, `Did not ${verb}`);
  const misspelt =
    refuseNewFileTrailingSlash({ verb, givenPath: saveTo }) ??
    refuseUnexpanded(saveTo, verb) ??
    (await refuseLookAlike(ctx, verb, absolute, saveTo));
  if (misspelt !== undefined) return misspelt;
  const why = missing.includes("/") ? refusedParents(absolute, missing, ctx) : undefined;
  if (why === undefined) return undefined;
  return fail("FS_NOT_FOUND", `Did not ${verb} ${quoted(saveTo)}: ${why}.`, { details: { path: saveTo } });
}

function existing(saveTo: string, did: string): ToolResult<never> {
  const message = `${did} ${quoted(saveTo)}: the file already exists. Choose another path, or delete it first.`;
  return fail("FS_EXISTS", message, { details: { path: saveTo } });
}

/**
 * Reads the whole body and then creates the file at once, so that none is left when the connection breaks.
 *
 * @returns The number of bytes, or the failure of a body that is too large.
 */
export async function saveBody(
  response: HttpResponse,
  saveTo: string,
  missing: string,
  maxBytes: number,
  ctx: ToolContext,
): Promise<number | ToolResult<never>> {
  const absolute = ctx.resolve(saveTo);
  const bytes = await wholeBody(response, saveTo, maxBytes, ctx);
  if (!(bytes instanceof Uint8Array)) return bytes;
  if (missing.includes("/")) await makeParents(ctx, absolute, missing);
  try {
    await ctx.fs.replaceAtomic(absolute, bytes, "absent");
  } catch (thrown) {
    if (HaftError.is(thrown, "FS_STALE")) return existing(saveTo, "Did not save");
    throw thrown;
  }
  return bytes.length;
}

async function wholeBody(
  response: HttpResponse,
  saveTo: string,
  maxBytes: number,
  ctx: ToolContext,
): Promise<Uint8Array | ToolResult<never>> {
  const announced = Number(response.headers.find(([name]) => name === "content-length")?.[1]);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let reported = 0;
  const tooLarge = (sizeBytes: number) => {
    const message = `Did not save ${quoted(saveTo)}: the body has more than ${byteSize(maxBytes)}. Nothing was written; download it with a command.`;
    return fail("FS_TOO_LARGE", message, { details: { path: saveTo, sizeBytes, maxBytes } });
  };
  if (announced > maxBytes) {
    response.close();
    return tooLarge(announced);
  }
  for await (const chunk of response.chunks()) {
    size += chunk.length;
    if (size > maxBytes) return tooLarge(size);
    chunks.push(chunk);
    if (size - reported < PROGRESS_BYTES) continue;
    reported = size;
    const total = announced >= size ? { total: announced } : {};
    ctx.emit({ kind: "progress", message: `Downloaded ${size} bytes`, progress: size, ...total });
  }
  return concatBytes(chunks);
}
