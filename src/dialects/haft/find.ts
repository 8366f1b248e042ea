import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import {
  type FindData,
  type FindEntry,
  type FindInput,
  type FindLimits,
  findSchema,
} from "../../tools/find/contract.js";
import { booleanArgument, missing, numberArgument, omitUndefined, textArgument } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { JSON_NAMES_NOTE, rowName, UNNAMED_NOTE } from "../row-name.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { skippedNote, unreadableNote } from "./search-notes.js";
import { withToolNotes } from "./tool-notes.js";

const FIND_DEFAULT_ENTRIES = 500;
const FIND_MAX_ENTRIES = 5_000;
const FIND_MAX_BYTES = 32_768;

export const haftFindPresenter: ToolPresenter<FindInput, FindData, FindLimits> = {
  name: "find",
  description: `Find files and folders by name, in any case. A glob with a slash matches the path below \`path\`. Ignored ones and .git are left out, links not followed; at most ${FIND_MAX_BYTES / 1024} KiB and 30 s.`,
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", description: "Glob, or part of a name" },
      path: { type: "string", description: "Default: working folder" },
      type: { type: "string", enum: findSchema.properties.type.enum },
      limit: { type: "integer", minimum: 1, maximum: FIND_MAX_ENTRIES, description: `Default ${FIND_DEFAULT_ENTRIES}` },
      includeIgnored: { type: "boolean" },
    },
    required: ["query"],
    additionalProperties: false,
  },
  aliases: { pattern: "query", glob: "query", name: "query", directory: "path", max_results: "limit" },
  bareString: "query",
  paths: ["path"],
  limits: {
    defaultEntries: FIND_DEFAULT_ENTRIES,
    maxEntries: FIND_MAX_ENTRIES,
    maxBytes: FIND_MAX_BYTES,
    pruning: { by: "ignore-files" },
    order: "found",
    relativeTo: "cwd",
    wildcards: "glob",
    withRoot: false,
  },
  decode(args) {
    const query = textArgument(args, "query");
    const limit = numberArgument(args, "limit");
    if (query === undefined) return missing("query", "text");
    if (limit !== undefined && (limit < 1 || !Number.isInteger(limit)))
      return { problem: `\`limit\` was ${limit}; it takes a whole number of at least 1`, parameter: "limit" };
    return {
      input: omitUndefined({
        query,
        path: textArgument(args, "path"),
        type: args.type === "file" || args.type === "dir" ? args.type : undefined,
        limit: limit === undefined ? undefined : Math.min(limit, FIND_MAX_ENTRIES),
        includeIgnored: booleanArgument(args, "includeIgnored"),
      }),
    };
  },
  render(result, about) {
    // A cancelled search fails and still carries what it had found.
    if (result.data === undefined) return renderHaftFailure(result, about);
    const { data } = result;
    const rows = data.entries.map(rowOf);
    const notes = notesOf(data, rows, about.arguments);
    const found = rows.length === 0 ? ["Nothing found."] : rows;
    const tail = notes.length === 0 ? [] : [...(rows.length === 0 ? [] : [""]), ...notes];
    return textResult(withNotes([...found, ...tail].join("\n"), withToolNotes(about, result)));
  },
};

/** Folders end in a slash; in the quotes of a name that is told as JSON it stands as well. */
function rowOf({ path, kind }: FindEntry): string {
  return rowName(kind === "directory" ? `${path}/` : path);
}

function notesOf(data: FindData, rows: readonly string[], args: Readonly<Record<string, unknown>>): readonly string[] {
  const notes = [endNote(data), unreadableNote(data), skippedNote(data)].filter((note) => note !== "");
  if (rows.some((row) => row.startsWith('"'))) notes.push(JSON_NAMES_NOTE);
  if (rows.some((row) => row.includes("\uFFFD"))) notes.push(UNNAMED_NOTE);
  if (data.entries.length > 0 || data.why !== "complete") return notes;
  if (args.includeIgnored !== true) notes.push("Ignored files were not searched; `includeIgnored` adds them.");
  const { query } = args;
  if (data.asGlob !== undefined)
    notes.push(
      `\`[…]\` was searched as text: without \`*\` or \`?\` a query is a part of a name. To have it as one character of several, send ${quotedPath(data.asGlob)}.`,
    );
  else if (typeof query === "string" && /[*?]|\{[^{}]*,/.test(query) && /(?<!\\)\[/.test(query))
    notes.push("`[…]` in a glob is one character of several; write `\\[` for a bracket.");
  return notes;
}

function endNote({ why, engine, entries, total, limit }: FindData): string {
  if (why === "complete") return "";
  if (why !== "limit") {
    const reason = why === "deadline" ? "the time limit" : "the cancel";
    const by = engine === "" ? "" : ` (engine: ${showControls(engine)})`;
    return `Stopped at ${reason}${by}; only a part was searched. Narrow \`path\`.`;
  }
  if (entries.length < total)
    return `Stopped at the limit of ${FIND_MAX_BYTES / 1024} KiB: ${entries.length} of ${total} that were found. Narrow \`query\` or \`path\`.`;
  const raise = limit < FIND_MAX_ENTRIES ? `, or raise \`limit\` (at most ${FIND_MAX_ENTRIES})` : "";
  return `Stopped at the limit of ${counted(limit, "entry", "entries")}; there may be more. Narrow \`query\` or \`path\`${raise}.`;
}
