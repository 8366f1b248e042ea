import type { Decoded, ToolPresenter } from "../../kernel/index.js";
import type { GrepData, GrepInput, GrepLimits } from "../../tools/grep/contract.js";
import { type Arguments, missing, omitUndefined, shownValue, textArgument } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";

const GREP_DEFAULT_HITS = 200;
const GREP_MAX_HITS = 5_000;
const GREP_MAX_FILE_BYTES = 2 * 1024 * 1024;
const GREP_SNIFF_BYTES = 4_096;
/** Lines are not clipped in this dialect; the context's budget bounds the whole. */
const GREP_MAX_LINE_BYTES = 65_536;
const GREP_MAX_BYTES = 4 * 1024 * 1024;

export function indusagiGrepPresenter(edition: IndusagiEdition): ToolPresenter<GrepInput, GrepData, GrepLimits> {
  return {
    name: "grep",
    description: `Search file contents below a directory for a regular expression (no look-around, no back-references). Hits read \`path:line: text\`; at most ${GREP_DEFAULT_HITS} unless \`limit\` asks for up to ${GREP_MAX_HITS}. .git, node_modules, binary files and files over 2 MiB are left out.`,
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "Regular expression." },
        path: { type: "string", description: "Where to search; the working directory by default." },
        flags: {
          type: "string",
          description:
            "Letters of gimsuy: i ignores case, m and s as in a regex (s also lets a match cross lines); g, u and y change nothing.",
        },
        limit: { type: "number", description: "Most hits to return." },
      },
      required: ["pattern"],
    },
    paths: ["path"],
    limits: {
      defaultHits: GREP_DEFAULT_HITS,
      maxHits: GREP_MAX_HITS,
      maxLineBytes: GREP_MAX_LINE_BYTES,
      maxBytes: GREP_MAX_BYTES,
      maxFileBytes: GREP_MAX_FILE_BYTES,
      binary: { firstBytes: GREP_SNIFF_BYTES },
      pruning: { by: "list", names: [".git", "node_modules"] },
      order: "path",
      relativeTo: "root",
    },
    decode: decodeGrep,
    render(result, about) {
      if (result.data === undefined) return renderIndusagiFailure(edition, result, about, "scandir");
      const { data } = result;
      const rows = data.hits.map((hit) => `${hit.path}:${hit.line}: ${hit.text}`);
      return textResult([...(rows.length === 0 ? ["No matches found."] : rows), ...notesOf(data)].join("\n"));
    },
  };
}

function decodeGrep(args: Arguments): Decoded<GrepInput, GrepLimits> {
  const pattern = textArgument(args, "pattern");
  if (pattern === undefined || pattern === "") return missing("pattern", "text that is not empty");
  const { flags = "", limit } = args;
  if (typeof flags !== "string" || !/^[gimsuy]*$/.test(flags))
    return {
      problem: `\`flags\` was ${shownValue(flags)}; it takes only the letters g, i, m, s, u and y`,
      parameter: "flags",
    };
  if (limit !== undefined && !(typeof limit === "number" && Number.isFinite(limit) && limit >= 1))
    return {
      problem: `\`limit\` was ${shownValue(limit)}; it takes a number from 1 to ${GREP_MAX_HITS}`,
      parameter: "limit",
    };
  const inline = ["m", "s"].filter((letter) => flags.includes(letter)).join("");
  return {
    input: omitUndefined({
      pattern: inline === "" ? pattern : `(?${inline})${pattern}`,
      path: textArgument(args, "path"),
      ignoreCase: flags.includes("i") ? true : undefined,
      // A dot that matches a line end has an effect only where a match may cross lines.
      multiline: flags.includes("s") ? true : undefined,
      limit: limit === undefined ? undefined : Math.min(Math.floor(limit), GREP_MAX_HITS),
    }),
  };
}

function notesOf(data: GrepData): readonly string[] {
  const notes: string[] = [];
  if (data.why === "limit") {
    const raise = data.limit < GREP_MAX_HITS ? `; raise limit (at most ${GREP_MAX_HITS}) for more` : "";
    notes.push(`[stopped at ${counted(data.limit, "hit")}${raise}]`);
  }
  if (data.why === "deadline") notes.push("[stopped at the time limit; only a part was searched]");
  if (data.why === "cancelled") notes.push("[cancelled; only a part was searched]");
  const skipped = Object.entries(data.skipped).flatMap(([reason, count]) => (count > 0 ? [`${count} ${reason}`] : []));
  if (skipped.length > 0) notes.push(`[skipped: ${skipped.join(", ")}]`);
  return notes;
}
