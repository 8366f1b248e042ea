/** What reading a file comes to, whatever kind it is of. */
import type { FsEntryInfo } from "../../kernel/index.js";
import type { TextForm } from "../../text/index.js";
import type { ReadData } from "./contract.js";

export interface FileRequest {
  readonly verb: string;
  readonly givenPath: string;
  readonly absolute: string;
}

/** What a file holds, and the picture itself where it is one that can be shown. */
export interface FoundFile {
  readonly data: ReadData;
  readonly image?: { readonly data: Uint8Array; readonly mime: string };
  /** Why a picture or a document is not shown, or what is shown in place of the file. */
  readonly note?: string | undefined;
}

/** Text that is windowed in place of what the file holds. */
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
