import type { Cut, Provenance, ToolContext } from "../../kernel/index.js";

/** Where the bytes that a call replaced or deleted are kept. */
export interface Journal {
  readonly artifact: string;
  readonly bytes: number;
}

/** Keeps the bytes that are about to be replaced or deleted as an artifact of the session; nothing for an empty file. */
export async function journalOldBytes(
  ctx: Pick<ToolContext, "artifacts">,
  provenance: Provenance,
  bytes: Uint8Array,
  what = `the replaced bytes of ${provenance.ref}`,
): Promise<Journal | undefined> {
  if (bytes.length === 0) return undefined;
  const writer = await ctx.artifacts.create({ what, provenance });
  await writer.write(bytes);
  const { keptBytes } = await writer.end();
  return { artifact: writer.id, bytes: keptBytes };
}

/** The replaced bytes as something that an answer does not show and that can be had. */
export function journalCut(spelled: string, producedBytes: number, journal: Journal | undefined): Cut {
  const what = `the replaced bytes of ${spelled}`;
  if (journal === undefined)
    return { what, producedBytes, keptBytes: 0, next: "They are gone; a file of this size is not kept." };
  const { artifact, bytes: keptBytes } = journal;
  return { what, producedBytes, keptBytes, artifact, next: `\`read\` "artifact:${artifact}" to see them.` };
}
