import { type FsEntryInfo, fail, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { quoted } from "../shared/path-input.js";
import type { DeleteLimits } from "./contract.js";

/** An entry to be deleted. A symlink is one, whatever its target. */
export interface TreeEntry {
  /** The path, beginning as the caller spelled it. */
  readonly givenPath: string;
  readonly absolute: string;
  readonly kind: "file" | "directory" | "link" | "other";
  readonly info: FsEntryInfo;
}

export function treeEntryKind({ kind, target }: FsEntryInfo): TreeEntry["kind"] {
  return target === undefined ? kind : "link";
}

/** A directory and its contents without following symlinks; a refusal where that is too much, or has a name that is not UTF-8. */
export async function collectTree(
  ctx: ToolContext<DeleteLimits>,
  top: TreeEntry,
): Promise<{ readonly entries: readonly TreeEntry[] } | ToolResult<never>> {
  const { maxEntries } = ctx.limits;
  const entries = [top];
  for (let next = 0; next < entries.length; next++) {
    const directory = entries[next]!;
    if (directory.kind !== "directory") continue;
    const { children } = await ctx.fs.readDir(directory.absolute, { limit: maxEntries + 1 });
    for (const child of children) {
      const { name, ...info } = child;
      const givenPath = `${directory.givenPath}/${name}`;
      if (name.includes("\uFFFD")) return refuseName(top.givenPath, givenPath);
      entries.push({ givenPath, absolute: `${directory.absolute}/${name}`, kind: treeEntryKind(info), info });
      if (entries.length > maxEntries) return refuseNumber(top.givenPath, maxEntries);
    }
  }
  return { entries };
}

/**
 * The first entry that was changed, created or removed since it was listed. A backup takes
 * time, and it does not have what was written meanwhile.
 */
export async function changedEntry(
  ctx: ToolContext<DeleteLimits>,
  top: TreeEntry,
  entries: readonly TreeEntry[],
): Promise<string | undefined> {
  const info = await ctx.fs.stat(top.absolute);
  const now = await (entries.length === 1 && top.kind !== "directory"
    ? { entries: [{ ...top, kind: treeEntryKind(info), info }] }
    : collectTree(ctx, top));
  if (!("entries" in now)) return top.givenPath;
  const left = new Map(now.entries.map((entry) => [entry.absolute, entry]));
  for (const { absolute, givenPath, kind, info } of entries) {
    const found = left.get(absolute);
    left.delete(absolute);
    if (found?.kind !== kind || (kind === "file" && found.info.version !== info.version)) return givenPath;
  }
  const [added] = left.values();
  return added?.givenPath;
}

function refuseName(path: string, givenPath: string): ToolResult<never> {
  const why = `the name of ${quoted(givenPath)} is not UTF-8, so it cannot be backed up. Use a command`;
  return fail("FS_BAD_PATH", `Did not delete ${quoted(path)}: ${why}.`, { details: { path, why: "name" } });
}

function refuseNumber(path: string, maxEntries: number): ToolResult<never> {
  const why = `it has more than ${maxEntries} entries, the limit of a call`;
  const message = `Did not delete ${quoted(path)}: ${why}. Delete parts of it, or use a command, which makes no backup.`;
  return fail("FS_TOO_LARGE", message, { details: { path, maxEntries } });
}
