import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import {
  FIND_LIMITS,
  type FindData,
  type FindEntry,
  type FindInput,
  type FindLimits,
} from "../../tools/find/contract.js";
import { booleanArgument, missing, numberArgument, omitUndefined, textArgument } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { JSON_NAMES_NOTE, rowName, UNNAMED_NOTE } from "../row-name.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { NO_MATCHES, NO_MATCHES_OUTSIDE_IGNORED, skippedNote, unreadableNote } from "./search-notes.js";
import { withToolNotes } from "./tool-notes.js";

export const haftFindPresenter: ToolPresenter<FindInput, FindData, FindLimits> = {
  name: "find",
  aliases: { pattern: "query", glob: "query", name: "query", directory: "path", max_results: "limit" },
  bareString: "query",
  paths: ["path"],
  decode(args) {
    const query = textArgument(args, "query");
    if (query === undefined) return missing("query", "text");
    return {
      input: omitUndefined({
        query,
        path: textArgument(args, "path"),
        type: args.type === "file" || args.type === "dir" ? args.type : undefined,
        limit: numberArgument(args, "limit"),
        includeIgnored: booleanArgument(args, "includeIgnored"),
      }),
    };
  },
  render(result, about) {
    // A cancelled search fails but still has what it found.
    if (result.data === undefined) return renderHaftFailure(result, about);
    const { data } = result;
    const rows = data.entries.map(rowOf);
    const notes = notesOf(data, rows, about.arguments);
    const found = rows.length === 0 ? [noMatches(data, about.arguments)] : rows;
    const tail = notes.length === 0 ? [] : [...(rows.length === 0 ? [] : [""]), ...notes];
    return textResult(withNotes([...found, ...tail].join("\n"), withToolNotes(about, result)));
  },
};

/** Directories end in a slash, inside the quotes where the name is shown as JSON. */
function rowOf({ path, kind }: FindEntry): string {
  return rowName(kind === "directory" ? `${path}/` : path);
}

function notesOf(data: FindData, rows: readonly string[], args: Readonly<Record<string, unknown>>): readonly string[] {
  const notes = [endNote(data), unreadableNote(data), skippedNote(data)].filter((note) => note !== "");
  if (rows.some((row) => row.startsWith('"'))) notes.push(JSON_NAMES_NOTE);
  if (rows.some((row) => row.includes("\uFFFD"))) notes.push(UNNAMED_NOTE);
  if (data.entries.length > 0 || data.why !== "complete") return notes;
  const { query } = args;
  if (data.asGlob !== undefined)
    notes.push(
      `\`[…]\` was searched literally: without \`*\` or \`?\` the query is a substring of a name. To use it as a character class, send ${quotedPath(data.asGlob)}.`,
    );
  else if (typeof query === "string" && /[*?]|\{[^{}]*,/.test(query) && /(?<!\\)\[/.test(query))
    notes.push("`[…]` in a glob is a character class; write `\\[` for a literal bracket.");
  return notes;
}

function noMatches(data: FindData, args: Readonly<Record<string, unknown>>): string {
  return data.why === "complete" && args.includeIgnored !== true ? NO_MATCHES_OUTSIDE_IGNORED : NO_MATCHES;
}

function endNote({ why, engine, entries, total, limit }: FindData): string {
  if (why === "complete") return "";
  if (why !== "limit") {
    const reason = why === "deadline" ? "Timed out" : "Cancelled";
    const by = engine === "" ? "" : ` (engine: ${showControls(engine)})`;
    return `${reason}${by}; results are partial. Narrow \`path\`.`;
  }
  if (entries.length < total)
    return `Truncated to ${FIND_LIMITS.maxBytes / 1024} KiB: ${entries.length} of ${total} matches shown. Narrow \`query\` or \`path\`.`;
  const raise = limit < FIND_LIMITS.maxEntries ? `, or raise \`limit\` (at most ${FIND_LIMITS.maxEntries})` : "";
  return `Stopped at the limit of ${counted(limit, "entry", "entries")}; there may be more. Narrow \`query\` or \`path\`${raise}.`;
}
