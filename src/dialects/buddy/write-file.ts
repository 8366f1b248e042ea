import type { ToolPresenter } from "../../kernel/index.js";
import type { WriteData, WriteInput, WriteLimits } from "../../tools/write/contract.js";
import { pathAndContent } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { textResult } from "../rendering.js";
import { systemReason } from "../system-reason.js";
import { renderBuddyFailure } from "./failure-text.js";
import { wroteFile } from "./messages.js";

export const writeFilePresenter: ToolPresenter<WriteInput, WriteData, WriteLimits> = {
  name: "write_file",
  description: "Write text to a file, creating it or replacing its content. The parent directory must exist.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "The file" },
      content: { type: "string", description: "The whole new content" },
    },
    required: ["path", "content"],
  },
  paths: ["path"],
  limits: { gate: "off", parents: false },
  decode: pathAndContent,
  render(result, about) {
    const path = givenPathOf(about, result.data?.path);
    if (result.isError || result.data === undefined)
      return renderBuddyFailure(result, (failure) => `${path}: ${systemReason(failure)}`);
    return textResult(wroteFile(result.data.bytes, path), { clamped: true });
  },
};
