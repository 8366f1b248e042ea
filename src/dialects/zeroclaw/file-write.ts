import type { ToolPresenter } from "../../kernel/index.js";
import type { WriteData, WriteInput, WriteLimits } from "../../tools/write/contract.js";
import { pathAndContent } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { textResult } from "../rendering.js";
import { failed } from "./envelope.js";
import { fileError, refusedPath } from "./file-error.js";
import * as messages from "./messages.js";

export const fileWritePresenter: ToolPresenter<WriteInput, WriteData, WriteLimits> = {
  name: "file_write",
  description: "Write text to a file, creating it and missing parent directories, or replacing its content.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, in the workspace or absolute where that is allowed" },
      content: { type: "string", description: "The whole new content" },
    },
    required: ["path", "content"],
  },
  paths: ["path"],
  limits: { gate: "off", parents: true },
  decode(args) {
    const decoded = pathAndContent(args);
    return "input" in decoded ? (refusedPath(decoded.input.path) ?? decoded) : decoded;
  },
  render(result, about) {
    const path = givenPathOf(about, result.data?.path);
    if (result.isError || result.data === undefined)
      return failed(
        fileError(result, about, {
          notAllowed: () => messages.writeNotAllowed(path),
          readOnly: () => messages.cannotWrite,
          failed: messages.writeFailed,
        }),
      );
    return textResult(messages.wroteBytes(result.data.bytes, path), { clamped: true });
  },
};
