import type { ToolPresenter } from "../../kernel/index.js";
import type { EditData, EditInput, EditLimits } from "../../tools/edit/contract.js";
import { booleanArgument, missing, omitUndefined, textArgument } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { counted } from "../rendering.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";

/** Bytes of the diff that an answer holds, both ends kept. */
const EDIT_MAX_DIFF_BYTES = 16_384;

export function indusagiEditPresenter(edition: IndusagiEdition): ToolPresenter<EditInput, EditData, EditLimits> {
  return {
    name: "edit",
    description:
      "Replace a snippet of a file. `oldText` must stand there exactly once unless `replaceAll` is set; when it is not found literally, runs of whitespace are compared as one space. Returns a unified diff.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "File to change, absolute or relative to the working directory." },
        oldText: { type: "string", description: "The text to replace." },
        newText: { type: "string", description: "The text that takes its place." },
        replaceAll: { type: "boolean", description: "Replace every occurrence.", default: false },
      },
      required: ["path", "oldText", "newText"],
    },
    paths: ["path"],
    limits: {
      gate: "handle",
      stages: ["exact", "whitespace"],
      whitespace: "anywhere",
      maxDiffBytes: EDIT_MAX_DIFF_BYTES,
    },
    decode(args) {
      const path = textArgument(args, "path");
      const oldText = textArgument(args, "oldText");
      const newText = textArgument(args, "newText");
      if (path === undefined || path === "") return missing("path", "text that is not empty");
      if (oldText === undefined) return missing("oldText", "text");
      if (newText === undefined) return missing("newText", "text");
      return {
        input: omitUndefined({ path, edits: [{ oldText, newText }], replaceAll: booleanArgument(args, "replaceAll") }),
      };
    },
    render(result, about) {
      if (result.isError || result.data === undefined) return renderIndusagiFailure(edition, result, about);
      const { data } = result;
      const path = givenPathOf(about, data.path);
      const fuzzy = data.strategy === "exact" ? "" : " (whitespace differed)";
      const summary = `Replaced ${counted(data.replacements, "occurrence")} in ${path}${fuzzy}.`;
      const value = { path, replacements: data.replacements, diff: data.diff };
      return {
        content: [
          { kind: "text", text: summary },
          { kind: "json", value },
        ],
      };
    },
  };
}
