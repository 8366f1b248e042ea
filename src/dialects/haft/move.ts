import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import type { MoveData, MoveInput, MoveLimits } from "../../tools/move/contract.js";
import { asInput } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { replacedBytes, withToolNotes } from "./tool-notes.js";

export const haftMovePresenter: ToolPresenter<MoveInput, MoveData, MoveLimits> = {
  name: "move",
  aliases: {
    source: "from",
    src: "from",
    path: "from",
    old_path: "from",
    destination: "to",
    dest: "to",
    target: "to",
    new_path: "to",
    replace: "overwrite",
  },
  paths: ["from", "to"],
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    const context = [...moved(result.data), ...replacedBytes(result)].join(" ");
    return textResult(withNotes(context, withToolNotes(about, result)));
  },
};

const KIND_NAMES = { file: "file", directory: "directory", link: "symlink", other: "special file" } as const;

function moved({
  from,
  to,
  kind,
  sizeBytes,
  target,
  targetChanges,
  replaced,
  replacedTarget,
}: MoveData): readonly string[] {
  const size = kind === "file" ? `, ${counted(sizeBytes, "byte")}` : "";
  const sentences = [`Moved ${quotedPath(from)} to ${quotedPath(to)}: a ${KIND_NAMES[kind]}${size}.`];
  if (replacedTarget !== undefined)
    sentences.push(`Replaced the symlink itself, which pointed to "${showControls(replacedTarget)}".`);
  else if (replaced) sentences.push("Replaced the existing file.");
  if (targetChanges && target !== undefined)
    sentences.push(`Its relative target "${showControls(target)}" resolves differently from the new directory.`);
  return sentences;
}
