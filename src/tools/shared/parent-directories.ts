/** The folders that have to be made so that a file can stand at a path. */
import { type Claim, type ClaimContext, HaftError, isWithin, type ToolContext } from "../../kernel/index.js";
import { parentOf } from "../../text/index.js";
import { undefinedIfMissing } from "./file-failure.js";

type Places = Pick<ClaimContext, "cwd" | "workspace">;

/** The folder below which missing ones are made; undefined for a path outside the working folder and the workspace. */
export function baseOf(path: string, context: Places): string | undefined {
  return [context.cwd, context.workspace].find((directory) => isWithin(directory, path));
}

/** Each folder above a path that may have to be made: those below the working folder or the workspace, which exist. */
export function parentClaims(path: string, context: Places): readonly Claim[] {
  const directories: Claim[] = [];
  const base = baseOf(path, context);
  if (base === undefined) return directories;
  for (let directory = parentOf(path); directory !== base && isWithin(base, directory); directory = parentOf(directory))
    directories.push({ kind: "file", path: directory, access: ["create"], scope: "self", optional: "unless-denied" });
  return directories;
}

/**
 * Makes the directories that are missing above a path, each by itself, so that each is one that the call was granted. One that was
 * not granted is refused before any is made.
 *
 * @param missing - What of the path does not exist, as a port resolves it.
 * @throws `POLICY_DENIED` where one of them may not be made, and what the port throws.
 */
export async function makeParents(ctx: Pick<ToolContext, "fs">, path: string, missing: string): Promise<void> {
  const waiting: string[] = [];
  // From the deepest up: a port refuses what was not granted before it looks, and makes none whose parent is missing.
  for (const _ of missing.split("/").slice(1)) {
    const parent = parentOf(waiting[0] ?? path);
    waiting.unshift(parent);
    const isMade = await makeOne(ctx, path, parent).then(() => true, undefinedIfMissing);
    if (isMade === undefined) continue;
    waiting.shift();
    break;
  }
  for (const parent of waiting) await makeOne(ctx, path, parent);
}

async function makeOne(ctx: Pick<ToolContext, "fs">, path: string, parent: string): Promise<void> {
  try {
    await ctx.fs.mkdir(parent, false);
  } catch (thrown) {
    if (HaftError.is(thrown, "CALL_UNCLAIMED")) throw notAllowed(path, parent, thrown);
    if (!HaftError.is(thrown, "FS_EXISTS")) throw thrown;
    // Another call may have made it meanwhile; what stands there and is no directory still throws.
    await ctx.fs.mkdir(parent, true);
  }
}

function notAllowed(path: string, parent: string, cause: HaftError): HaftError {
  const why = `policy does not allow creating the directory "${parent}"`;
  return new HaftError("POLICY_DENIED", `Did not create "${path}": ${why}. Use an existing directory.`, {
    cause,
    details: { rule: "directory-not-allowed", reason: why },
  });
}
