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
  return (await keepOldBytes(ctx, provenance, bytes, what))?.journal;
}

/** The same, with the way to give up what was kept when nothing is replaced or deleted after all. */
export async function keepOldBytes(
  ctx: Pick<ToolContext, "artifacts">,
  provenance: Provenance,
  bytes: Uint8Array,
  what: string,
): Promise<{ readonly journal: Journal; giveUp(): Promise<void> } | undefined> {
  if (bytes.length === 0) return undefined;
  const writer = await ctx.artifacts.create({ what, provenance });
  const giveUp = async (): Promise<void> => {
    // It is then an artifact that nobody needs, no reason for a call to fail.
    await writer.discard?.().catch(() => {});
  };
  try {
    await writer.write(bytes);
    const { keptBytes } = await writer.end();
    return { journal: { artifact: writer.id, bytes: keptBytes }, giveUp };
  } catch (thrown) {
    await giveUp();
    throw thrown;
  }
}

/** The replaced bytes as something that an answer does not show and that can be had. */
export function journalCut(spelled: string, producedBytes: number, journal: Journal | undefined): Cut {
  const what = `the replaced bytes of ${spelled}`;
  if (journal === undefined)
    return { what, producedBytes, keptBytes: 0, next: "They are gone; a file of this size is not kept." };
  const { artifact, bytes: keptBytes } = journal;
  return { what, producedBytes, keptBytes, artifact, next: `\`read\` "artifact:${artifact}" to see them.` };
}
