import type { Cut, ReadData, ReadInput, ReadLimits, ToolFace } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import { missing, textArgument } from "../arguments.js";
import { failureOf, missingParameter, spelledPath } from "../failure.js";
import { newCuts, saying } from "../rendering.js";
import { systemReason } from "../system-reason.js";
import { wholeText } from "../whole-text.js";
import { failed } from "./envelope.js";
import * as messages from "./messages.js";

/** The seed sets no bound; the tool's own hard cap still holds. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export const fileReadFace: ToolFace<ReadInput, ReadData, ReadLimits> = {
  name: "file_read",
  description: "Read a whole file as it is, without line numbers.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, in the workspace or absolute where that is allowed" },
    },
    required: ["path"],
  },
  limits: { maxLines: UNBOUNDED, maxBytes: UNBOUNDED, maxLineBytes: UNBOUNDED, cut: "none" },
  decode(args) {
    const path = textArgument(args, "path");
    return path === undefined ? missing("path", "text") : { input: { path } };
  },
  render(result, about) {
    if (result.isError || result.data === undefined) return failed(errorText(result, spelledPath(about, undefined)));
    const { data } = result;
    const text = wholeText(data);
    return saying(text, { clamped: true, ...newCuts(result, restOf(data, text)) });
  },
};

function restOf(data: ReadData, text: string): readonly Cut[] {
  if (data.nextOffset === undefined) return [];
  return [{ what: `rest of ${data.path}`, producedBytes: data.sizeBytes, keptBytes: utf8Length(text) }];
}

function errorText(result: Parameters<typeof failureOf>[0], path: string): string {
  const failure = failureOf(result);
  const missing = missingParameter(failure);
  if (missing !== undefined) return messages.missingParameter(missing);
  if (failure.code === "CALL_INVALID") return failure.message;
  if (failure.code.startsWith("POLICY_")) return messages.readNotAllowed(path);
  if (failure.code === "FS_NOT_FOUND") return messages.fileNotFound(systemReason(failure));
  return messages.readFailed(systemReason(failure));
}
