import {
  type Claim,
  type ClaimContext,
  defineTool,
  fail,
  ok,
  type Provenance,
  type ToolContext,
  type ToolResult,
  type Truncation,
} from "../../kernel/index.js";
import { byteSize, findEncoding, utf8Length } from "../../text/index.js";
import { fileFailure } from "../shared/file-failure.js";
import { siblingClaims, withNearPaths } from "../shared/near-failure.js";
import { artifactIdOf, artifactProvenance, fileProvenance, quoted, refusePath } from "../shared/path-input.js";
import { READ_LIMITS, type ReadData, type ReadInput, type ReadLimits, readSchema } from "./contract.js";
import type { FoundFile } from "./found-file.js";
import { readArtifact } from "./read-artifact.js";
import { readFile } from "./read-file.js";
import { IMAGE_BOUNDS } from "./show-image.js";

/**
 * Reads a window of lines of a text file, or of an artifact. Never loads a large file: the first and last lines cost the
 * window whatever the size. Where the limits say so, a PNG, JPEG, GIF or WebP comes as an image block within
 * `IMAGE_BOUNDS`, a PDF as the text of its pages, a notebook as its cells; an image or PDF over `MAX_MEDIA_BYTES` is not opened. Any
 * other binary file is reported by type and size. Records that the session has seen the file.
 *
 * Fails with `FS_NOT_FOUND` (near names in `details.near`), `FS_NOT_A_FILE` for anything but a regular file, refused before it
 * is opened, `MEDIA_UNREADABLE` for a damaged image or PDF and for an encrypted PDF, and `ARTIFACT_UNKNOWN` or `ARTIFACT_EVICTED`.
 */
export const readTool = defineTool({
  name: "read",
  description: `Read a file as numbered lines: at most ${READ_LIMITS.maxLines} lines and ${byteSize(READ_LIMITS.maxBytes)} per call; lines over ${READ_LIMITS.maxLineBytes} bytes are truncated. Images are shown, at most ${IMAGE_BOUNDS.maxWidth}×${IMAGE_BOUNDS.maxHeight} pixels; PDFs as text, notebooks as cells; for other binary files, only type and size.`,
  input: readSchema,
  effect: "read",
  limits: READ_LIMITS,
  annotations: { title: "Read", idempotent: true },
  claims: (input: ReadInput, context) => refuseInput(input) ?? claimsOf(input, context),
  run: runRead,
});

function claimsOf(input: ReadInput, context: ClaimContext<ReadLimits>): readonly Claim[] {
  if (artifactIdOf(input.path) !== undefined) return [];
  const path = context.resolve(input.path);
  return [{ kind: "file", path, access: ["read"], scope: "self" }, ...siblingClaims(path, context)];
}

function refuseInput(input: ReadInput): ToolResult<never> | undefined {
  const { path, offset, limit, encoding } = input;
  const bad = refusePath(path, "read", true);
  if (bad !== undefined) return bad;
  const problem =
    offset !== undefined && (offset === 0 || !Number.isInteger(offset))
      ? ["offset", `\`offset\` was ${offset}; lines count from 1, or from -1 at the end`]
      : limit !== undefined && (limit < 1 || !Number.isInteger(limit))
        ? ["limit", `\`limit\` was ${limit}; must be an integer of at least 1`]
        : encoding !== undefined && findEncoding(encoding) === undefined
          ? ["encoding", `\`encoding\` ${quoted(encoding)} is unknown; examples are utf-8, utf-16le, windows-1252, gbk`]
          : undefined;
  if (problem === undefined) return undefined;
  const [parameter, text] = problem;
  return fail("CALL_INVALID", `Did not read ${quoted(path)}: ${text}.`, { details: { parameter, problem: text } });
}

async function runRead(input: ReadInput, ctx: ToolContext<ReadLimits>): Promise<ToolResult<ReadData>> {
  const artifact = artifactIdOf(input.path);
  if (artifact !== undefined) {
    const data = await readArtifact(artifact, input, ctx);
    if ("isError" in data) return data;
    return summarize({ data }, input, await artifactProvenance(ctx.artifacts, artifact, input.path));
  }
  const asked = { verb: "read", givenPath: input.path, absolute: ctx.resolve(input.path) };
  try {
    const found = await readFile(asked, input, ctx);
    return "isError" in found ? found : summarize(found, input, fileProvenance(ctx, asked.absolute, input.path));
  } catch (thrown) {
    return withNearPaths(fileFailure(thrown, asked), asked.absolute, input.path, ctx);
  }
}

function summarize(found: FoundFile, input: ReadInput, provenance: Provenance): ToolResult<ReadData> {
  const { data, image } = found;
  const { path, kind, encoding, sizeBytes, startLine, endLine, totalLines, nextOffset } = data;
  const next = nextOffset === undefined ? {} : { nextOffset };
  return ok(data, {
    ...(image === undefined ? {} : { content: [{ kind: "image", ...image }] }),
    structured: { path, kind, encoding, sizeBytes, startLine, endLine, totalLines, ...next },
    truncations: truncationsOf(data, input),
    provenance,
    ...(found.note === undefined ? {} : { details: { notes: [found.note] } }),
  });
}

/** Omitted lines after the window, and the truncated ends of long lines. */
function truncationsOf(data: ReadData, input: ReadInput): readonly Truncation[] {
  const truncations: Truncation[] = [];
  const keptBytes = utf8Length(data.text);
  const isShort = data.nextOffset !== undefined && (data.truncatedByBytes === true || input.limit === undefined);
  if (isShort) {
    const producedBytes = Math.max(data.sizeBytes, keptBytes);
    truncations.push({
      what: `lines of ${data.path}`,
      producedBytes,
      keptBytes,
      next: `Continue with \`offset\` ${data.nextOffset}.`,
    });
  }
  for (const { line, bytes } of data.truncatedLines.slice(0, MAX_TRUNCATED_LISTED)) {
    truncations.push({ what: `line ${line} of ${data.path}`, producedBytes: bytes, keptBytes: shownBytes(data, line) });
  }
  return truncations;
}

const MAX_TRUNCATED_LISTED = 20;

function shownBytes(data: ReadData, line: number): number {
  return utf8Length((data.text.split("\n", line - data.startLine + 1)[line - data.startLine] ?? "").replace(/\r$/, ""));
}
