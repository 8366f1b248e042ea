/** Creates the missing parent directories of a file. */
import { type Claim, type ClaimContext, HaftError, isWithin, type ToolContext } from "../../kernel/index.js";
import { parentOf } from "../../text/index.js";
import { undefinedIfMissing } from "./file-failure.js";

type Places = Pick<ClaimContext, "cwd" | "workspace">;

/** The directory below which parents are created; undefined outside the working directory and the workspace. */
function baseOf(path: string, context: Places): string | undefined {
  return [context.cwd, context.workspace].find((directory) => isWithin(directory, path));
}

/** Each parent that may have to be created: those below the working directory or the workspace, which exist. */
export function parentClaims(path: string, context: Places): readonly Claim[] {
  const directories: Claim[] = [];
  const base = baseOf(path, context);
  if (base === undefined) return directories;
  for (let directory = parentOf(path); directory !== base && isWithin(base, directory); directory = parentOf(directory))
    directories.push({ kind: "file", path: directory, access: ["create"], scope: "self", optional: "unless-denied" });
  return directories;
}

/**
 * Why the missing parents of a path are not created, as a clause with what to do; undefined where they are.
 *
 * @param missing - The missing part of the path, as the port resolves it.
 */
export function refusedParents(path: string, missing: string, context: Places): string | undefined {
  const base = baseOf(path, context);
  if (base === undefined)
    return "its directory does not exist, and directories outside the workspace are not created. Create it with a command first";
  const first = missing.split("/").slice(1).reduce(parentOf, path);
  return isWithin(first, base)
    ? `the working directory "${base}" does not exist. Use an existing directory`
    : undefined;
}

/**
 * Creates the missing parents of a path one by one, so that each is checked against the grant. One that was
 * not granted is refused before any is created.
 *
 * @param missing - The missing part of the path, as the port resolves it.
 * @throws `POLICY_DENIED` where one of them may not be created, and what the port throws.
 */
export async function makeParents(ctx: Pick<ToolContext, "fs">, path: string, missing: string): Promise<void> {
  const waiting: string[] = [];
  // From the deepest up: a port checks the grant first, and creates no directory whose parent is missing.
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
    // Another call may have created it meanwhile; anything but a directory still throws.
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
