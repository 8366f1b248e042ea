import type { ToolPresenter } from "../../kernel/index.js";
import type { GrepData, GrepInput, GrepLimits } from "../../tools/grep/contract.js";
import { booleanArgument, missing, numberArgument, omitUndefined, textArgument } from "../arguments.js";
import { textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import {
  GREP_DEFAULT_HITS,
  GREP_MAX_BYTES,
  GREP_MAX_CONTEXT,
  GREP_MAX_HITS,
  GREP_MAX_LINE_BYTES,
} from "./grep-limits.js";
import { grepNotes, noMatches } from "./grep-notes.js";
import { hitRows } from "./grep-rows.js";
import { withNotes } from "./notes.js";
import { withToolNotes } from "./tool-notes.js";

const MODES = ["content", "files", "count"] as const;

export const haftGrepPresenter: ToolPresenter<GrepInput, GrepData, GrepLimits> = {
  name: "grep",
  description: `Search file contents with a linear-time regex (no look-around, no back-references). Hidden files are searched, ignored ones and .git are not. Lines are clipped to ${GREP_MAX_LINE_BYTES} bytes around the match, the answer to ${GREP_MAX_BYTES / 1024} KiB; after 30 s it returns what it has.`,
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string" },
      path: { type: "string", description: "Folder, file or artifact:ID; default: working folder" },
      glob: { type: "string", description: "Like *.ts or src/**" },
      ignoreCase: { type: "boolean" },
      literal: { type: "boolean" },
      multiline: { type: "boolean", description: "Match across lines" },
      mode: { type: "string", enum: MODES },
      context: { type: "integer", minimum: 0, maximum: GREP_MAX_CONTEXT, description: "Lines around hits" },
      limit: { type: "integer", minimum: 1, maximum: GREP_MAX_HITS, description: `Hits, default ${GREP_DEFAULT_HITS}` },
      offset: { type: "integer", minimum: 0, description: "Hits to skip; pages go in path order" },
      includeIgnored: { type: "boolean" },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
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
  limits: {
    defaultHits: GREP_DEFAULT_HITS,
    maxHits: GREP_MAX_HITS,
    maxLineBytes: GREP_MAX_LINE_BYTES,
    maxBytes: GREP_MAX_BYTES,
    binary: "any-nul",
    pruning: { by: "ignore-files" },
    order: "found",
    relativeTo: "cwd",
  },
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
        mode: MODES.find((mode) => mode === args.mode),
        context: context === undefined ? undefined : Math.min(context, GREP_MAX_CONTEXT),
        limit: limit === undefined ? undefined : Math.min(limit, GREP_MAX_HITS),
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
