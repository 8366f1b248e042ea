import type { Decoded, RenderContext, ToolPresenter } from "../../kernel/index.js";
import { stripControls } from "../../text/index.js";
import {
  type EditData,
  type EditInput,
  type EditLimits,
  editPairSchema,
  editSchema,
} from "../../tools/edit/contract.js";
import { type Arguments, missing } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { replacedBytes, withToolNotes } from "./tool-notes.js";

export const haftEditPresenter: ToolPresenter<EditInput, EditData, EditLimits> = {
  name: "edit",
  parameters: {
    ...editSchema,
    properties: {
      path: editSchema.properties.path,
      ...editPairSchema.properties,
      replaceAll: editSchema.properties.replaceAll,
      edits: { ...editSchema.properties.edits, description: "Several pairs, instead of `oldText` and `newText`" },
    },
    required: ["path"],
  },
  aliases: {
    file: "path",
    file_path: "path",
    filePath: "path",
    old_string: "oldText",
    new_string: "newText",
    old_str: "oldText",
    new_str: "newText",
    replace_all: "replaceAll",
  },
  acceptsEmpty: ["oldText", "newText"],
  paths: ["path"],
  decode: decodeEdit,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    const { data } = result;
    const diff = stripControls(data.diff).text;
    const context = [summary(data, about), ...replacedBytes(result, "Removed lines omitted from the diff were")].join(
      " ",
    );
    return textResult(withNotes(diff === "" ? context : `${context}\n${diff}`, withToolNotes(about, result)));
  },
};

/** One pair as `oldText` and `newText`, or several as `edits`; the schema cannot say that one of them is needed. */
function decodeEdit(args: Arguments): Decoded<EditInput, EditLimits> {
  const { oldText, newText, ...input } = args as Partial<EditInput["edits"][number]> & Omit<EditInput, "edits">;
  if (args.edits === undefined) {
    if (oldText === undefined) return missing("oldText", "string; or send `edits`");
    if (newText === undefined) return missing("newText", "string; empty to delete `oldText`");
    return { input: { ...input, edits: [{ oldText, newText }] } };
  }
  // Some models fill in every parameter, so empty strings beside `edits` are ignored.
  if (oldText || newText)
    return { problem: "`edits` and `oldText` are mutually exclusive; send one of them", parameter: "edits" };
  return { input: input as EditInput };
}

/** Line numbers that a summary lists. */
const MAX_LINES_NAMED = 10;

function summary(data: EditData, about: RenderContext): string {
  const name = quotedPath(givenPathOf(about, data.path));
  const sentences = [
    `Edited ${name}: ${counted(data.replacements, "replacement")}${placesOf(data)}, +${data.added} −${data.removed} lines.`,
  ];
  const strategy = STRATEGIES[data.strategy];
  if (strategy !== "") sentences.push(`Matched ${strategy}.`);
  if (data.reindented) sentences.push("`newText` was reindented to match.");
  if (data.eolConverted) sentences.push("The line endings of `newText` were converted to match.");
  if (data.merged) sentences.push("The file had changed elsewhere since it was read; that change is preserved.");
  if (data.inPlace === true) sentences.push("Written in place to preserve hard links, owner and attributes.");
  return sentences.join(" ");
}

const STRATEGIES: Readonly<Record<EditData["strategy"], string>> = {
  exact: "",
  "line-endings": "with different line endings",
  "trailing-whitespace": "with different trailing whitespace",
  whitespace: "with different whitespace within lines",
  indentation: "with different indentation",
};

function placesOf(data: EditData): string {
  const lines = [...new Set(data.ranges.map((range) => range.line))];
  if (lines.length === 0) return "";
  const named = lines.slice(0, MAX_LINES_NAMED).join(", ");
  const more = lines.length > MAX_LINES_NAMED ? " …" : "";
  return ` on ${lines.length === 1 ? "line" : "lines"} ${named}${more}`;
}
