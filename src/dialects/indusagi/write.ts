import type { ToolPresenter } from "../../kernel/index.js";
import type { WriteData, WriteInput, WriteLimits } from "../../tools/write/contract.js";
import { missing, shownValue, textArgument } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { textResult } from "../rendering.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";
import { saved } from "./messages.js";

export function indusagiWritePresenter(edition: IndusagiEdition): ToolPresenter<WriteInput, WriteData, WriteLimits> {
  return {
    name: "write",
    description: "Create a UTF-8 file or replace its whole content. Missing parent directories are created.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "File to write, absolute or relative to the working directory." },
        content: { type: "string", description: "The whole content; absent means an empty file.", default: "" },
      },
      required: ["path"],
    },
    paths: ["path"],
    limits: { gate: "handle", parents: true },
    decode(args) {
      const path = textArgument(args, "path");
      if (path === undefined || path === "") return missing("path", "text that is not empty");
      const { content } = args;
      if (content !== undefined && typeof content !== "string")
        return { problem: `\`content\` was ${shownValue(content)}; it takes text`, parameter: "content" };
      return { input: { path, content: content ?? "" } };
    },
    render(result, about) {
      if (result.isError || result.data === undefined) return renderIndusagiFailure(edition, result, about);
      return textResult(saved(result.data.bytes, givenPathOf(about, result.data.path)));
    },
  };
}
