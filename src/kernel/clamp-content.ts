/** Truncates a result to the context's budget. What is omitted is counted, reported and stored as an artifact. */
import { utf8Length } from "../text/index.js";
import type { CallRun } from "./call-run.js";
import type { Dialect, Rendered } from "./dialect.js";
import { HaftError } from "./errors.js";
import { clampWithCount } from "./output.js";
import type { ContentBlock, Json, Truncation } from "./result.js";
import { wellFormed } from "./shown-name.js";
import { shrinkJson } from "./shrink-json.js";

interface Clamped {
  readonly content: readonly ContentBlock[];
  readonly truncations: readonly Truncation[];
}

/** The minimum that each block keeps; if that is too much for all blocks, the last ones are omitted. */
const MIN_BLOCK_BYTES = 1_024;

export async function clampContent(run: CallRun, rendered: Rendered): Promise<Clamped> {
  const { maxBytes } = run.context.budget;
  // Not measured, which would take a look at each character.
  if (rendered.clamped === true) return { content: rendered.content.map(sendable), truncations: [] };
  const blocks = rendered.content.map(measured);
  const total = blocks.reduce((sum, { size }) => sum + size, 0);
  if (total <= maxBytes) return { content: blocks.map(({ block }) => block), truncations: [] };
  const truncations: Truncation[] = [];
  const content: ContentBlock[] = [];
  const dropped: ContentBlock[] = [];
  const kept = shares(blocks, total - maxBytes);
  let left = maxBytes;
  for (const [index, { block, size }] of blocks.entries()) {
    const keep = kept[index]!;
    left -= keep;
    if (left < 0 && size > 0 && index > 0) dropped.push(block);
    else content.push(...(keep === size ? [block] : await clampBlock(run, block, keep, truncations)));
  }
  if (dropped.length > 0) content.push(await withoutBlocks(run, dropped, truncations));
  return { content, truncations };
}

interface Measured {
  readonly block: ContentBlock;
  /** Bytes of its text. */
  readonly size: number;
}

/** What each block may keep: the largest blocks are truncated first, none below the minimum. */
function shares(blocks: readonly Measured[], tooMuch: number): readonly number[] {
  const kept = blocks.map(({ size }) => size);
  let over = tooMuch;
  for (const index of kept.map((_, index) => index).sort((a, b) => kept[b]! - kept[a]!)) {
    if (over <= 0) break;
    const size = kept[index]!;
    kept[index] = Math.min(size, Math.max(MIN_BLOCK_BYTES, size - over));
    over -= size - kept[index]!;
  }
  return kept;
}

/** One note in place of the blocks that did not fit; all of their text is stored. */
async function withoutBlocks(
  run: CallRun,
  blocks: readonly ContentBlock[],
  truncations: Truncation[],
): Promise<ContentBlock> {
  const whole = blocks.map(textOf).join("\n");
  const artifact = await keepWhole(run, "blocks", whole);
  const what = `${blocks.length} more block${blocks.length === 1 ? "" : "s"} of ${run.tool.name}`;
  const truncation = { what, producedBytes: utf8Length(whole), keptBytes: 0, ...artifactHint(run, artifact) };
  truncations.push(truncation);
  return { kind: "text", text: dialectOf(run)?.truncationNote?.(truncation) ?? `[${what} omitted]` };
}

/** Truncates the public data of a result to the same budget; valid JSON stays valid. */
export async function boundStructured(
  run: CallRun,
  structured: unknown,
): Promise<{ readonly value: Json | undefined; readonly truncations: readonly Truncation[] }> {
  if (structured === undefined) return { value: undefined, truncations: [] };
  const { maxBytes } = run.context.budget;
  // `jsonOf` refuses what JSON cannot represent.
  if (utf8Length(jsonOf(structured) ?? "") <= maxBytes) return { value: structured as Json, truncations: [] };
  return shrinkJson(structured, maxBytes, (what, text) => keepWhole(run, what, text));
}

/** The block as it can be sent to a model: a lone surrogate in it would make every later request invalid. */
function sendable(block: ContentBlock): ContentBlock {
  if (block.kind === "json") return measured(block).block;
  if (block.kind === "image" || block.text === undefined) return block;
  const text = wellFormed(block.text);
  return text === block.text ? block : { ...block, text };
}

function measured(block: ContentBlock): Measured {
  if (block.kind === "json") {
    const json = jsonOf(block.value);
    return { block: json === undefined ? { ...block, value: null } : block, size: utf8Length(json ?? "null") };
  }
  const sent = sendable(block);
  return { block: sent, size: utf8Length(textOf(sent)) };
}

/** Undefined for what JSON omits. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    throw new HaftError(
      "CALL_MALFORMED",
      "A JSON part of it is circular, nested too deeply, or holds a value that JSON cannot represent.",
    );
  }
}

function textOf(block: ContentBlock): string {
  if (block.kind === "json") return jsonOf(block.value) ?? "null";
  return block.kind === "image" ? "" : (block.text ?? "");
}

async function clampBlock(
  run: CallRun,
  block: ContentBlock,
  maxBytes: number,
  truncations: Truncation[],
): Promise<readonly ContentBlock[]> {
  if (block.kind === "json") {
    const shrunk = await shrinkJson(block.value, maxBytes, (what, text) => keepWhole(run, what, text));
    truncations.push(...shrunk.truncations);
    return [{ ...block, value: shrunk.value }];
  }
  if (block.kind === "image" || block.text === undefined) return [block];
  const clamped = clampWithCount(block.text, { ...run.context.budget, maxBytes });
  if (clamped.omittedBytes === 0) return [block];
  const truncation: Truncation = {
    what: `output of ${run.tool.name}`,
    producedBytes: clamped.keptBytes + clamped.omittedBytes,
    keptBytes: clamped.keptBytes,
    ...artifactHint(run, await keepWhole(run, "text", block.text)),
  };
  truncations.push(truncation);
  const note = dialectOf(run)?.truncationNote?.(truncation);
  return [{ ...block, text: note === undefined ? clamped.text : `${clamped.text}\n${note}` }];
}

/** The dialect of the tool, or of the context for a tool of the host without a dialect. */
function dialectOf(run: CallRun): Dialect | undefined {
  return run.tool.dialect ?? run.context.dialect;
}

function artifactHint(run: CallRun, artifact: string | undefined): Pick<Truncation, "artifact" | "next"> {
  if (artifact === undefined) return {};
  return {
    artifact,
    next: dialectOf(run)?.artifactHint?.(artifact) ?? `The full text is stored as artifact:${artifact}.`,
  };
}

/** Stores the whole text as an artifact. Undefined if that failed; the truncation then names no artifact. */
async function keepWhole(run: CallRun, what: string, text: string): Promise<string | undefined> {
  const { name } = run.tool;
  try {
    const writer = await run.context.session.artifacts.create({ what: `${name} ${what}`, tool: name });
    await writer.write(new TextEncoder().encode(text));
    await writer.end();
    return writer.id;
  } catch {
    return undefined;
  }
}
