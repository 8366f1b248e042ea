/** A whole file as one string, for the dialects that neither number nor window it. */
import type { ReadData, ReadLimits } from "../tools/read/contract.js";
import { counted } from "./rendering.js";

/** For imitated systems that set no bound on a window: what a tool can count to. The tool's own hard limit still applies. */
export const UNBOUNDED_READ: ReadLimits = {
  maxLines: Number.MAX_SAFE_INTEGER,
  maxBytes: Number.MAX_SAFE_INTEGER,
  maxLineBytes: Number.MAX_SAFE_INTEGER,
  truncate: "none",
  notebooks: false,
  media: false,
};

/** The BOM is content here, so that writing the text back preserves it. */
export function wholeText(data: ReadData): string {
  if (data.kind === "binary" || data.kind === "image")
    return `[${data.mime ?? `${data.kind} file`}, ${counted(data.sizeBytes, "byte")}, not shown as text]`;
  return data.hasBom ? `\ufeff${data.text}` : data.text;
}
