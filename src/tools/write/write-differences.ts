import { decodeText, detectEol, detectTextForm } from "../../text/index.js";

const EOL_NAMES = { lf: "LF", crlf: "CRLF", cr: "CR", mixed: "mixed", none: "no" } as const;

/** What the new content does not preserve of the old file, in words; nothing for binary files. */
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
