import { clampWithCount, type LsData, type LsInput, type LsLimits, type ToolFace } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import { booleanArgument, present, textArgument } from "../arguments.js";
import { entryRows } from "../entry-rows.js";
import { spelledPath } from "../failure.js";
import { counted, newCuts, saying } from "../rendering.js";
import { JSON_NAMES_NOTE } from "../row-name.js";
import type { IndusagiEdition } from "./edition.js";
import { renderFailure } from "./failure-text.js";
import { lsNotice } from "./messages.js";

/** Rows are bounded by the context's budget alone; this is what a tool can count to. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export function lsFace(edition: IndusagiEdition): ToolFace<LsInput, LsData, LsLimits> {
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
      input: present({ path: textArgument(args, "path"), showHidden: booleanArgument(args, "showHidden") }),
    }),
    render(result, about) {
      if (result.isError || result.data === undefined) return renderFailure(edition, result, about, "scandir");
      const { data } = result;
      const rows = entryRows(
        data.entries.map(({ target: _, ...own }) => own),
        kindWord,
      );
      const isQuoted = rows.some((row) => row.includes(' "'));
      const header = [headerOf(data), ...(isQuoted ? [`[${JSON_NAMES_NOTE}]`] : [])].join("\n");
      const room = Math.max(0, about.budget.maxBytes - utf8Length(header) - 1);
      const cut = clampWithCount(rows.join("\n"), { ...about.budget, maxBytes: room, notice: lsNotice });
      const text = rows.length === 0 ? header : `${header}\n${cut.text}`;
      if (cut.omittedBytes === 0) return saying(text, { clamped: true });
      const record = {
        what: `rows of ${spelledPath(about, data.path)}`,
        producedBytes: cut.keptBytes + cut.omittedBytes,
        keptBytes: cut.keptBytes,
        next: "Use find for names of one kind.",
      };
      return saying(text, { clamped: true, ...newCuts(result, [record]) });
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
