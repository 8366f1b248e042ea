import { decodeText, detectEol, detectTextForm } from "../../text/index.js";

const EOL_NAMES = { lf: "LF", crlf: "CRLF", cr: "CR", mixed: "mixed", none: "no" } as const;

/** What of an old file a new content does not carry on, as words; files that are no text have nothing to compare. */
export async function whatDiffers(old: Uint8Array, bytes: Uint8Array, content: string): Promise<readonly string[]> {
  if (old.length === 0 || bytes.length === 0) return [];
  const form = await detectTextForm(old);
  const isMarked = content.startsWith("\ufeff");
  const differs: string[] = [];
  if (form.bomBytes > 0 && !isMarked) differs.push("its BOM");
  if (form.encoding !== "utf-8") differs.push(`its encoding (${form.encoding}; the new file is utf-8)`);
  const before = detectEol(decodeText(old, form.encoding).text);
  const after = detectEol(content);
  if (before !== after && before !== "none" && after !== "none")
    differs.push(`its line endings (${EOL_NAMES[before]}; the new file has ${EOL_NAMES[after]})`);
  return differs;
}
