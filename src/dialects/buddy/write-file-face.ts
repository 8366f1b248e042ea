import type { ToolFace, WriteData, WriteInput, WriteLimits } from "../../kernel/index.js";
import { pathAndContent } from "../arguments.js";
import { spelledPath } from "../failure.js";
import { saying } from "../rendering.js";
import { systemReason } from "../system-reason.js";
import { renderFailure } from "./failure-text.js";
import { wrote } from "./messages.js";

export const writeFileFace: ToolFace<WriteInput, WriteData, WriteLimits> = {
  name: "write_file",
  description: "Write text to a file, creating it or replacing what it held. Its folder must exist.",
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
    const path = spelledPath(about, result.data?.path);
    if (result.isError || result.data === undefined)
      return renderFailure(result, (failure) => `${path}: ${systemReason(failure)}`);
    return saying(wrote(result.data.bytes, path), { clamped: true });
  },
};
