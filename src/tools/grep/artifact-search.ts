import { type SearchSource, searchStop, searchTree } from "../../engines/search/index.js";
import type { Artifacts, GrepHit, GrepQuery, SearchEnd, ToolContext } from "../../kernel/index.js";

const STEP_BYTES = 256 * 1024;

/**
 * Searches the stored bytes of an artifact on the host. After a gap, line numbers continue from the part before
 * them.
 *
 * @param sizeBytes - Bytes produced in total.
 */
export async function* searchArtifact(
  ctx: Pick<ToolContext, "artifacts" | "clock" | "deadline" | "signal">,
  id: string,
  sizeBytes: number,
  query: GrepQuery,
): AsyncGenerator<GrepHit | SearchEnd, void> {
  const source: SearchSource = {
    stat: async () => ({ kind: "file", size: sizeBytes }),
    readDir: async () => [],
    openRead: () => keptBytes(ctx.artifacts, id),
  };
  const stop = searchStop(query, ctx, ctx.clock);
  try {
    const { signal, pause, isPauseDue } = stop;
    yield* searchTree(source, query, { except: [], exceptNames: [], signal, pause, isPauseDue });
  } finally {
    stop.release();
  }
}

async function* keptBytes(artifacts: Artifacts, id: string): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; ; ) {
    const part = await artifacts.read(id, offset, STEP_BYTES);
    if (typeof part === "string") return;
    if (part.bytes.length > 0) {
      yield part.bytes;
      offset += part.bytes.length;
    } else if (part.gap !== undefined && offset < part.gap[1]) {
      // Separates the line before the gap from the one after it.
      yield Uint8Array.of(10);
      offset = part.gap[1];
    } else return;
  }
}
