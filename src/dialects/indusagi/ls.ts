import { clampWithCount, type ToolPresenter } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import type { LsData, LsInput, LsLimits } from "../../tools/ls/contract.js";
import { booleanArgument, omitUndefined, textArgument } from "../arguments.js";
import { entryRows } from "../entry-rows.js";
import { givenPathOf } from "../failure.js";
import { counted, newTruncations, textResult } from "../rendering.js";
import { JSON_NAMES_NOTE } from "../row-name.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";
import { lsNotice } from "./messages.js";

/** Rows are bounded by the context's budget alone; this is what a tool can count to. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export function indusagiLsPresenter(edition: IndusagiEdition): ToolPresenter<LsInput, LsData, LsLimits> {
  return {
    name: "ls",
    description:
      "List the immediate children of a directory as rows of kind, size and name, directories first. Names that begin with a dot are counted and left out unless `showHidden` is true.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "Directory to list; the working directory by default." },
        showHidden: { type: "boolean", description: "Whether names that begin with a dot are listed." },
      },
    },
    paths: ["path"],
    limits: { defaultEntries: UNBOUNDED, maxEntries: UNBOUNDED },
    decode: (args) => ({
      input: omitUndefined({ path: textArgument(args, "path"), showHidden: booleanArgument(args, "showHidden") }),
    }),
    render(result, about) {
      if (result.isError || result.data === undefined) return renderIndusagiFailure(edition, result, about, "scandir");
      const { data } = result;
      const rows = entryRows(
        data.entries.map(({ target: _, ...own }) => own),
        kindWord,
      );
      const isQuoted = rows.some((row) => row.includes(' "'));
      const header = [headerOf(data), ...(isQuoted ? [`[${JSON_NAMES_NOTE}]`] : [])].join("\n");
      const room = Math.max(0, about.budget.maxBytes - utf8Length(header) - 1);
      const truncation = clampWithCount(rows.join("\n"), { ...about.budget, maxBytes: room, notice: lsNotice });
      const text = rows.length === 0 ? header : `${header}\n${truncation.text}`;
      if (truncation.omittedBytes === 0) return textResult(text, { clamped: true });
      const record = {
        what: `rows of ${givenPathOf(about, data.path)}`,
        producedBytes: truncation.keptBytes + truncation.omittedBytes,
        keptBytes: truncation.keptBytes,
        next: "Use find for names of one kind.",
      };
      return textResult(text, { clamped: true, ...newTruncations(result, [record]) });
    },
  };
}

function kindWord({ kind }: LsData["entries"][number]): string {
  return kind === "directory" ? "dir" : kind;
}

function headerOf({ total, more, hidden }: LsData): string {
  const count = `${more ? "more than " : ""}${counted(total, "entry", "entries")}`;
  return hidden === 0 ? count : `${count} (${counted(hidden, "hidden entry", "hidden entries")} omitted)`;
}
