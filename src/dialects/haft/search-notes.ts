/** What a search skipped, as sentences. */
import { showControls } from "../../text/index.js";
import { entryOf } from "../failure.js";
import { counted } from "../rendering.js";

export const NO_MATCHES = "No matches.";
export const NO_MATCHES_OUTSIDE_IGNORED =
  "No matches (files excluded by .gitignore were not searched; set `includeIgnored` to include them).";

/** Unreadable paths that are named. */
const MAX_PATHS_NAMED = 5;

interface Skipped {
  readonly skipped: Readonly<Record<string, number>>;
  readonly unreadable: readonly string[];
}

export function unreadableNote(data: Skipped): string {
  const count = Math.max(data.skipped.unreadable ?? 0, data.unreadable.length);
  if (count === 0) return "";
  const named = data.unreadable.slice(0, MAX_PATHS_NAMED).map(showControls).join(", ");
  const more = count > MAX_PATHS_NAMED && named !== "" ? " …" : "";
  return `${counted(count, "path")} could not be read${named === "" ? "" : `: ${named}${more}`}.`;
}

const REASONS: Readonly<Record<string, string>> = {
  binary: "binary",
  large: "too large",
  deep: "too deep",
  policy: "denied by policy",
  special: "not regular files",
  encoding: "not UTF-8, not matched",
  long: "lines too long for this pattern",
  "ignore-file": "ignore files, not applied (symlink, special file, unreadable or too large)",
};

export function skippedNote(data: Skipped): string {
  const parts = Object.entries(data.skipped).flatMap(([reason, count]) =>
    reason === "unreadable" || !(count > 0) ? [] : [`${count} ${entryOf(REASONS, reason) ?? showControls(reason)}`],
  );
  return parts.length === 0 ? "" : `Skipped: ${parts.join(", ")}.`;
}
