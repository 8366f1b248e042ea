import type { ToolPresenter, Truncation } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import type { ReadData, ReadInput, ReadLimits } from "../../tools/read/contract.js";
import { missing, textArgument } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { newTruncations, textResult } from "../rendering.js";
import { systemReason } from "../system-reason.js";
import { wholeText } from "../whole-text.js";
import { renderBuddyFailure } from "./failure-text.js";
import { headCharacters } from "./head-characters.js";

const READ_FILE_MAX_CHARACTERS = 8_000;
/** More than 8,000 characters of four bytes, so that a file that fits the characters is never cut by its bytes. */
const READ_FILE_MAX_BYTES = 4 * READ_FILE_MAX_CHARACTERS + 1_024;

export const readFilePresenter: ToolPresenter<ReadInput, ReadData, ReadLimits> = {
  name: "read_file",
  description: `Read a file; text after its first ${READ_FILE_MAX_CHARACTERS} characters is left out.`,
  parameters: {
    type: "object",
    properties: { path: { type: "string", description: "The file" } },
    required: ["path"],
  },
  paths: ["path"],
  limits: {
    maxLines: READ_FILE_MAX_BYTES,
    maxBytes: READ_FILE_MAX_BYTES,
    maxLineBytes: READ_FILE_MAX_BYTES,
    truncate: "head",
    notebooks: false,
    media: false,
  },
  decode(args) {
    const path = textArgument(args, "path");
    return path === undefined ? missing("path", "text") : { input: { path } };
  },
  render(result, about) {
    const path = givenPathOf(about, result.data?.path);
    if (result.isError || result.data === undefined)
      return renderBuddyFailure(result, (failure) => `${path}: ${systemReason(failure)}`);
    const { data } = result;
    const isPartial = data.nextOffset !== undefined || data.truncatedLines.length > 0;
    const head = headCharacters(wholeText(data), READ_FILE_MAX_CHARACTERS, isPartial);
    const truncations = head.text === head.kept ? [] : [restOf(data, path, head.kept)];
    return textResult(head.text, { clamped: true, ...newTruncations(result, truncations) });
  },
};

function restOf(data: ReadData, path: string, kept: string): Truncation {
  return {
    what: `characters of ${path} after the first ${READ_FILE_MAX_CHARACTERS}`,
    producedBytes: data.sizeBytes,
    keptBytes: Math.min(utf8Length(kept), data.sizeBytes),
    next: "run_shell can show another part of the file.",
  };
}
