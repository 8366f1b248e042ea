/** A whole file as one string, for the dialects that neither number nor window it. */
import type { ReadData } from "../tools/read/contract.js";
import { counted } from "./rendering.js";

/** The BOM is content here, so that writing the text back preserves it. */
export function wholeText(data: ReadData): string {
  if (data.kind === "binary" || data.kind === "image")
    return `[${data.mime ?? `${data.kind} file`}, ${counted(data.sizeBytes, "byte")}, not shown as text]`;
  return data.hasBom ? `\ufeff${data.text}` : data.text;
}
