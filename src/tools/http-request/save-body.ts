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
import { byteSize } from "../../text/index.js";
import { lookAlikeClaims, refuseLookAlike } from "../shared/near-failure.js";
import { makeParents, parentClaims, refusedParents } from "../shared/parent-directories.js";
import { quoted } from "../shared/path-input.js";
import { declaredBytes, readBody } from "../shared/response-body.js";
import { refuseNewFileTrailingSlash } from "../shared/trailing-slash.js";
import { refuseUnexpanded } from "../shared/unexpanded-path.js";

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
  const tooLarge = (sizeBytes: number) => {
    const message = `Did not save ${quoted(saveTo)}: the body has more than ${byteSize(maxBytes)}. Nothing was written; download it with a command.`;
    return fail("FS_TOO_LARGE", message, { details: { path: saveTo, sizeBytes, maxBytes } });
  };
  const declared = declaredBytes(response.headers) ?? 0;
  if (declared > maxBytes) {
    response.close();
    return tooLarge(declared);
  }
  const { bytes, isComplete } = await readBody(response, maxBytes, ctx);
  return isComplete ? bytes : tooLarge(maxBytes + 1);
}
