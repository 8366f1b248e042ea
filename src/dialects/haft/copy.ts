import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import type { CopyData, CopyInput } from "../../tools/copy/contract.js";
import type { WriteLimits } from "../../tools/write/contract.js";
import { asInput } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { replacedBytes, withToolNotes } from "./tool-notes.js";

export const haftCopyPresenter: ToolPresenter<CopyInput, CopyData, WriteLimits> = {
  name: "copy",
  // Not `target`: a model that sends it may mean `on`.
  aliases: { source: "from", src: "from", destination: "to", dest: "to", replace: "overwrite" },
  paths: ["from", "to"],
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    const context = [copied(result.data), ...replacedBytes(result)].join(" ");
    return textResult(withNotes(context, withToolNotes(about, result)));
  },
};

/** Hex digits of a hash that is only shown. */
const SHORT_HASH = 12;

function copied({ from, to, source, target, sizeBytes, sha256, created, inPlace }: CopyData): string {
  const on = (name: string) => (source === undefined ? "" : ` on "${showControls(name)}"`);
  const places = `${quotedPath(from)}${on(source ?? target)} to ${quotedPath(to)}${on(target)}`;
  const sentences = [`Copied ${places}: ${counted(sizeBytes, "byte")}, sha256 ${sha256.slice(0, SHORT_HASH)}.`];
  if (!created) sentences.push("Replaced the existing file.");
  if (inPlace === true) sentences.push("Written in place to preserve hard links, owner and attributes.");
  return sentences.join(" ");
}
