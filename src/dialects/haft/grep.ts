import type { ToolPresenter } from "../../kernel/index.js";
import {
  GREP_LIMITS,
  GREP_MAX_CONTEXT,
  GREP_MODES,
  type GrepData,
  type GrepInput,
  type GrepLimits,
} from "../../tools/grep/contract.js";
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
    const limit = numberArgument(args, "limit");
    const context = numberArgument(args, "context");
    const offset = numberArgument(args, "offset");
    if (pattern === undefined) return missing("pattern", "text");
    for (const [parameter, value, least] of [
      ["limit", limit, 1],
      ["context", context, 0],
      ["offset", offset, 0],
    ] as const) {
      if (value !== undefined && (value < least || !Number.isInteger(value)))
        return { problem: `\`${parameter}\` was ${value}; must be an integer of at least ${least}`, parameter };
    }
    return {
      input: omitUndefined({
        pattern,
        path: textArgument(args, "path"),
        glob: textArgument(args, "glob"),
        ignoreCase: booleanArgument(args, "ignoreCase"),
        literal: booleanArgument(args, "literal"),
        multiline: booleanArgument(args, "multiline"),
        mode: GREP_MODES.find((mode) => mode === args.mode),
        context: context === undefined ? undefined : Math.min(context, GREP_MAX_CONTEXT),
        limit: limit === undefined ? undefined : Math.min(limit, GREP_LIMITS.maxHits),
        offset,
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
