import type { ToolPresenter, Truncation } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import type { ReadData, ReadInput, ReadLimits } from "../../tools/read/contract.js";
import { missing, textArgument } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { newTruncations, textResult } from "../rendering.js";
import { UNBOUNDED_READ, wholeText } from "../whole-text.js";
import { failed } from "./envelope.js";
import { type FileErrorTexts, fileError, refusedPath } from "./file-error.js";
import * as messages from "./messages.js";

export const fileReadPresenter: ToolPresenter<ReadInput, ReadData, ReadLimits> = {
  name: "file_read",
  description: "Read a whole file as it is, without line numbers.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, in the workspace or absolute where that is allowed" },
    },
    required: ["path"],
  },
  paths: ["path"],
  limits: UNBOUNDED_READ,
  decode(args) {
    const path = textArgument(args, "path");
    return path === undefined ? missing("path", "text") : (refusedPath(path) ?? { input: { path } });
  },
  render(result, about) {
    if (result.isError || result.data === undefined)
      return failed(fileError(result, about, textsFor(givenPathOf(about, undefined))));
    const { data } = result;
    const text = wholeText(data);
    return textResult(text, { clamped: true, ...newTruncations(result, restOf(data, text)) });
  },
};

function restOf(data: ReadData, text: string): readonly Truncation[] {
  if (data.nextOffset === undefined) return [];
  return [{ what: `rest of ${data.path}`, producedBytes: data.sizeBytes, keptBytes: utf8Length(text) }];
}

function textsFor(path: string): FileErrorTexts {
  return {
    notAllowed: () => messages.readNotAllowed(path),
    resolvedNotAllowed: messages.resolvedNotAllowed,
    notFound: messages.fileNotFound,
    failed: messages.readFailed,
  };
}
