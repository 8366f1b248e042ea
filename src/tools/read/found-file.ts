/** The result of reading a file of any kind. */
import type { FsEntryInfo } from "../../kernel/index.js";
import type { TextForm } from "../../text/index.js";
import type { ReadData } from "./contract.js";

/** The content of a file, and its image where one can be shown. */
export interface FoundFile {
  readonly data: ReadData;
  readonly image?: { readonly data: Uint8Array; readonly mime: string };
  /** Why an image or document is not shown, or what is shown instead of the file. */
  readonly note?: string | undefined;
}

/** Text that is shown instead of the content. */
export interface FileView {
  readonly bytes: Uint8Array;
  readonly form: TextForm;
  readonly note: string;
}

export const UTF8_VIEW: TextForm = Object.freeze({ encoding: "utf-8", bomBytes: 0, confident: true });

/** A file that is not shown as text. */
export function unshownData(path: string, info: Pick<FsEntryInfo, "size">, mime: string): ReadData {
  return {
    path,
    kind: mime.startsWith("image/") ? "image" : "binary",
    encoding: "binary",
    hasBom: false,
    eol: "none",
    text: "",
    startLine: 0,
    endLine: 0,
    totalLines: null,
    sizeBytes: info.size,
    truncatedLines: [],
    mime,
  };
}
