import { lstatSync, readlinkSync } from "node:fs";
import type { ResolvedPath } from "../../kernel/index.js";
import { normalizePath, walkMissing } from "../../text/index.js";
import { type GuardMode, openAnchor } from "./fs-anchor.js";
import { systemCode } from "./fs-faults.js";
import { kindOf } from "./fs-info.js";
import { childPath, MAX_LINKS } from "./fs-spot.js";

/** Where a path really leads, also through links to what does not exist yet. A ring of links is told as a link. */
export function resolveReal(path: string, mode: GuardMode): ResolvedPath {
  return resolveStep(path, mode, { links: 0 });
}

/**
 * @param path - Absolute; as it is written, since a `..` behind a link leaves the folder that the link leads to. The system
 *   walks all but the last name.
 */
function resolveStep(path: string, mode: GuardMode, met: { links: number }): ResolvedPath {
  const { folder, name } = lastNameOf(path);
  const isFolder = name === "" || name === "." || name === "..";
  let anchor: ReturnType<typeof openAnchor>;
  try {
    anchor = openAnchor(isFolder ? path : folder, mode);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "ELOOP") return { real: normalizePath(folder), missing: "", kind: "link" };
    if (code !== "ENOENT" || name === "") throw thrown;
    const above = resolveStep(folder, mode, met);
    if (above.kind !== "absent") return above;
    return { ...walkMissing(above.real, `${above.missing}/${name}`), kind: "absent" };
  }
  try {
    if (isFolder) return { real: anchor.real, missing: "", kind: "directory" };
    const real = childPath(anchor.real, name);
    const info = lstatSync(anchor.at(name), { bigint: true, throwIfNoEntry: false });
    if (info === undefined) return { real: anchor.real, missing: name, kind: "absent" };
    if (!info.isSymbolicLink()) return { real, missing: "", kind: kindOf(info) };
    if (++met.links > MAX_LINKS) return { real, missing: "", kind: "link" };
    const target = readlinkSync(anchor.at(name));
    return resolveStep(target.startsWith("/") ? target : `${anchor.real}/${target}`, mode, met);
  } finally {
    anchor.close();
  }
}

/** The name is empty for the root alone. */
function lastNameOf(path: string): { readonly folder: string; readonly name: string } {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  const slash = path.lastIndexOf("/", end - 1);
  return { folder: path.slice(0, slash) || "/", name: path.slice(slash + 1, end) };
}
