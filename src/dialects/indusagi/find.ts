import { isRecord, type ToolPresenter } from "../../kernel/index.js";
import { type FindData, type FindInput, type FindLimits, findSchema } from "../../tools/find/contract.js";
import { missing, omitUndefined, textArgument } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { JSON_NAMES_NOTE, rowName } from "../row-name.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";

/** The default of the imitated system; its ceiling is 10,000, but no call can set another number. */
const FIND_MAX_ENTRIES = 500;
/** Paths are not cut in this dialect; the context's budget bounds the whole. */
const FIND_MAX_BYTES = 4 * 1024 * 1024;

export function indusagiFindPresenter(edition: IndusagiEdition): ToolPresenter<FindInput, FindData, FindLimits> {
  return {
    name: "find",
    description: `Find files and directories by name below a directory, ignoring case. A query with * or ? must match the whole name, any other a part of it. At most ${FIND_MAX_ENTRIES} results, relative to where the search began; .git and node_modules are left out.`,
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "Glob of * and ?, or part of a name." },
        path: { type: "string", description: "Where to search; the working directory by default." },
        type: { type: "string", enum: findSchema.properties.type.enum, description: "Only files or only directories." },
      },
      required: ["query"],
    },
    paths: ["path"],
    limits: {
      defaultEntries: FIND_MAX_ENTRIES,
      maxEntries: FIND_MAX_ENTRIES,
      maxBytes: FIND_MAX_BYTES,
      pruning: { by: "list", names: [".git", "node_modules"] },
      order: "path",
      relativeTo: "root",
      wildcards: "names",
      withRoot: true,
    },
    decode(args) {
      const query = textArgument(args, "query");
      if (query === undefined || query === "") return missing("query", "text that is not empty");
      const type = args.type === "file" || args.type === "dir" ? args.type : undefined;
      return { input: omitUndefined({ query, path: textArgument(args, "path"), type }) };
    },
    render(result, about) {
      if (result.data === undefined) return renderIndusagiFailure(edition, result, about, "scandir");
      const { data } = result;
      const rows = data.entries.map(({ path }) => rowName(path));
      const found = rows.length === 0 ? ["No matches found."] : rows;
      return textResult([...found, ...notesOf(data, rows), ...toolNotes(result.details)].join("\n"));
    },
  };
}

function notesOf(data: FindData, rows: readonly string[]): readonly string[] {
  const notes: string[] = [];
  if (rows.some((row) => row.startsWith('"'))) notes.push(`[${JSON_NAMES_NOTE}]`);
  if (data.why === "limit") notes.push(`[stopped at ${counted(data.entries.length, "result")}; narrow query or path]`);
  if (data.why === "deadline") notes.push("[stopped at the time limit; only a part was searched]");
  if (data.why === "cancelled") notes.push("[cancelled; only a part was searched]");
  const skipped = Object.entries(data.skipped).flatMap(([reason, count]) => (count > 0 ? [`${count} ${reason}`] : []));
  if (skipped.length > 0) notes.push(`[skipped: ${skipped.join(", ")}]`);
  return notes;
}

function toolNotes(details: unknown): readonly string[] {
  const notes = isRecord(details) ? details.notes : undefined;
  return Array.isArray(notes) ? notes.filter((note) => typeof note === "string").map((note) => `[${note}]`) : [];
}
