import type { RenderContext, ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import type { WriteData, WriteInput, WriteLimits } from "../../tools/write/contract.js";
import { asInput } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { replacedBytes, withToolNotes } from "./tool-notes.js";

export const haftWritePresenter: ToolPresenter<WriteInput, WriteData, WriteLimits> = {
  name: "write",
  aliases: { file: "path", file_path: "path", filePath: "path", text: "content", contents: "content" },
  paths: ["path"],
  preconditions: ["expect"],
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about, "expect");
    const context = [written(result.data, about), ...replacedBytes(result)].join(" ");
    return textResult(withNotes(context, withToolNotes(about, result)));
  },
};

/** Hex digits of a hash that is only shown. */
const SHORT_HASH = 12;

function written(data: WriteData, about: RenderContext): string {
  const name = quotedPath(givenPathOf(about, data.path));
  const before = data.beforeHash === undefined ? "" : ` (was ${data.beforeHash.slice(0, SHORT_HASH)})`;
  const hash = `sha256 ${data.afterHash.slice(0, SHORT_HASH)}${data.created ? "" : before}`;
  const sentences = [`${data.created ? "Created" : "Replaced"} ${name}: ${counted(data.bytes, "byte")}, ${hash}.`];
  if (data.inPlace === true) sentences.push("Written in place to preserve hard links, owner and attributes.");
  if ((data.differs ?? []).length > 0)
    sentences.push(`Not carried over from the old file: ${data.differs?.map(showControls).join(", ")}.`);
  return sentences.join(" ");
}
