/** The notes of a search: why it ended, how to continue, what was skipped. */
import { showControls } from "../../text/index.js";
import { GREP_LIMITS, type GrepData } from "../../tools/grep/contract.js";
import { counted } from "../rendering.js";
import { JSON_NAMES_NOTE } from "../row-name.js";
import { NO_MATCHES, NO_MATCHES_OUTSIDE_IGNORED, skippedNote, unreadableNote } from "./search-notes.js";

export function grepNotes(data: GrepData, rows: readonly string[]): readonly string[] {
  const notes = [endNote(data), unreadableNote(data), skippedNote(data)].filter((note) => note !== "");
  if (rows.some((row) => row.startsWith('"'))) notes.push(JSON_NAMES_NOTE);
  return notes;
}

/** The row of a search without hits; whether ignored files might have some is only useful when the search was complete. */
export function noMatches(data: GrepData, args: Readonly<Record<string, unknown>>): string {
  const mayBeIgnored = data.why === "complete" && args.includeIgnored !== true && !isOneFile(args);
  return mayBeIgnored ? NO_MATCHES_OUTSIDE_IGNORED : NO_MATCHES;
}

/** An artifact or a single file has no ignored part. A name such as `.git` has no extension and may be a directory. */
function isOneFile(args: Readonly<Record<string, unknown>>): boolean {
  return typeof args.path === "string" && /^artifact:|[^/.]\.\w+$/.test(args.path);
}

const UNITS = { content: "hit", files: "file", count: "file" } as const;

function endNote(data: GrepData): string {
  if (data.why === "complete") return "";
  if (data.why !== "limit") {
    const reason = data.why === "deadline" ? "Timed out" : "Cancelled";
    const engine = data.engine === "" ? "" : ` (engine: ${showControls(data.engine)})`;
    return `${reason}${engine}; results are partial. Narrow \`path\` or \`glob\`.`;
  }
  const found = Math.max(data.hits.length, data.counts?.length ?? 0);
  const limit = found < data.limit ? `${GREP_LIMITS.maxBytes / 1024} KiB` : counted(data.limit, UNITS[data.mode]);
  const stopped = `Stopped at the limit of ${limit}; there may be more.`;
  if (data.nextOffset !== undefined) return `${stopped} Continue with \`offset\` ${data.nextOffset}.`;
  const raise =
    found >= data.limit && data.limit < GREP_LIMITS.maxHits ? `raise \`limit\` (at most ${GREP_LIMITS.maxHits}), ` : "";
  return `${stopped} Narrow \`path\` or \`glob\`, ${raise}or page with \`offset\` from 0 (in path order).`;
}
