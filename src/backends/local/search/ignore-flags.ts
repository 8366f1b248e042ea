/** Which ignore files ripgrep is to heed, so that it leaves out what our own engine leaves out. */
import { lstatSync } from "node:fs";
import { IGNORE_FILES, isWithin, type WalkQuery } from "../../../kernel/index.js";
import { parentOf } from "../../../text/index.js";
import { ALIEN_IGNORE_FILE } from "./rule-files.js";

const ONLY_BELOW = ["--no-ignore-parent"];

/**
 * The flags; undefined where ripgrep cannot be told. It takes ignore files of all folders above the root or of none, while
 * those count that lie between the workspace and the root.
 *
 * @param real - Where the root really is.
 */
export function ignoreFlags(
  query: Pick<WalkQuery, "root" | "includeIgnored">,
  real: string,
  workspace: string | undefined,
): readonly string[] | undefined {
  const { root, includeIgnored } = query;
  if (includeIgnored) return ["--no-ignore"];
  if (workspace === undefined || workspace === root || !isWithin(workspace, root)) return ONLY_BELOW;
  const between = foldersAbove(root).filter((folder) => isWithin(workspace, folder));
  if (!between.some((folder) => holdsAny(folder, IGNORE_FILES))) return ONLY_BELOW;
  const isPlain =
    root === real &&
    !between.some((folder) => holdsAny(folder, [ALIEN_IGNORE_FILE])) &&
    !foldersAbove(workspace).some((folder) => holdsAny(folder, [...IGNORE_FILES, ALIEN_IGNORE_FILE]));
  return isPlain ? [] : undefined;
}

/** Every folder above a path, the nearest first. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = path; folder !== "/"; ) {
    folder = parentOf(folder);
    folders.push(folder);
  }
  return folders;
}

function holdsAny(folder: string, names: readonly string[]): boolean {
  return names.some((name) => {
    try {
      return lstatSync(`${folder}/${name}`, { throwIfNoEntry: false }) !== undefined;
    } catch {
      // A folder that may not be looked into is none that its rules are read from.
      return false;
    }
  });
}
