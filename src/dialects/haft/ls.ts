import type { ToolPresenter } from "../../kernel/index.js";
import { asRelative } from "../../text/index.js";
import { LS_LIMITS, type LsData, type LsEntry, type LsInput, type LsLimits } from "../../tools/ls/contract.js";
import { asInput } from "../arguments.js";
import { entryRows } from "../entry-rows.js";
import { givenPathOf } from "../failure.js";
import { counted, textResult } from "../rendering.js";
import { JSON_NAMES_NOTE, UNNAMED_NOTE } from "../row-name.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { withToolNotes } from "./tool-notes.js";

export const haftLsPresenter: ToolPresenter<LsInput, LsData, LsLimits> = {
  name: "ls",
  aliases: { directory: "path", all: "showHidden", hidden: "showHidden" },
  bareString: "path",
  paths: ["path"],
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    const { data } = result;
    const place = quotedPath(givenPathOf(about, data.path));
    const entries = data.entries.map((entry) => ({ ...entry, name: asRelative(entry.name) }));
    const rows = entryRows(entries, kindWord);
    const head = data.total === 0 && data.hidden === 0 ? `${place} is empty.` : `${place}: ${countOf(data)}.`;
    const notes = notesOf(entries, rows);
    return textResult(withNotes([head, ...rows, ...notes].join("\n"), withToolNotes(about, result)));
  },
};

/** A symlink is shown as one, whatever its target is. */
function kindWord({ kind, target }: LsEntry): string {
  return target !== undefined ? "symlink" : kind === "directory" ? "dir" : kind;
}

function countOf({ total, more, entries, hidden, limit }: LsData): string {
  const counts = [`${more ? "more than " : ""}${counted(total, "entry", "entries")}`];
  if (hidden > 0) counts.push(`${hidden} hidden omitted (\`showHidden\` lists them)`);
  if (entries.length < total) {
    const raise =
      limit < LS_LIMITS.maxEntries
        ? `; raise \`limit\` (at most ${LS_LIMITS.maxEntries}) or use \`find\``
        : "; use `find`";
    counts.push(`the first ${entries.length} are listed${raise}`);
  }
  return counts.join(", ");
}

function notesOf(entries: readonly LsEntry[], rows: readonly string[]): readonly string[] {
  const notes: string[] = [];
  if (rows.some((row) => row.includes('"'))) notes.push(JSON_NAMES_NOTE);
  if (entries.some(({ error }) => error === "unnamed")) notes.push(UNNAMED_NOTE);
  return notes;
}
