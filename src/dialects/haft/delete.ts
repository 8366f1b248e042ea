import type { RenderContext, ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import type { DeleteData, DeleteInput, DeleteLimits } from "../../tools/delete/contract.js";
import { asInput } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { withToolNotes } from "./tool-notes.js";

export const haftDeletePresenter: ToolPresenter<DeleteInput, DeleteData, DeleteLimits> = {
  name: "delete",
  aliases: { file: "path", file_path: "path", filePath: "path", folder: "path", directory: "path" },
  paths: ["path"],
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    return textResult(withNotes(deleted(result.data, about), withToolNotes(about, result)));
  },
};

function deleted(data: DeleteData, about: RenderContext): string {
  const name = quotedPath(givenPathOf(about, data.path));
  const { kept } = data;
  const head = `Deleted ${name}: ${whatItWas(data)}.`;
  if (kept.length === 0) return head;
  if (data.kind === "file") return `${head} Backup: artifact:${showControls(kept[0]!.artifact)}.`;
  const rows = kept.map(
    ({ path, artifact, sizeBytes }) =>
      `artifact:${showControls(artifact)}  ${quotedPath(path)}, ${counted(sizeBytes, "byte")}`,
  );
  return [`${head} Backups of its files:`, ...rows].join("\n");
}

function whatItWas({ kind, sizeBytes, inside, target }: DeleteData): string {
  if (kind === "file") return `a file, ${counted(sizeBytes, "byte")}`;
  if (kind === "link") return `a symlink${target === undefined ? "" : ` to "${showControls(target)}" (not deleted)`}`;
  if (kind === "other") return "a FIFO, a socket or a device";
  const parts = [
    [inside.files, "file", "files"],
    [inside.directories, "directory", "directories"],
    [inside.symlinks, "symlink", "symlinks"],
    [inside.others, "special file", "special files"],
  ] as const;
  const contents = parts.filter(([number]) => number > 0).map(([number, one, many]) => counted(number, one, many));
  return contents.length === 0
    ? "an empty directory"
    : `a directory with ${contents.join(", ")}, ${counted(sizeBytes, "byte")}`;
}
