import { lstatSync, readlinkSync } from "node:fs";
import type { ResolvedPath } from "../../kernel/index.js";
import { baseName, normalizePath, parentOf } from "../../text/index.js";
import { type GuardMode, openAnchor } from "./fs-anchor.js";
import { systemCode } from "./fs-faults.js";
import { kindOf } from "./fs-info.js";
import { childPath, MAX_LINKS } from "./fs-spot.js";

/** Where a path really leads, also through links to what does not exist yet. A ring of links is told as a link. */
export function resolveReal(path: string, mode: GuardMode): ResolvedPath {
  return resolveStep(path, mode, { links: 0 });
}

function resolveStep(path: string, mode: GuardMode, met: { links: number }): ResolvedPath {
  const name = baseName(path);
  const parent = parentOf(path);
  let anchor: ReturnType<typeof openAnchor>;
  try {
    anchor = openAnchor(parent, mode);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "ELOOP") return { real: parent, missing: "", kind: "link" };
    if (code !== "ENOENT" || parent === path) throw thrown;
    const above = resolveStep(parent, mode, met);
    if (above.kind !== "absent") return above;
    return { ...above, missing: normalizePath(`${above.missing}/${name}`) };
  }
  try {
    const real = childPath(anchor.real, name);
    const info = lstatSync(anchor.at(name), { bigint: true, throwIfNoEntry: false });
    if (info === undefined) return { real: anchor.real, missing: name, kind: "absent" };
    if (!info.isSymbolicLink()) return { real, missing: "", kind: kindOf(info) };
    if (++met.links > MAX_LINKS) return { real, missing: "", kind: "link" };
    const target = readlinkSync(anchor.at(name));
    // Only the folder is known to be free of links, so the system walks the rest of the target, not string work.
    return resolveStep(target.startsWith("/") ? target : `${anchor.real}/${target}`, mode, met);
  } finally {
    anchor.close();
  }
}
