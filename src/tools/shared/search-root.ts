import { type EntryKind, type Fs, fail, HaftError, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { fileFailure, refuseKind } from "./file-failure.js";
import { quoted } from "./path-input.js";
import { refuseTrailingSlash } from "./trailing-slash.js";

/** A root as the model spelled it, and made absolute. */
export interface SearchedRoot {
  readonly givenPath: string;
  readonly absolute: string;
}

/**
 * Refuses a root that does not exist or is neither a directory nor a file.
 *
 * @param takesFiles - False: a file is refused too.
 */
export async function refuseRoot(
  ctx: Pick<ToolContext, "fs">,
  absolute: string,
  givenPath: string,
  takesFiles = true,
): Promise<ToolResult<never> | undefined> {
  try {
    const kind = await targetKind(ctx.fs, absolute);
    if (kind === "directory") return undefined;
    if (kind === "absent") throw new HaftError("FS_NOT_FOUND", "");
    const asked = { verb: "search", givenPath, absolute };
    if (kind !== "file" || takesFiles) return refuseKind(kind, asked) ?? refuseTrailingSlash(kind, asked);
    const message = `Did not search ${quoted(givenPath)}: it is a file. Send the directory to search.`;
    return fail("FS_NOT_A_DIRECTORY", message, { details: { path: givenPath } });
  } catch (thrown) {
    return rootFailure(thrown, { givenPath, absolute });
  }
}

/** The failure of a search whose root cannot be searched. Anything but a HaftError is rethrown. */
export function rootFailure(thrown: unknown, root: SearchedRoot): ToolResult<never> {
  const failure = fileFailure(thrown, { verb: "search", noun: "file or directory", ...root });
  if (failure.code !== "FS_NOT_FOUND") return failure;
  return { ...failure, message: `${failure.message} Send an existing path, or omit \`path\`.` };
}

/** `stat` does not follow a symlink out of the claim; whether the search may is checked when it begins. */
async function targetKind(fs: Fs, path: string): Promise<EntryKind | "absent"> {
  const { kind } = await fs.stat(path);
  if (kind !== "link") return kind;
  const [place] = await fs.resolve([path]);
  return place?.kind ?? "absent";
}
