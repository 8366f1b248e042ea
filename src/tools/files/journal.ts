import type { ToolContext } from "../../kernel/index.js";

/** Where the bytes that a call replaced are kept. */
export interface Journal {
  readonly artifact: string;
  readonly bytes: number;
}

/** Keeps the bytes that are about to be replaced as an artifact of the session; nothing for an empty file. */
export async function journalOldBytes(
  ctx: Pick<ToolContext, "artifacts">,
  spelled: string,
  bytes: Uint8Array,
): Promise<Journal | undefined> {
  if (bytes.length === 0) return undefined;
  const writer = await ctx.artifacts.create({
    what: `the replaced bytes of ${spelled}`,
    provenance: { from: "workspace", ref: spelled },
  });
  await writer.write(bytes);
  const { keptBytes } = await writer.end();
  return { artifact: writer.id, bytes: keptBytes };
}
