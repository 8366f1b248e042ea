import type { ToolPresenter } from "../../kernel/index.js";
import { GREP_MODES, type GrepData, type GrepInput, type GrepLimits } from "../../tools/grep/contract.js";
import { booleanArgument, missing, numberArgument, omitUndefined, textArgument } from "../arguments.js";
import { textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { grepNotes, noMatches } from "./grep-notes.js";
import { hitRows } from "./grep-rows.js";
import { withNotes } from "./notes.js";
import { withToolNotes } from "./tool-notes.js";

export const haftGrepPresenter: ToolPresenter<GrepInput, GrepData, GrepLimits> = {
  name: "grep",
  aliases: {
    query: "pattern",
    regex: "pattern",
    directory: "path",
    include: "glob",
    case_insensitive: "ignoreCase",
    output_mode: "mode",
    max_results: "limit",
    head_limit: "limit",
  },
  bareString: "pattern",
  paths: ["path"],
  decode(args) {
    const pattern = textArgument(args, "pattern");
    if (pattern === undefined) return missing("pattern", "text");
    return {
      input: omitUndefined({
        pattern,
        path: textArgument(args, "path"),
        glob: textArgument(args, "glob"),
        ignoreCase: booleanArgument(args, "ignoreCase"),
        literal: booleanArgument(args, "literal"),
        multiline: booleanArgument(args, "multiline"),
        mode: GREP_MODES.find((mode) => mode === args.mode),
        context: numberArgument(args, "context"),
        limit: numberArgument(args, "limit"),
        offset: numberArgument(args, "offset"),
        includeIgnored: booleanArgument(args, "includeIgnored"),
      }),
    };
  },
  render(result, about) {
    // A cancelled search fails but still has what it found.
    if (result.data === undefined) return renderHaftFailure(result, about);
    const { data } = result;
    const rows = hitRows(data);
    const notes = grepNotes(data, rows);
    const found = rows.length === 0 ? [noMatches(data, about.arguments)] : rows;
    const tail = notes.length === 0 ? [] : [...(rows.length === 0 ? [] : [""]), ...notes];
    return textResult(withNotes([...found, ...tail].join("\n"), withToolNotes(about, result)));
  },
};
