import { type Artifacts, fail, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { detectEol, namedTextForm } from "../../text/index.js";
import { quoted } from "../shared/path-input.js";
import type { ReadData, ReadInput, ReadLimits } from "./contract.js";
import { LineIndex } from "./line-index.js";
import { type LineSource, lineTerminatorsOf } from "./line-source.js";
import { readLineWindow } from "./read-window.js";

const STEP_BYTES = 256 * 1024;

/**
 * Reads a window of an artifact as UTF-8. If its middle was not stored, lines count from 1 in the
 * part before the gap, and from the end in the part after it.
 */
export async function readArtifact(
  id: string,
  input: ReadInput,
  ctx: ToolContext<ReadLimits>,
): Promise<ReadData | ToolResult<never>> {
  const head = await ctx.artifacts.read(id, 0, STEP_BYTES);
  if (typeof head === "string") return gone(id, head, input.path);
  const { gap, producedBytes } = head;
  const isTail = gap !== undefined && input.offset !== undefined && input.offset < 0;
  const [from, to] = gap === undefined ? [0, producedBytes] : isTail ? [gap[1], producedBytes] : [0, gap[0]];
  const form = namedTextForm("utf-8", head.bytes);
  const source = partSource(ctx.artifacts, id, from, to);
  const index = new LineIndex(source.size, lineTerminatorsOf(form), isTail ? 0 : form.bomBytes);
  const request = { offset: input.offset ?? 1, limit: input.limit, limits: ctx.limits };
  const window = await readLineWindow(source, isTail ? { ...form, bomBytes: 0 } : form, index, request);
  const placed = isTail ? fromTheEnd(window, index.totalLines ?? 0) : window;
  return {
    path: input.path,
    kind: "artifact",
    encoding: "utf-8",
    hasBom: form.bomBytes > 0,
    eol: detectEol(window.text),
    sizeBytes: producedBytes,
    ...placed,
    ...(gap === undefined ? {} : { totalLines: null, atLeastLines: index.newlines }),
  };
}

/** Lines after a gap have no number from the start. */
function fromTheEnd<W extends { readonly startLine: number; readonly endLine: number; readonly nextOffset?: number }>(
  window: W,
  lines: number,
): W {
  const shift = (line: number) => (line > 0 ? line - lines - 1 : line);
  const { nextOffset } = window;
  return {
    ...window,
    startLine: shift(window.startLine),
    endLine: shift(window.endLine),
    ...(nextOffset === undefined ? {} : { nextOffset: shift(nextOffset) }),
  };
}

function partSource(artifacts: Artifacts, id: string, from: number, to: number): LineSource {
  const range = async (offset: number, length: number) => {
    const part = await artifacts.read(id, from + offset, Math.min(length, to - from - offset));
    return typeof part === "string" ? new Uint8Array() : part.bytes;
  };
  return {
    size: to - from,
    range,
    chunks: async function* (offset) {
      for (let at = offset; at < to - from; ) {
        const bytes = await range(at, STEP_BYTES);
        if (bytes.length === 0) return;
        yield bytes;
        at += bytes.length;
      }
    },
  };
}

function gone(id: string, why: "evicted" | "unknown", path: string): ToolResult<never> {
  const text =
    why === "evicted"
      ? "it was deleted to make room for newer output. Run the command again, or with less output."
      : "there is no such artifact in this session. Use an id that this session returned.";
  const code = why === "evicted" ? "ARTIFACT_EVICTED" : "ARTIFACT_UNKNOWN";
  return fail(code, `Did not read ${quoted(path)}: ${text}`, { details: { id } });
}
