import { asRelative, baseName, relativeInside } from "../../text/index.js";

/** Paths as `read` accepts them: relative to `base` when inside it, else absolute; `base` itself by its name. */
export function shownPath(base: string): (path: string) => string {
  return (path) => {
    const inside = relativeInside(base, path);
    if (inside === undefined) return path;
    if (inside === "") return baseName(path);
    return asRelative(inside);
  };
}
