/** Bounds an answer to the context's budget. What goes is counted, named and kept as an artifact. */
import { utf8Length } from "../text/index.js";
import type { CallRun } from "./call-run.js";
import type { Rendered } from "./dialect.js";
import { clampWithCount } from "./output.js";
import type { ContentBlock, Cut } from "./result.js";
import { shrinkJson } from "./shrink-json.js";

interface Clamped {
  readonly content: readonly ContentBlock[];
  readonly cuts: readonly Cut[];
}

/** However many blocks an answer has, each may keep this much. */
const LEAST_BLOCK_BYTES = 1_024;

export async function clampContent(run: CallRun, rendered: Rendered): Promise<Clamped> {
  const { maxBytes } = run.context.budget;
  const sizes = rendered.content.map(sizeOf);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (rendered.clamped === true || total <= maxBytes) return { content: rendered.content, cuts: [] };
  const cuts: Cut[] = [];
  const content: ContentBlock[] = [];
  let over = total - maxBytes;
  const largestFirst = sizes.map((size, index) => ({ size, index })).sort((a, b) => b.size - a.size);
  const allowed = new Map<number, number>();
  for (const { size, index } of largestFirst) {
    if (over <= 0) break;
    const keep = Math.max(LEAST_BLOCK_BYTES, size - over);
    if (keep >= size) continue;
    allowed.set(index, keep);
    over -= size - keep;
  }
  for (const [index, block] of rendered.content.entries()) {
    const keep = allowed.get(index);
    if (keep === undefined) content.push(block);
    else content.push(...(await clampBlock(run, block, keep, cuts)));
  }
  return { content, cuts };
}

function sizeOf(block: ContentBlock): number {
  if (block.kind === "text") return utf8Length(block.text);
  if (block.kind === "json") return utf8Length(JSON.stringify(block.value) ?? "");
  return 0;
}

async function clampBlock(
  run: CallRun,
  block: ContentBlock,
  maxBytes: number,
  cuts: Cut[],
): Promise<readonly ContentBlock[]> {
  if (block.kind === "json") {
    const shrunk = await shrinkJson(block.value, maxBytes, (what, text) => keepWhole(run, what, text));
    cuts.push(...shrunk.cuts);
    return [{ ...block, value: shrunk.value }];
  }
  if (block.kind !== "text") return [block];
  const clamped = clampWithCount(block.text, { ...run.context.budget, maxBytes });
  if (clamped.omittedBytes === 0) return [block];
  const artifact = await keepWhole(run, "text", block.text);
  const cut: Cut = {
    what: `output of ${run.tool.name}`,
    producedBytes: clamped.keptBytes + clamped.omittedBytes,
    keptBytes: clamped.keptBytes,
    ...(artifact === undefined ? {} : { artifact, next: `Read the rest with \`read\`, path "artifact:${artifact}".` }),
  };
  cuts.push(cut);
  const note = run.tool.dialect?.cutNote?.(cut);
  return [{ ...block, text: note === undefined ? clamped.text : `${clamped.text}\n${note}` }];
}

/** The whole of something that was cut, as an artifact; undefined where it could not be kept, which the cut then shows. */
async function keepWhole(run: CallRun, what: string, text: string): Promise<string | undefined> {
  try {
    const writer = await run.context.session.artifacts.create({ what: `${run.tool.name} ${what}` });
    await writer.write(new TextEncoder().encode(text));
    await writer.end();
    return writer.id;
  } catch {
    return undefined;
  }
}
