/** What a search has to say beside its hits: why it ended, how to go on, what it did not look at. */

import { showControls } from "../../text/index.js";
import type { GrepData } from "../../tools/grep/contract.js";
import { counted } from "../rendering.js";
import { JSON_NAMES_NOTE } from "../row-name.js";
import { GREP_MAX_BYTES, GREP_MAX_HITS } from "./grep-limits.js";
import { skippedNote, unreadableNote } from "./search-notes.js";

export function grepNotes(
  data: GrepData,
  rows: readonly string[],
  args: Readonly<Record<string, unknown>>,
): readonly string[] {
  const notes = [endNote(data), unreadableNote(data), skippedNote(data)].filter((note) => note !== "");
  if (rows.some((row) => row.startsWith('"'))) notes.push(JSON_NAMES_NOTE);
  const isBare = data.hits.length === 0 && (data.counts ?? []).length === 0 && data.why === "complete";
  if (isBare && args.includeIgnored !== true && !isOneFile(args))
    notes.push("Ignored files were not searched; `includeIgnored` adds them.");
  return notes;
}

/** An artifact or a file named by itself has no ignored part. A name with a dot in front only has no ending: folders have such. */
function isOneFile(args: Readonly<Record<string, unknown>>): boolean {
  return typeof args.path === "string" && /^artifact:|[^/.]\.\w+$/.test(args.path);
}

const UNITS = { content: "hit", files: "file", count: "file" } as const;

function endNote(data: GrepData): string {
  if (data.why === "complete") return "";
  if (data.why !== "limit") {
    const reason = data.why === "deadline" ? "the time limit" : "the cancel";
    const engine = data.engine === "" ? "" : ` (engine: ${showControls(data.engine)})`;
    return `Stopped at ${reason}${engine}; only a part was searched. Narrow \`path\` or \`glob\`.`;
  }
  const found = Math.max(data.hits.length, data.counts?.length ?? 0);
  const limit = found < data.limit ? `${GREP_MAX_BYTES / 1024} KiB` : counted(data.limit, UNITS[data.mode]);
  const stopped = `Stopped at the limit of ${limit}; there may be more.`;
  if (data.nextOffset !== undefined) return `${stopped} Continue with \`offset\` ${data.nextOffset}.`;
  const raise = found >= data.limit && data.limit < GREP_MAX_HITS ? `raise \`limit\` (at most ${GREP_MAX_HITS}), ` : "";
  return `${stopped} Narrow \`path\` or \`glob\`, ${raise}or page with \`offset\` from 0 (in path order).`;
}
