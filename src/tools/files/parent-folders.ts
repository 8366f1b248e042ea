/** The folders that have to be made so that a file can stand at a path. */
import { type Claim, isWithin, type Look } from "../../kernel/index.js";
import { parentOf } from "../../text/index.js";

type Places = Pick<Look, "cwd" | "workspace">;

/** The folder below which missing ones are made; undefined for a path outside the working folder and the workspace. */
export function baseOf(path: string, look: Places): string | undefined {
  return [look.cwd, look.workspace].find((folder) => isWithin(folder, path));
}

/** Each folder above a path that may have to be made: those below the working folder or the workspace, which exist. */
export function parentClaims(path: string, look: Places): readonly Claim[] {
  const folders: Claim[] = [];
  const base = baseOf(path, look);
  if (base === undefined) return folders;
  for (let folder = parentOf(path); folder !== base && isWithin(base, folder); folder = parentOf(folder))
    folders.push({ kind: "file", path: folder, access: ["create"], scope: "self" });
  return folders;
}
